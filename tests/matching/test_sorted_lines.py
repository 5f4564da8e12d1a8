"""Sorted lines: those that are a text, or begin with it, as whoever reads all lines finds them."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from keyhole.matching.view import SortedLines, View
from keyhole.text.document import Document

WORDS = st.text("ab ", max_size=3)


def read_through(view: View, wanted: str, first: int) -> Sequence[int]:
    """Return what is looked for by looking at every line."""
    numbers = range(first, len(view.lines))
    equal = [n for n in numbers if view.lines[n].strip() == wanted]
    return equal or [n for n in numbers if view.lines[n].strip().startswith(wanted)]


@given(st.lists(WORDS), st.lists(st.tuples(WORDS.map(str.strip), st.integers(0, 9))))
def test_lines_are_found_as_by_reading_all_of_them(
    lines: list[str], asked: list[tuple[str, int]]
) -> None:
    view = View(Document("\n".join(lines)))
    sorted_lines = SortedLines(view)

    for wanted, first in asked:
        assert list(sorted_lines.below(wanted, first)) == read_through(view, wanted, first)
