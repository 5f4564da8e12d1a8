import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import keyhole

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "--retries", "10"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment that got the wheel and its locked dependencies."""
    place = tmp_path_factory.mktemp("wheel")
    _run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(place), str(ROOT)], place)
    [wheel] = place.glob("keyhole-*.whl")

    venv.create(place / "empty", with_pip=False)
    programs = place / "empty" / ("Scripts" if os.name == "nt" else "bin")
    install = [*PIP, "--python", str(programs / "python"), "install"]
    _run([*install, "--require-hashes", "-r", str(ROOT / "requirements/runtime.txt")], place)
    # Offline, and with its dependencies checked: what the lock does not hold is not there.
    _run([*install, "--no-index", str(wheel)], place)
    return programs


def _run(command: list[str], directory: Path) -> str:
    # Nothing of this machine's user: an empty home, no state or settings elsewhere.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    done = subprocess.run(
        command,
        cwd=directory,
        env={**kept, "HOME": str(directory.parent / "home"), "PYTHONPATH": ""},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_wheel_alone_gives_a_working_command(installed: Path, tmp_path: Path) -> None:
    assert _run([str(installed / "keyhole"), "--version"], tmp_path) == (
        f"keyhole {keyhole.__version__}\n"
    )


def test_the_wheel_alone_edits_a_file(installed: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes(b"one\r\ntwo\r\n")
    edit = ["edit", "note.txt", "--find", "two", "--content", "three"]

    _run([str(installed / "keyhole"), *edit], tmp_path)

    assert note.read_bytes() == b"one\r\nthree\r\n"


def test_the_wheel_alone_brings_what_the_review_page_looks_like(
    installed: Path, tmp_path: Path
) -> None:
    _run([str(installed / "keyhole"), "review", "--export", "review.html"], tmp_path)

    assert "--accent:" in (tmp_path / "review.html").read_text(encoding="utf-8")


def test_the_wheel_alone_makes_a_file_from_a_template(installed: Path, tmp_path: Path) -> None:
    scaffold = ["scaffold", "worker", "mailer.py", "--var", "name=Mailer", "--var", "layer=outer"]

    _run([str(installed / "keyhole"), *scaffold], tmp_path)

    assert "class Mailer:\n" in (tmp_path / "mailer.py").read_text(encoding="utf-8")


def test_the_wheel_alone_gives_every_public_name_and_its_types(
    installed: Path, tmp_path: Path
) -> None:
    code = (
        "from keyhole import *; import keyhole, pathlib;"
        "print(all(name in globals() for name in keyhole.__all__),"
        "pathlib.Path(keyhole.__file__).with_name('py.typed').exists())"
    )

    assert _run([str(installed / "python"), "-c", code], tmp_path) == "True True\n"
