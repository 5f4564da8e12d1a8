"""The same bytes are read once, and other bytes are always read."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from keyhole.edits.model.plan import FilePlan
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.state import DocumentCache


def test_the_same_bytes_give_the_same_document() -> None:
    recent = DocumentCache(None)

    assert recent.document("a", b"one\n") is recent.document("a", b"one\n")


def test_other_bytes_give_another_document() -> None:
    recent = DocumentCache(None)
    recent.document("a", b"one\n")

    assert recent.document("a", b"two\n") == Document.from_bytes(b"two\n")


def test_what_was_written_is_known_when_it_is_read() -> None:
    recent, after = DocumentCache(None), Document.from_bytes(b"new\n")
    recent.keep(
        [FilePlan("a", None, after, ChangeSet(0)), FilePlan("b", after, None, ChangeSet(4))]
    )

    assert recent.document("a", b"new\n") is after
    assert recent.document("b", b"new\n") is not after


def test_only_the_latest_files_are_kept_and_no_large_one() -> None:
    recent = DocumentCache(None)
    first, large = recent.document("0", b"x"), recent.document("large", b"x" * (1 << 21))
    for number in range(1, 33):
        recent.document(f"{number}", b"x")

    assert recent.document("0", b"x") is not first
    assert recent.document("large", b"x" * (1 << 21)) is not large


def test_of_large_notebooks_the_latest_is_kept() -> None:
    recent = DocumentCache(None)
    first, other = (_notebook(f"print({number})") for number in range(2))
    one = recent.document("1.ipynb", first)

    assert recent.document("1.ipynb", first) is one
    assert recent.document("1.ipynb", _notebook("print(7)")).text.endswith("\nprint(7)\n")
    kept = recent.document("2.ipynb", other)
    assert recent.document("1.ipynb", first) is not one
    assert kept.to_bytes() == other


def _notebook(source: str) -> bytes:
    output = {"data": {"image/png": "iVBO" * (1 << 19)}, "metadata": {}}
    cell = {"cell_type": "code", "outputs": [output], "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}).encode()


_PIECES = st.lists(
    st.sampled_from([b"a", b"\n", b"\xc3", b"\xa9", b"\xed\xa0\x80", b"\xef\xbb\xbf", "é".encode()])
)


@given(_PIECES, _PIECES, st.sampled_from([None, "latin-1", "utf-16"]))
def test_a_known_document_never_changes_what_is_read(
    kept: list[bytes], cut: list[bytes], encoding: str | None
) -> None:
    data, head = b"".join(kept + cut), b"".join(kept)
    whole = Document.from_bytes(data, encoding)
    made = whole.with_text(whole.text.replace("a", "").replace("\n", ""))

    for known in (whole, made, Document.from_bytes(head, encoding)):
        for stored in (data, head, made.to_bytes()):
            read = Document.from_bytes(stored, encoding, known)
            fresh = Document.from_bytes(stored, encoding)
            assert (read, read.hash) == (fresh, fresh.hash)


def test_a_coding_line_that_was_written_counts_at_the_next_reading() -> None:
    written = Document.from_bytes("é\n".encode()).with_text("# coding: latin-1\né\n")

    assert Document.from_bytes(written.to_bytes(), None, written).encoding == "iso8859-1"
