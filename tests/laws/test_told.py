"""What a receipt tells: `exact` only of a place that stands as it was named, to the character."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from keyhole.edits.model.hunk import ADD, REMOVE, Hunk
from keyhole.edits.model.operations import ACTIONS, Edit, InOrder, Operation
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.phrases import shown
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.laws.scenes import SLIPS, Scene, scenes

PATH = "f.py"
PLACES = st.sampled_from(("find", "until", "in-order", "hunk"))


def planned(document: Document, operation: Operation) -> FilePlan | None:
    try:
        return resolve([operation], Snapshot({operation.path: document})).files[0]
    except Refused:
        return None


def plain(text: str) -> str:
    return shown(text.replace("\r\n", "\n").replace("\r", "\n"))


def stands(quote: str, document: Document) -> bool:
    """Whether a text stands in a document; the end of its last line may be missing there."""
    text = plain(document.text)
    return plain(quote) in text or text.endswith(plain(quote).removesuffix("\n"))


def asked(place: str, find: str, content: str, action: str) -> Operation:
    content = "" if action == "delete" else content
    if place == "until":
        head, _, tail = find.strip("\n").partition("\n")
        return Edit(path=PATH, find=head, until=tail or None, action=action, content=content)
    edit = Edit(path=PATH, find=find, action=action, content=content)
    if place == "hunk":
        gone = tuple((REMOVE, line) for line in find.split("\n"))
        return Hunk(PATH, (*gone, *((ADD, line) for line in content.split("\n"))))
    return InOrder(PATH, (edit,)) if place == "in-order" else edit


@pytest.mark.parametrize("slip", SLIPS)
@settings(max_examples=30)
@given(scene=scenes(), place=PLACES, action=st.sampled_from(ACTIONS))
def test_what_was_found_to_the_character_stands_there(
    scene: Scene, slip: str, place: str, action: str
) -> None:
    find, content = SLIPS[slip](scene.quoted, scene.new, scene.first)
    assume(find.strip())
    try:
        operation = asked(place, find, content, action)
    except Refused:
        assume(False)  # noqa: FBT003
    plan = planned(scene.document, operation)
    assume(plan is not None and not plan.edits[0].already_applied)
    assert plan is not None
    (edit,) = plan.edits

    if edit.matched == "exact":
        pieces = [operation.find, operation.until] if isinstance(operation, Edit) else [find]
        assert all(stands(piece, scene.document) for piece in pieces if piece)


# Names: each part of a Markdown heading that is not as it was written is told.

TITLES = st.lists(
    st.sampled_from(["Set", "up", "*it*", "`now`", "A_b", "[x](y)", "é", "  ", "ß"]),
    min_size=1,
    max_size=4,
).map(" ".join)
RESPELLED = st.sampled_from([str, str.upper, str.lower, str.title, str.strip, str.casefold])


def heading_edit(title: str, name: str, **fields: str) -> LocatedEdit | None:
    document = Document(f"# Guide\n\n## {title}\n\nOld.\n")
    edit = Edit.of({"path": "m.md", "segment": name, "content": "New.", **fields})
    plan = planned(document, edit)
    return plan.edits[0] if plan else None


@given(TITLES, RESPELLED, st.sampled_from([{}, {"find": "Old."}, {"find": "old", "regex": True}]))
def test_a_heading_that_is_not_as_it_was_named_is_told(
    title: str, respelled: object, fields: dict[str, str]
) -> None:
    assert callable(respelled)
    title = title.strip()
    assume(title)
    name = respelled(title)

    edit = heading_edit(title, name, part="body", **fields)

    if edit is not None:
        assert (edit.matched == "exact") == (name.strip() == title)
        assert bool(edit.notes) == (name.strip() != title)
