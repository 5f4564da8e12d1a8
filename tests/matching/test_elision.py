import pytest

from keyhole.matching.elision import is_marker, pieces, speaks_of_omission
from keyhole.matching.place import Quote

TOLD = [
    "# ... existing code ...",
    "// ...rest of the function",
    "    // ... existing code ...",
    "/* ... unchanged ... */",
    "<!-- ... rest of the page ... -->",
    "{/* ... other props ... */}",
    "... existing code ...",
    "[... unchanged ...]",
    "… rest of the code …",
    "... (rest unchanged)",
    "... rest of the file",
    "# rest of the code",
    "# the rest of the code remains unchanged",
    "// existing code here",
    "# (remaining methods unchanged)",
    "-- other functions stay the same",
]
BARE = ["...", "    ...", "# ...", "// …", "/* ... */"]
CODE = [
    "...rest,",
    "  ...previous,",
    "...existingItems,",
    "    ...props,",
    "x = ...",
    "def f(): ...",
    "## Existing code",
    "# Rest of world",
    "The rest of the code is old.",
    "... and so on",
    "# the rest of the arguments",
    "print('...')",
    "",
]


@pytest.mark.parametrize("line", TOLD)
def test_a_placeholder_speaks_of_omission(line: str) -> None:
    assert speaks_of_omission(line)
    assert is_marker(line)


@pytest.mark.parametrize("line", BARE)
def test_bare_dots_are_a_marker_but_may_be_code(line: str) -> None:
    assert is_marker(line)
    assert not speaks_of_omission(line)


@pytest.mark.parametrize("line", CODE)
def test_code_and_prose_are_no_markers(line: str) -> None:
    assert not is_marker(line)


FIRST, LAST = "first = the_beginning_of_it()\n", "last = the_very_end_of_it()\n"


def test_a_quote_is_split_at_its_markers() -> None:
    quote = Quote(f"{FIRST}...\n{LAST}", f"new\n...\n{LAST}")

    assert pieces(quote) == [Quote(FIRST, "new\n"), Quote(LAST, LAST)]


def test_two_short_lines_are_enough() -> None:
    assert pieces(Quote(f"a\nb\n...\n{LAST}", f"a\nb\n...\n{LAST}")) is not None


def test_a_marker_at_the_edge_has_no_piece() -> None:
    assert pieces(Quote(f"...\n{LAST}...\n", "...\nx\n...\n")) == [Quote(LAST, "x\n")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"{FIRST}...\n{LAST}", None),
        (FIRST, LAST),
        (f"{FIRST}...\n{LAST}", f"{FIRST}{LAST}"),
        (f"{FIRST}...\n{LAST}", f"{FIRST}# ...\n{LAST}"),
        (f"short\n...\n{LAST}", f"short\n...\n{LAST}"),
        (f"...\n{LAST}", f"new\n...\n{LAST}"),
    ],
)
def test_texts_that_leave_out_different_things_are_no_pieces(old: str, new: str | None) -> None:
    assert pieces(Quote(old, new)) is None
