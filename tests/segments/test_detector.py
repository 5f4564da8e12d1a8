"""Segments of one's own: a package with an entry point, as docs/segments.md shows it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole import Edit, SegmentDetector, SegmentLocation, Workspace
from keyhole.segments import locations

PACKAGE = Path(__file__).with_name("example_package")
CAKE = "Cake > Mix:\n  eggs\n  flour\nCake > Bake:\n  1 hour\n"


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(PACKAGE))
    locations.detectors.cache_clear()
    yield
    locations.detectors.cache_clear()


@pytest.mark.usefixtures("package")
def test_a_package_s_segments_are_edited_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "cake.recipe").write_text(CAKE, encoding="utf-8")
    edit = Edit(path="cake.recipe", segment="Cake.Mix", content="Cake > Mix:\n  eggs\n")
    with Workspace(root) as workspace:
        receipt = workspace.edit(edits=[edit])
        refused = workspace.edit(edits=[Edit(path="cake.recipe", segment="Cake.Ice", content="x")])

    assert receipt.ok
    assert (root / "cake.recipe").read_text(encoding="utf-8") == CAKE.replace("  flour\n", "")
    assert [refusal.code for refusal in refused.refusals] == ["unknown-segment"]


def test_the_command_line_lists_a_package_s_segments(tmp_path: Path) -> None:
    (tmp_path / "cake.recipe").write_text(CAKE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "keyhole", "outline", "cake.recipe", "--root", str(tmp_path)],
        env={"PYTHONPATH": str(PACKAGE), "XDG_STATE_HOME": str(tmp_path / "state"), "PATH": ""},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )

    assert done.stdout.split("\n")[1:3] == ["  Cake.Mix  step 1-3", "  Cake.Bake  step 4-5"]


def test_the_public_detector_tells_the_segments_of_every_language() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    found = SegmentDetector().detect(text, "a.py")

    assert list(found) == ["A", "A.f"]
    assert found["A.f"] == SegmentLocation(
        "A.f", 2, 3, 4, "    def f(self):\n        return 1\n", "method"
    )


def test_lines_that_a_file_does_not_have_name_no_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(SegmentDetector):
        extensions = ("odd",)

        def detect(self, *_: str) -> dict[str, SegmentLocation]:
            return {"a": SegmentLocation("a", 1, 99), "b": SegmentLocation("b", 1, 1)}

    monkeypatch.setattr(locations, "detectors", lambda: (Odd(),))
    found = SegmentDetector().detect("one\ntwo\n", "x.odd")

    assert list(found) == ["b"]
