import re

from hypothesis import assume, given
from hypothesis import strategies as st

from keyhole.matching.ladder import find, from_base
from keyhole.matching.nearest import nearest
from keyhole.matching.query import Occurrences, Quote, Rewrite
from keyhole.matching.rungs import exact, whole_lines
from keyhole.matching.view import View, keys_of, quote_lines
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from tests.laws.scenes import SLIPS, Scene, scenes
from tests.laws.strategies import documents, texts


@st.composite
def pieces_of(draw: st.DrawFn, text: str) -> str:
    start = draw(st.integers(0, len(text)))
    piece = text[start : start + draw(st.integers(1, 30))]
    assume(piece)
    return piece


@given(documents())
def test_offsets_of_a_view_lead_there_and_back(document: Document) -> None:
    view = View(document)
    there = [view.offset(at) for at in range(len(view.flat) + 1)]

    assert [view.flat_offset(at) for at in there] == [*range(len(view.flat) + 1)]
    assert there == sorted(set(there))
    assert (there[0], there[-1]) == (0, len(document.text))


@given(documents())
def test_lines_of_a_view_and_their_ends_are_the_document(document: Document) -> None:
    view = View(document)
    rows = [line + view.ending(number) for number, line in enumerate(view.lines)]

    assert "".join(rows) == document.text
    assert len(view.keys) == len(view.lines)


@given(st.text("ab\n", max_size=30), st.data())
def test_exact_counts_every_place(text: str, data: st.DataObject) -> None:
    view, old = View(Document(text)), data.draw(pieces_of(text))
    sites = exact(view, Quote(old), (0, len(text)))
    places = [match.start() for match in re.finditer(f"(?={re.escape(old)})", text)]
    if old[:-1] and not text.endswith("\n") and text + "\n" == text[: 1 - len(old)] + old:
        places.append(len(text) - len(old) + 1)

    assert ([site.start for site in sites.found] if sites else []) == places


@given(scenes(), st.sampled_from([*SLIPS]))
def test_every_place_says_what_the_quote_says(scene: Scene, slip: str) -> None:
    old, new = SLIPS[slip](scene.quoted, scene.new, scene.first)
    view = View(scene.document)
    found = whole_lines(view, Quote(old, new), (0, len(view.flat)))
    keys = [key for key in keys_of("\n".join(quote_lines(old, new)[0])) if key]

    for site in found.found if found else ():
        assert [key for key in keys_of(view.flat[site.start : site.end]) if key] == keys
        assert [*site.pairs] == sorted(site.pairs)


@given(scenes(), st.sampled_from([*SLIPS]), st.data())
def test_a_narrower_scope_has_no_other_places(scene: Scene, slip: str, data: st.DataObject) -> None:
    old, new = SLIPS[slip](scene.quoted, scene.new, scene.first)
    assume(old.strip())
    view = View(scene.document)
    low = data.draw(st.integers(0, len(view.flat)))
    high = data.draw(st.integers(low, len(view.flat)))
    inside = find(view, Quote(old, new), (low, high))

    for site in inside.found if isinstance(inside, Occurrences) else ():
        assert low <= site.start <= site.end <= high


@given(texts(), texts(), texts(), st.data())
def test_the_nearest_places_are_places(text: str, old: str, new: str, data: st.DataObject) -> None:
    document = Document(text)
    view = View(document)
    quote = Quote(view.plain(old), view.plain(new))
    low = data.draw(st.integers(0, len(view.flat)))
    for near in nearest(view, quote, (low, len(view.flat))) or ():
        assert 0 <= near.first < near.last <= len(view.lines)
        assert 0.6 <= near.similarity <= 0.99
        changes = ChangeSet.of(len(text), near.changes or ())
        assert isinstance(changes, ChangeSet)
        assert near.differs or near.changes is not None


@st.composite
def versions(draw: st.DrawFn) -> tuple[list[str], list[str], int]:
    """Draw a version with lines of its own, what became of it since, and the line to be edited.

    Nothing has happened to that line or the lines next to it.
    """
    base = [f"line {number} of the file" for number in range(draw(st.integers(3, 9)))]
    edited = draw(st.integers(0, len(base) - 1))
    now: list[str] = []
    for number, line in enumerate(base):
        near = abs(number - edited) <= 1
        does = "keep" if near else draw(st.sampled_from(("keep", "change", "drop", "add")))
        now += {"keep": [line], "change": ["other"], "drop": [], "add": ["new", line]}[does]
    return base, now, edited


@given(versions())
def test_an_edit_of_the_version_shown_is_carried_over_or_not_made(
    drawn: tuple[list[str], list[str], int],
) -> None:
    base, now, edited = drawn
    text, shown = "\n".join(now) + "\n", "\n".join(base) + "\n"
    view, before = View(Document(text)), View(Document(shown))
    quote = Quote(shown, shown.replace(base[edited], "edited"))
    laid = from_base(view, before, quote, (0, len(text)))

    if isinstance(laid, Rewrite):
        changes = ChangeSet.of(len(text), laid.changes)
        assert isinstance(changes, ChangeSet)
        assert changes.apply(text) == text.replace(base[edited], "edited")
    else:
        # A line that was dropped or came in right beside the neighbours leaves the place open.
        assert now != base
