"""What the tests of this room say again and again: read a text, look a name up, show what is."""

from pathlib import Path

import pytest

from keyhole.refusals import Refusal, Refused
from keyhole.segments.addresses import find_segment
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document


def document(text: str) -> Document:
    return Document.from_bytes(text.encode("utf-8", "surrogateescape"))


def read(path: str, text: str) -> Outline:
    return outline(path, document(text))


def addresses(path: str, text: str) -> list[str]:
    return [segment.address for segment in read(path, text).segments]


def lines(path: str, text: str) -> dict[str, tuple[int, int]]:
    return {
        segment.address: document(text).lines_of(segment.span)
        for segment in read(path, text).segments
    }


def found(path: str, text: str, address: str) -> str:
    """The canonical address that a spelling finds."""
    return segment(path, text, address).address


def segment(path: str, text: str, address: str) -> Segment:
    return find_segment(read(path, text), address, document(text))


def whole(path: str, text: str, address: str) -> str:
    return text[slice(*segment(path, text, address).span)]


def part(path: str, text: str, address: str, name: str) -> str:
    return text[slice(*segment(path, text, address).parts[name])]


def refusal(path: str, text: str, address: str) -> Refusal:
    with pytest.raises(Refused) as refused:
        segment(path, text, address)
    return refused.value.refusals[0]


def sample(name: str) -> str:
    return (Path(__file__).parent.parent / "cases" / "outlines" / name).read_text(encoding="utf-8")


def assert_lawful(outlined: Outline, text: str) -> None:
    """Spans nest and none cross, parts lie inside, addresses are unique and parents exist."""
    assert len(outlined.by_address) == len(outlined.segments)
    enclosing: list[Segment] = []
    for one in outlined.segments:
        start, end = one.span
        assert 0 <= start < end <= len(text)
        assert text[start:end].strip(" \t\r\n")
        while enclosing and enclosing[-1].span[1] <= start:
            enclosing.pop()
        assert not enclosing or end <= enclosing[-1].span[1]
        enclosing.append(one)
        assert one.parent == "" or one.parent in outlined.by_address
        for name, (first, last) in one.parts.items():
            assert first <= last
            assert name == "separator" or (start <= first and last <= end)
