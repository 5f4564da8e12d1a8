"""A prefilter leaves out no file that holds what is looked for."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.engine.prefilter import Prefilter, name_filter, regex_filter, text_filter
from keyhole.matching.regex import starts
from keyhole.matching.view import View, plain_newlines
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from tests.segments.code.test_code_outline import CASES, blocks

_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-16-le")
_TEXT = st.text("ab\n\ré€\udc80 ", max_size=12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_every_address_passes_in_its_own_file(case: Path) -> None:
    path, document, _, _ = blocks(case)
    data = document.to_bytes()
    addresses = [each.address for each in outline(path, document).segments]
    queries = [*addresses, *(address.upper() for address in addresses)]

    assert [each for each in queries if not _passes(name_filter(each), path, data)] == []


@given(text=_TEXT, query=_TEXT.filter(bool), encoding=st.sampled_from(_ENCODINGS))
def test_a_file_that_holds_a_text_passes(text: str, query: str, encoding: str) -> None:
    data = text.encode(encoding, "ignore")
    for head in (b"", b"# coding: utf-16-le\n", b"#\n# coding: latin-1\n"):
        view = View(Document.from_bytes(head + data))
        holds = plain_newlines(query) in view.flat

        assert not holds or _passes(text_filter(query), "a.txt", head + data)


@given(
    text=_TEXT,
    pattern=st.sampled_from(["a$", "^b", "a.b", "é", "[^a]b", "\\s$", "x*", "."]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe"]),
)
def test_a_file_that_holds_a_match_passes(text: str, pattern: str, mark: bytes) -> None:
    data = mark + text.encode("utf-8", "surrogateescape")
    holds = any(starts(pattern, View(Document.from_bytes(data)).flat))

    assert not holds or _passes(regex_filter(pattern), "a.txt", data)


def test_files_without_the_text_do_not_pass() -> None:
    assert not _passes(text_filter("needle"), "a.txt", b"hay\n")
    assert not _passes(regex_filter("ne+dle"), "a.txt", b"hay\n")
    assert not _passes(name_filter("Needle.run"), "a.py", b"def needle(): pass\n")
    assert not _passes(name_filter("needle"), "a.md", b"# Hay\n")


def test_names_that_no_file_spells_out_are_looked_for_everywhere() -> None:
    assert name_filter("imports") is None
    assert text_filter("\n") is None
    assert _passes(name_filter("naive"), "a.json", b'{"n\\u0061ive": 1}')


def _passes(prefilter: Prefilter | None, path: str, data: bytes) -> bool:
    return prefilter is None or prefilter(path, data)
