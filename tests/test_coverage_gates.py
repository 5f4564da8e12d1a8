import subprocess
import sys
from pathlib import Path

import pytest

from tests import coverage_gates
from tests.coverage_gates import PACKAGE, ROOMS, Room, judged, measured

PLANTED = """
def sign(number):
    if number < 0:
        return -1
    return 1
"""
GATES = (Room("here", 100, ("here/",)), Room("there", 50, ("there/",)))


def run(home: Path, *numbers: int, unseen: str = "") -> list[tuple[str, bool]]:
    """Return the verdict on a package that ran with some numbers."""
    package = home / "planted"
    for room in ("here", "there"):
        (package / room).mkdir(parents=True)
        (package / room / "signs.py").write_text(PLANTED, encoding="utf-8")
        (package / room / "__init__.py").touch()
    (package / "__init__.py").touch()
    calls = "\n".join(f"here({number}), there({number})" for number in numbers)
    script = (
        "from planted.here.signs import sign as here\n"
        f"from planted.there.signs import sign as there\n{calls}\n"
    )
    (home / "run.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "coverage", "run", "--rcfile=", "--branch", "--source=planted"]
    subprocess.run([*command, "run.py"], cwd=home, check=True, env={"PYTHONPATH": str(home)})
    if unseen:
        (package / unseen).write_text(PLANTED, encoding="utf-8")
    gates = (*GATES, Room("all else", 0, ("",)))
    return list(judged(measured(home / ".coverage", package), gates, package))


def failed(verdict: list[tuple[str, bool]]) -> list[str]:
    return [row.split("  ")[0] for row, is_fault in verdict if is_fault]


def test_a_room_that_ran_whole_passes(tmp_path: Path) -> None:
    assert failed(run(tmp_path, -1, 1)) == []


def test_a_planted_branch_that_never_ran_fails_its_room_alone(tmp_path: Path) -> None:
    verdict = run(tmp_path, 1)

    assert failed(verdict) == ["here"]
    assert ("  see here/signs.py", False) in verdict


def test_a_file_that_nobody_measured_fails(tmp_path: Path) -> None:
    assert failed(run(tmp_path, -1, 1, unseen="here/late.py")) == ["not measured: here/late.py"]


def test_a_room_without_files_fails(tmp_path: Path) -> None:
    verdict = judged({}, GATES, tmp_path)

    assert failed(list(verdict)) == ["here has no files", "there has no files"]


def test_each_directory_of_the_package_has_a_room_of_its_own() -> None:
    rooms = {beginning.partition("/")[0] for room in ROOMS for beginning in room.beginnings}

    directories = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}

    assert rooms == {"", *directories}


def test_no_data_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage_gates, "ROOT", tmp_path)

    with pytest.raises(Exception, match="No data"):
        coverage_gates.main()
