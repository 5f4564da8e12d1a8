"""The judge of `make sweeps`: it agrees with a sound sweep and sees a planted fault."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.sweeps import judged, killed, names_called, unpacked
from keyhole.edits.by_name import pattern
from keyhole.segments.outline import Span
from tests.scene import put

CODE = """\
def f(xs):
    a = len(xs)
    return any(len(x) for x in xs), len(  a  ), len(len(xs)), len(*xs)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    put(tmp_path / "package", "a.py", CODE)
    return tmp_path / "package"


def test_a_sound_sweep_is_the_program_that_is_meant(package: Path, tmp_path: Path) -> None:
    assert names_called(package) == ["len"]
    assert judged(package, "len", tmp_path / "state") == (5, [])


def test_a_place_that_is_missed_is_seen(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_but_one(spans: Sequence[Span]) -> Sequence[int]:
        return range(len(spans) - 1)

    monkeypatch.setattr(pattern, "_outermost", all_but_one)

    count, wrong = judged(package, "len", tmp_path / "state")

    assert count == 5
    assert wrong


def test_a_killed_sweep_leaves_all_files_old_or_all_new(tmp_path: Path) -> None:
    found = killed(tmp_path, 2, seed=7)

    assert found["killed"] == 2
    assert found["mixed"] == 0


def test_only_sources_that_python_reads_are_swept(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "one-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("one/a.py", CODE)
        wheel.writestr("one/broken.py", "def (")
        wheel.writestr("one/data.txt", "len(1)")

    [place] = unpacked(tmp_path, tmp_path / "into")

    assert [file.name for file in place.rglob("*.*")] == ["a.py"]
