import os
import shutil
import subprocess
import sys
from pathlib import Path

import keyhole

CODE = """
import sys
from keyhole.surfaces.mcp.loading import load_once
load_once()
print("keyhole.engine.facade" in sys.modules)
"""


def loaded(place: Path, **more: str) -> str:
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**known, "PYTHONPATH": str(place), **more}
    command = [sys.executable, "-c", CODE]
    return subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", check=True
    ).stdout.strip()


def test_what_is_not_compiled_is_loaded_at_once_the_first_time_only(tmp_path: Path) -> None:
    source = Path(keyhole.__file__).parent
    shutil.copytree(source, tmp_path / "keyhole", ignore=shutil.ignore_patterns("__pycache__"))

    assert loaded(tmp_path, PYTHONDONTWRITEBYTECODE="1") == "False"
    assert [loaded(tmp_path), loaded(tmp_path)] == ["True", "False"]
