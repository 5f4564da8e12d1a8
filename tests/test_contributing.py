"""What CONTRIBUTING.md sends a reader to is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# NAME stands for what the reader adds.
PLACES = sorted(
    {
        word
        for place in re.findall(r"`([^`\n]+)`", PAGE)
        for word in re.findall(r"(?<![\w./])(?:src|tests|docs|requirements)/[\w./*-]*", place)
        if "NAME" not in word
    }
)


def test_every_file_and_directory_of_the_page_is_there() -> None:
    assert len(PLACES) >= 20
    assert [place for place in PLACES if not list(ROOT.glob(place.rstrip("/")))] == []


def test_every_file_that_lies_beside_another_is_there() -> None:
    named = set(re.findall(r"`([a-z_]+\.py)`", PAGE))
    there = {path.name for room in ("src", "tests") for path in (ROOT / room).rglob("*.py")}

    assert len(named) >= 5
    assert named <= there


def test_every_name_in_capitals_of_the_page_is_in_the_file_it_is_said_to_be_in() -> None:
    said = re.findall(
        r"`([A-Z_]{4,})`(?: or `([A-Z_]+)`)? (?:in|of) `((?:src|tests)/[\w/]+\.py)`", PAGE
    )

    assert len(said) >= 6
    for *names, place in said:
        text = (ROOT / place).read_text(encoding="utf-8")
        assert [name for name in names if name and not re.search(rf"(?m)^{name}\b", text)] == []
