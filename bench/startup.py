"""Start-up of the command line against an empty Python program."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measure import Row, ratio


def rows() -> list[Row]:
    """Measure `keyhole --version` and an edit of a small file."""
    keyhole = str(Path(sys.executable).with_name("keyhole"))
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "XDG_STATE_HOME": f"{scratch}/state", "HOME": scratch}
        # An installed package has its bytecode; compiling it anew every time is not start-up.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        project = Path(scratch, "project")
        project.mkdir()
        (project / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
        words = ["two", "zwei"]

        def run(*command: str) -> None:
            subprocess.run(command, env=environment, cwd=project, check=True, capture_output=True)

        def edit() -> None:
            run(keyhole, "edit", "a.txt", "--find", words[0], "--content", words[1])
            words.reverse()

        def nothing() -> None:
            run(sys.executable, "-c", "pass")

        version = ratio(lambda: run(keyhole, "--version"), nothing, 20)
        edited = ratio(edit, nothing, 20)
    return [
        Row("keyhole --version / python -c pass", version, 3.0),
        Row("keyhole edit of a small file / python -c pass", edited, 8.0),
    ]
