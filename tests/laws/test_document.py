import codecs
import encodings.aliases
import hashlib

from hypothesis import given
from hypothesis import strategies as st

from keyhole.refusals import Refused
from keyhole.text.document import Document, chop, hash_of, split_lines
from tests.laws.strategies import documents, texts


def _is_text(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False


ENCODINGS = sorted(filter(_is_text, set(encodings.aliases.aliases.values())))


def test_the_encodings_of_the_laws_are_those_of_the_language() -> None:
    assert len(ENCODINGS) > 80
    assert {"utf_8", "utf_16", "cp932", "iso2022_jp", "utf_7", "latin_1"} <= set(ENCODINGS)


@given(st.binary())
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    document = Document.from_bytes(data)

    assert document.to_bytes() == data
    assert document.hash == hash_of(data) == hashlib.sha256(data).hexdigest()[:16]


@given(st.binary(), st.sampled_from((*ENCODINGS, "UTF-16", "Utf_16_LE", "no such", "rot13", "hex")))
def test_bytes_come_back_in_a_given_encoding(data: bytes, encoding: str) -> None:
    assert Document.from_bytes(data, encoding).to_bytes() == data


@given(texts(), st.sampled_from(ENCODINGS))
def test_text_in_a_given_encoding_is_read_in_it(text: str, encoding: str) -> None:
    data = text.encode(encoding, "ignore")

    assert Document.from_bytes(data, encoding).to_bytes() == data


@given(st.binary(), st.sampled_from(ENCODINGS), st.sampled_from((b"# coding: ", b"# vim: coding=")))
def test_bytes_come_back_in_a_declared_encoding(data: bytes, encoding: str, head: bytes) -> None:
    data = head + encoding.encode("ascii") + b"\n" + data

    assert Document.from_bytes(data).to_bytes() == data


@given(documents(), texts())
def test_the_hash_of_new_text_is_the_hash_of_its_bytes(document: Document, text: str) -> None:
    try:
        after = document.with_text(text)
    except Refused:
        return

    assert after.hash == hash_of(after.to_bytes())


@given(documents())
def test_every_character_is_on_one_line(document: Document) -> None:
    lines = split_lines(document.text, document.terminator)
    count = document.line_count
    spans = [document.span_of_lines(number, number) for number in range(1, count + 1)]

    assert [document.text[start:end] for start, end in spans] == lines
    assert "".join(lines) == document.text
    assert [document.line(number) for number in range(1, count + 1)] == [*map(chop, lines)]


@given(documents())
def test_a_line_is_found_with_and_without_an_index(document: Document) -> None:
    fresh = Document.from_bytes(document.to_bytes())
    offsets = range(len(document.text) + 1)
    counted = [fresh.line_at(offset) for offset in offsets]
    len(document.starts)

    assert [document.line_at(offset) for offset in offsets] == counted


@given(documents(), texts(), st.data())
def test_lines_are_counted_on_from_any_place(
    document: Document, text: str, data: st.DataObject
) -> None:
    same = data.draw(st.integers(0, len(document.text)))
    try:
        after = document.with_text(document.text[:same] + text, same)
    except Refused:
        return
    offsets = data.draw(st.permutations(range(len(after.text) + 1)))
    indexed = Document(after.text)
    len(indexed.starts)

    assert [after.line_at(at) for at in offsets] == [indexed.line_at(at) for at in offsets]
