"""Entries as JSON: whatever is put in comes out, and the text is plain ASCII."""

from hypothesis import given
from hypothesis import strategies as st

from keyhole.disk.files import FileMetadata
from keyhole.journal import record
from keyhole.journal.model import Call, EditRecord, EntryDraft, FileChange, Region, Span, Undone

texts = st.text(max_size=8)
numbers = st.integers(0, 1 << 40)
hashes = st.none() | st.just("0123456789abcdef")
metadata = st.none() | st.builds(
    FileMetadata,
    numbers,
    numbers,
    numbers,
    st.lists(st.tuples(texts, st.binary(max_size=4)), max_size=2).map(tuple),
)
spans = st.lists(st.builds(Span, numbers, numbers, numbers), max_size=2).map(tuple)
edits = st.builds(
    EditRecord, numbers, st.lists(numbers, max_size=2).map(tuple), texts, texts, texts
)
files = st.builds(
    FileChange,
    texts,
    hashes,
    hashes,
    spans,
    st.lists(edits, max_size=2).map(tuple),
    texts,
    metadata,
    metadata,
    texts,
    texts,
)
undone = st.lists(st.builds(Undone, texts, st.none() | numbers), max_size=2).map(tuple)
calls = st.builds(
    Call, texts, texts, texts, texts, texts, undone, st.dictionaries(texts, texts, max_size=2)
)
drafts = st.builds(
    EntryDraft,
    texts,
    st.floats(0, 1e10),
    calls,
    st.lists(files, max_size=3).map(tuple),
    st.lists(texts, max_size=2).map(tuple),
)
regions = st.builds(Region, numbers, numbers, texts, texts, st.floats(0, 1e10), texts, texts)


@given(drafts)
def test_a_draft_survives(draft: EntryDraft) -> None:
    text = record.to_json(draft)

    assert text.isascii()
    assert record.from_json(text) == draft


def test_a_path_that_is_no_unicode_survives() -> None:
    draft = EntryDraft("t", 1.0, Call(reason="\ud800"), (FileChange("caf\udce9", None, None),))

    assert record.from_json(record.to_json(draft)) == draft


@given(st.lists(regions, max_size=3))
def test_claims_survive_and_get_their_entry(given_claims: list[Region]) -> None:
    found = record.regions_from_json(record.regions_to_json(given_claims, "7-abcd"))

    assert [region.entry for region in found] == [
        region.entry or "7-abcd" for region in given_claims
    ]
    assert [region.start for region in found] == [region.start for region in given_claims]
