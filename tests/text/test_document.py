import pytest

from keyhole.phrases import shown
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document, chop, hash_of, plain_lines, split_lines


@pytest.mark.parametrize(
    ("data", "encoding", "bom", "text"),
    [
        (b"", "utf-8", b"", ""),
        (b"a\xc3\xa9", "utf-8", b"", "aé"),
        (b"\xef\xbb\xbfa", "utf-8", b"\xef\xbb\xbf", "a"),
        (b"\xff\xfea\0", "utf-16-le", b"\xff\xfe", "a"),
        (b"\xfe\xff\0a", "utf-16-be", b"\xfe\xff", "a"),
        (b"\xff\xfe\0\0a\0\0\0", "utf-32-le", b"\xff\xfe\0\0", "a"),
        (b"\0\0\xfe\xff\0\0\0a", "utf-32-be", b"\0\0\xfe\xff", "a"),
        (b"# coding: latin-1\n\xe9", "iso8859-1", b"", "# coding: latin-1\né"),
        (b"#!/bin/sh\n# vim: set fileencoding=cp1252 :\n\x80", "cp1252", b"", None),
        (b"<?xml version='1.0' encoding='koi8-r'?>\n\xc1", "koi8-r", b"", None),
    ],
)
def test_the_mark_or_the_first_lines_say_the_encoding(
    data: bytes, encoding: str, bom: bytes, text: str | None
) -> None:
    document = Document.from_bytes(data)

    assert (document.encoding, document.bom) == (encoding, bom)
    assert text is None or document.text == text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\n\n# coding: latin-1\n\xe9", "the third line says nothing"),
        (b"# coding: no-such-thing\n", "unknown"),
        (b"# coding: rot13\n", "not an encoding of text"),
        (b"# coding: utf-16\n", "its own line is no UTF-16"),
        (b"# coding: ascii\n\x80 \xc3\xa9" + b"# coding: punycode", "not what it says"),
        (b"\xff\xfea", "half a character"),
    ],
)
def test_what_cannot_be_read_as_it_says_is_utf_8_with_escapes(data: bytes, why: str) -> None:
    document = Document.from_bytes(data)

    assert document.encoding in {"utf-8", "ascii"}, why
    assert document.to_bytes() == data


@pytest.mark.parametrize(
    ("given", "data", "text"),
    [
        ("latin-1", b"\xe9", "é"),
        ("UTF-16", b"a\0b\0", "ab"),
        ("utf-8-sig", b"a", "a"),
        ("UTF_16_BE", b"\0a", "a"),
        ("cp932", b"\x82\xa0", "あ"),
    ],
)
def test_an_encoding_can_be_given_by_any_of_its_names(given: str, data: bytes, text: str) -> None:
    document = Document.from_bytes(data, given)

    assert document.text == text
    assert document.to_bytes() == data


@pytest.mark.parametrize("given", ["no such", "a\0b", "zlib", "idna"])
def test_what_is_no_encoding_of_the_bytes_is_not_used(given: str) -> None:
    assert Document.from_bytes(b"\xe9\n", given).encoding == "utf-8"


def test_a_mark_wins_over_what_is_given() -> None:
    assert Document.from_bytes(b"\xff\xfea\0", "latin-1").encoding == "utf-16-le"


def test_a_lone_half_of_a_pair_comes_back() -> None:
    data = b"\xff\xfe\x00\xd8a\0"

    assert Document.from_bytes(data).to_bytes() == data


def test_new_text_keeps_mark_and_encoding() -> None:
    after = Document.from_bytes(b"\xff\xfea\0").with_text("bé")

    assert after.to_bytes() == b"\xff\xfeb\0\xe9\0"
    assert after.hash == hash_of(after.to_bytes())


def test_a_character_the_encoding_does_not_have_is_refused() -> None:
    document = Document.from_bytes(b"# coding: latin-1\n")

    with pytest.raises(Refused) as refused:
        document.with_text("one\ntwo €\n")

    assert refused.value.refusals == (
        Refusal(
            "encoding",
            "U+20AC '\\u20ac' cannot be written in iso8859-1",
            where="line 2 of the new text",
            help="use characters that iso8859-1 has, or convert the file first",
        ),
    )


@pytest.mark.parametrize(
    ("text", "binary"), [("a\0", True), ("a" * 8192 + "\0", False), ("", False)]
)
def test_a_nul_near_the_start_is_no_text(text: str, *, binary: bool) -> None:
    assert Document(text).is_binary == binary


@pytest.mark.parametrize(
    ("text", "newline", "terminator"),
    [
        ("", "\n", "\n"),
        ("a", "\n", "\n"),
        ("\n", "\n", "\n"),
        ("a\r\nb\n", "\r\n", "\n"),
        ("a\nb\r\n", "\n", "\n"),
        ("a\rb", "\r", "\r"),
        ("a\rb\n", "\n", "\n"),
    ],
)
def test_the_first_line_says_how_lines_end(text: str, newline: str, terminator: str) -> None:
    document = Document(text)

    assert (document.newline, document.terminator) == (newline, terminator)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", ["\n"]),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("a\n\nb", ["a\n", "\n", "b"]),
        ("a\r\nb\rc\n", ["a\r\n", "b\rc\n"]),
        ("a\rb\r", ["a\r", "b\r"]),
        ("a\fb\x85c\u2028d\n", ["a\fb\x85c\u2028d\n"]),
    ],
)
def test_only_line_feeds_end_lines_unless_there_are_none(text: str, lines: list[str]) -> None:
    document = Document(text)

    assert document.line_count == len(lines)
    assert split_lines(text, document.terminator) == lines
    assert [document.line(number + 1) for number in range(len(lines))] == [*map(chop, lines)]


def test_an_offset_is_on_a_line() -> None:
    document = Document("ab\nc\n")

    assert [document.line_at(offset) for offset in range(6)] == [1, 1, 1, 2, 2, 2]
    assert document.span_of_lines(2, 2) == (3, 5)
    assert [document.line_at(offset) for offset in range(6)] == [1, 1, 1, 2, 2, 2]
    assert document.span_of_lines(1, 9) == (0, 5)


@pytest.mark.parametrize(
    ("line", "body"), [("a\r\n", "a"), ("a\n", "a"), ("a\r", "a"), ("a", "a"), ("", "")]
)
def test_a_line_is_chopped_of_one_end(line: str, body: str) -> None:
    assert chop(line) == body


def test_bytes_that_are_no_characters_are_shown_as_such() -> None:
    assert shown("a") == "a"
    assert shown("é\udcff") == "é\ufffd"


def test_a_span_touches_the_lines_from_its_first_character_to_its_last() -> None:
    document = Document("one\ntwo\nthree\n")

    assert document.lines_of((0, 4)) == (1, 1)
    assert document.lines_of((2, 5)) == (1, 2)
    assert document.lines_of((4, 4)) == (2, 2)
    assert document.lines_of((4, len(document.text))) == (2, 3)


def test_a_lone_carriage_return_is_read_as_a_line_end_in_place() -> None:
    assert plain_lines("a\rb\r\nc\n") == "a\nb\r\nc\n"
    assert plain_lines("a\r\nb\n") == "a\r\nb\n"
