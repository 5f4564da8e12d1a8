"""Patterns match alike on every Python that keyhole runs on.

Before 3.11.5 the regular expressions of Python go on behind what the last turn of a possessive
group consumed before it failed: `(?:a|"(?!""))*+"` never finds its end. An atomic group does, as
does an escape as the last alternative, because no quote follows where it fails.
"""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "keyhole"
POSSESSIVE_GROUP = re.compile(r"(?<!\|\\\\\.)\)[*+?]\+(?=[^ ])")


def test_no_group_is_repeated_possessively_but_text_with_escapes() -> None:
    found = {
        str(path.relative_to(SOURCES)): lines
        for path in SOURCES.rglob("*.py")
        if (lines := [*filter(POSSESSIVE_GROUP.search, path.read_text("utf-8").split("\n"))])
    }

    assert found == {}


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        (r'"""(?:[^"\\]++|\\(?s:.)|"(?!""))*+"""', True),
        (r'"""(?>(?:[^"\\]++|\\(?s:.)|"(?!""))*)"""', False),
        (r'"(?:[^"\\\n]++|\\.)*+"', False),
    ],
)
def test_a_possessive_group_is_seen(line: str, *, is_found: bool) -> None:
    assert bool(POSSESSIVE_GROUP.search(line)) is is_found
