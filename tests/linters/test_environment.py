import os
from pathlib import Path

import pytest

from keyhole.linters.run import environment_for, program, search_path


def test_a_linter_sees_no_secrets() -> None:
    given = {
        "PATH": "/usr/bin",
        "HOME": "/home/someone",
        "LC_ALL": "C.UTF-8",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GITHUB_TOKEN": "secret",
        "SSH_AUTH_SOCK": "/run/agent",
        "LD_PRELOAD": "/tmp/evil.so",
    }

    passed = environment_for(given)

    assert passed == {
        "PATH": "/usr/bin",
        "HOME": "/home/someone",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
    }


def test_the_user_can_let_a_linter_see_more() -> None:
    passed = environment_for({"LICENCE": "1", "TOKEN": "2"}, ["LICENCE", "MISSING"])

    assert passed["LICENCE"] == "1"
    assert not {"TOKEN", "MISSING"} & passed.keys()


def test_a_relative_entry_of_the_path_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.chdir(tmp_path / "bin")

    assert search_path({"PATH": os.pathsep.join([".", "", "bin", "/usr/bin"])}) == "/usr/bin"
    assert program("tool", {"PATH": os.pathsep.join([".", "", "bin"])}) is None
    assert program("tool", {"PATH": str(tool.parent)}) == str(tool)
