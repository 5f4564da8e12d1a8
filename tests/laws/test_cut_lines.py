"""A quote of lines stands for whole lines; to the character it counts only when asked for."""

from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.text.document import Document

PATH = "file.txt"

_LINES = (
    " * one",
    " * two",
    " * })",
    "# wipe()",
    "wipe()",
    "  deploy(a, b)",
    "retries = 30",
    "",
    "x  ",
    "\tgo()",
)


class Cut(NamedTuple):
    """A text, and a part of it that is quoted: at least a line end and something with words."""

    text: str
    start: int
    end: int

    @property
    def find(self) -> str:
        return self.text[self.start : self.end]

    @property
    def words_beside(self) -> tuple[str, str]:
        """Return the words on the quote's outer lines that are not quoted."""
        before = self.text[self.text.rfind("\n", 0, self.start) + 1 : self.start]
        stop = self.text.find("\n", self.end)
        after = self.text[self.end : stop if stop >= 0 else None]
        quoted = self.find.split("\n")
        first = before.strip() if quoted[0].strip() else ""
        return first, after.strip() if quoted[-1].strip() else ""


def stands_once(cut: Cut) -> bool:
    places = [at for at in range(len(cut.text)) if cut.text.startswith(cut.find, at)]
    ends_both = f"{cut.text}\n".endswith(cut.find) and not cut.text.endswith("\n")
    return len(places) == 1 and not ends_both


@st.composite
def cuts(draw: st.DrawFn) -> Cut:
    lines = draw(st.lists(st.sampled_from(_LINES), min_size=2, max_size=6))
    text = "\n".join(lines) + draw(st.sampled_from(("\n", "")))
    start = draw(st.integers(0, len(text) - 1))
    cut = Cut(text, start, draw(st.integers(start + 1, len(text))))
    assume("\n" in cut.find and cut.find.strip() and stands_once(cut))
    assume(cut.find.rpartition("\n")[2].strip() or cut.find.endswith("\n"))
    return cut


def carried_out(cut: Cut, **edit: object) -> FilePlan | Unresolved:
    snapshot = Snapshot({PATH: Document(cut.text)})
    try:
        (file,) = resolve([Edit.of({"path": PATH, "find": cut.find, **edit})], snapshot).files
    except Unresolved as refused:
        return refused
    return file


actions = st.sampled_from(
    (
        {"content": "new()\n"},
        {"content": ""},
        {"action": "delete"},
        {"action": "after", "content": "new()\n"},
        {"action": "before", "content": "new()\n"},
    )
)


@given(cuts(), actions)
def test_a_quote_of_lines_cuts_none_of_them(cut: Cut, action: dict[str, object]) -> None:
    done = carried_out(cut, **action)

    if isinstance(done, Unresolved):
        return
    assert cut.words_beside == ("", "")


@given(cuts())
def test_a_quote_that_cuts_a_line_is_refused_and_whole_lines_are_offered(cut: Cut) -> None:
    assume(any(cut.words_beside))
    refused = carried_out(cut, content="new()\n")

    assert isinstance(refused, Unresolved)
    (refusal,) = refused.refusals
    assert refusal.code == "not-found"
    assert "match exact" in refusal.help
    snapshot = Snapshot({PATH: Document(cut.text)})
    for offer in refused.offered:
        accepted = Edit(path=PATH, accept=offer.accept)
        (file,) = resolve([accepted], snapshot, {offer.accept: offer}).files
        assert file.after is not None
        above = cut.text[: cut.text.rfind("\n", 0, cut.start) + 1]
        assert file.after.text.startswith(above)


@given(cuts(), st.sampled_from(("", "x", "x\n", "x\ny")))
def test_exact_replaces_to_the_character(cut: Cut, content: str) -> None:
    done = carried_out(cut, content=content, match="exact")

    assert isinstance(done, FilePlan)
    assert done.after is not None
    assert done.after.text == cut.text[: cut.start] + content + cut.text[cut.end :]
