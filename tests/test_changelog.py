"""CHANGELOG.md: the first release is its features, in at most twenty lines."""

from pathlib import Path

PAGE = (Path(__file__).parent.parent / "CHANGELOG.md").read_text(encoding="utf-8")
MOST_LINES = 20


def test_the_first_release_is_short() -> None:
    _, _, release = PAGE.partition("\n## [0.1.0]\n")
    lines = [line for line in release.split("\n") if line]

    assert 0 < len(lines) <= MOST_LINES
    assert all(line.startswith(("- ", "  ")) for line in lines)
