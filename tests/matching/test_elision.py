import pytest

from keyhole.matching import elision
from keyhole.matching.elision import (
    is_dotted_comment,
    is_marker,
    pieces,
    says_that_it_stays,
    speaks_behind_code,
    speaks_of_omission,
)
from keyhole.matching.query import Quote

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
    "// rest of methods ...",
    "(rest of code ...)",
    "(rest of methods ...)",
    "(unchanged code ...)",
    "(unchanged methods ...)",
    "// unchanged code...",
    "// Existing methods remain the same...",
    "# ... same as before",
    "# ... (unchanged)",
    "-- ... rest of the columns",
    "[rest of the file unchanged]",
    "(* ... the rest of the module ... *)",
    "# ... snip ...",
    "// ... rest of the loop ...",
    "# ... rest of the block, unchanged",
    "# ... (b and c as before)",
    "...  # rest unchanged",
    "...  # existing code",
]
SAID = [
    "# rest of the code",
    "# the rest of the code remains unchanged",
    "// existing code here",
    "# (remaining methods unchanged)",
    "-- other functions stay the same",
    "// The rest stays the same",
    "# rest of the function",
    "# The rest of this method is the same as before",
    "/* rest of the styles unchanged */",
    "<!-- rest of the page remains the same -->",
    "-- rest of the query unchanged",
    "// Rest of the file stays as is",
    "{/* rest of the component */}",
    "# keep the rest of the code",
    "// keep existing code",
    "# All other methods remain unchanged",
    "# --- rest of file ---",
    "// Rest of the implementation follows",
    "// rest of the loop stays the same",
    "# the rest of the block is unchanged",
    "/* the rest of the branch as before */",
    "// keep the rest of the switch as it was",
]
BRIEFLY = [
    "# unchanged",
    "// same as before",
    "# code omitted for brevity",
    "// omitted for brevity",
    "// no changes here",
    "// (existing code)",
    "# <existing code>",
    "# [existing implementation]",
    "# snip",
    "// --snip--",
]
BARE = ["...", "    ...", "# ...", "// …", "/* ... */", "<!-- ... -->", "-- ..."]
CODE = [
    "...rest,",
    "  ...previous,",
    "...existingItems,",
    "    ...props,",
    "x = ...",
    "def f(): ...",
    "# Rest of world",
    "The rest of the code is old.",
    "The rest of the function ...",
    "... and so on",
    "# the rest of the arguments",
    "# keep the rest of the buffer for the next call",
    "# ... and then go to the first day of that previous month:",
    "# ...add other platform-specific processing here, if",
    "... '''.splitlines(keepends=True)",
    "...     print('Items remaining: {:d}'.format(page.remaining))",
    "# ... other states",
    "// the same as above",
    "# other",
    "...  # type: ignore[override]",
    "...  # the rest goes to the parser of options",
    "# snippets",
    "# ... (see below)",
    "print('...')",
    "rest of the function",
    "# Existing users keep their settings unchanged when they upgrade",
    "",
]


@pytest.mark.parametrize("line", TOLD)
def test_a_placeholder_speaks_of_omission(line: str) -> None:
    assert speaks_of_omission(line)
    assert is_marker(line)


@pytest.mark.parametrize("line", SAID)
def test_a_comment_may_say_that_something_stays(line: str) -> None:
    assert says_that_it_stays(line)
    assert is_marker(line)


@pytest.mark.parametrize("line", BRIEFLY)
def test_brief_words_are_no_marker_of_a_quote(line: str) -> None:
    assert says_that_it_stays(line)
    assert not is_marker(line)


@pytest.mark.parametrize("line", BARE)
def test_bare_dots_are_a_marker_but_may_be_code(line: str) -> None:
    assert is_marker(line)
    assert not speaks_of_omission(line)


@pytest.mark.parametrize("line", CODE)
def test_code_and_prose_are_no_markers(line: str) -> None:
    assert not is_marker(line)
    assert not says_that_it_stays(line)


@pytest.mark.parametrize("line", ["return rest", "# adds one", "x = [1]", "the same"])
def test_a_line_that_leaves_nothing_out_compiles_no_pattern(line: str) -> None:
    elision._compiled.cache_clear()

    assert not is_marker(line)
    assert not speaks_behind_code(line)
    assert elision._compiled.cache_info().currsize == 0


def test_a_comment_of_dots_is_no_ruler() -> None:
    assert all(map(is_dotted_comment, [*BARE[2:], "// [...]", "# (...)"]))
    assert not any(map(is_dotted_comment, ["...", "#" + "." * 40, "# ... x"]))


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
