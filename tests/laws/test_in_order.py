"""Laws of edits in order: one change set does what the edits do one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from keyhole.answers.file_receipt import FileReceipt
from keyhole.edits.model.operations import Edit, InOrder
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.text.document import Document

PATH = "a.txt"
NEW = st.text(alphabet="xyz\n ", max_size=6)


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]], str]:
    """A text, edits that each quote something unique of the running text, and what comes of it."""
    before = draw(st.text(alphabet="abcdefghij\n", min_size=1, max_size=40))
    running, pairs = before, []
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, max(len(running) - 1, 0)))
        old = running[start : start + draw(st.integers(1, 6))]
        if not old.strip() or _places(running, old) != 1:
            continue
        new = draw(NEW)
        pairs.append((old, new))
        running = running.replace(old, new, 1)
    return before, pairs, running


def _places(text: str, old: str) -> int:
    """Where a quote stands; a last line without its end is the line that the quote ends."""
    ended = text if text.endswith("\n") else f"{text}\n"
    return sum(ended.startswith(old, at) for at in range(len(text)))


def planned(before: str, pairs: list[tuple[str, str]]) -> FilePlan:
    edits = tuple(Edit(find=old, content=new, match="exact") for old, new in pairs)
    (file,) = resolve([InOrder(PATH, edits)], Snapshot({PATH: Document(before)})).files
    return file


@given(case=steps())
def test_edits_in_order_do_what_each_does_after_the_other(
    case: tuple[str, list[tuple[str, str]], str],
) -> None:
    before, pairs, wanted = case
    if not pairs:
        return

    file = planned(before, pairs)

    assert file.after is not None
    assert file.after.text == wanted
    assert file.changes.apply(before) == wanted


@given(case=steps())
def test_every_change_belongs_to_an_edit_and_every_edit_has_its_lines(
    case: tuple[str, list[tuple[str, str]], str],
) -> None:
    before, pairs, _ = case
    if not pairs:
        return

    file = planned(before, pairs)
    spans = FileReceipt.of(file, {}).spans_after

    claimed = [(c.start, c.end) for edit in file.edits for c in edit.changes]
    assert {(c.start, c.end) for c in file.changes.changes} <= {*claimed}
    assert [edit.index for edit in file.edits] == list(range(len(pairs)))
    assert spans.keys() == {*range(len(pairs))}


def test_the_law_is_not_empty() -> None:
    found = planned("abc\n", [("b", "xyz"), ("y", "q")])

    assert found.after == Document("axqzc\n")
    assert len(found.changes.changes) == 1
