"""Laws of outlines, in every language: lawful spans, own addresses, and nothing made up."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keyhole.segments.addresses import find_segment
from keyhole.segments.languages.table import LANGUAGES
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from tests.segments.reading import assert_lawful

CASES = sorted((Path(__file__).parent.parent / "cases" / "outlines").glob("*.md"))
SOURCES = {
    found["path"]: found["body"]
    for case in CASES
    if (found := re.search(r"^~~~\w+ (?P<path>\S+)\n(?P<body>(?s:.*?))^~~~$",
                           case.read_text(encoding="utf-8"), re.MULTILINE))
}  # fmt: skip
EXTENSIONS = sorted({row.extensions[0] for row in LANGUAGES.values()} | {"py", "md", "toml"})
_SIGNS = "(){}[]<>:;,.=\"'`#@*-/\\\n\r\t \x0b\x0cé😀\ud800\x00ab1_"


@given(st.sampled_from(EXTENSIONS), st.text(st.sampled_from(_SIGNS), max_size=60))
@example("py", "'''\n\\\n'''\ndef f():")
def test_any_text_in_any_language_has_a_lawful_outline(extension: str, text: str) -> None:
    outlined = outline(f"a.{extension}", Document(text))

    assert_lawful(outlined, text)
    assert all(first <= last for first, last in outlined.unreadable)


@given(st.sampled_from(sorted(SOURCES)), st.randoms(use_true_random=False))
def test_a_source_with_its_lines_mixed_up_has_a_lawful_outline(
    path: str, dice: random.Random
) -> None:
    lines = SOURCES[path].split("\n")
    lines = [dice.choice(lines) for _ in range(dice.randint(0, len(lines)))]
    text = dice.choice(["\n", "\r\n"]).join(lines)

    outlined = outline(path, Document(text))

    assert_lawful(outlined, text)
    for segment in outlined.segments:
        assert find_segment(outlined, segment.address, Document(text)) is segment


@given(st.sampled_from(sorted(SOURCES)), st.data())
def test_a_sign_lost_or_won_sends_no_address_to_another_place(
    path: str, data: st.DataObject
) -> None:
    """A file broken in one place still has, at each address it keeps, the same declaration.

    What stands around it may count as its own or not: a comment above, a semicolon behind.
    """
    text = SOURCES[path]
    signs = [at for at, sign in enumerate(text) if sign in "()[]{}'\":;,"]
    at = data.draw(st.sampled_from(signs))
    won = data.draw(st.sampled_from(["", "(", ")", "{", "}", "[", "]", '"', "'"]))
    changed = text[:at] + won + text[at + (not won) :]
    before, after = outline(path, Document(text)), outline(path, Document(changed))

    for address in before.by_address.keys() & after.by_address.keys():
        old, new = before.by_address[address], after.by_address[address]
        is_away = at < _line_start(text, old.span[0]) - 1 or at > old.span[1]
        # Numbers count what is left, so that they may move on.
        if is_away and not re.search(r"#\d|(?:^|\.)\d+(?:\.|$)", address):
            was, now = text[slice(*old.span)].strip(), changed[slice(*new.span)].strip()
            assert was in now or now in was


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def test_the_laws_have_sources_in_every_language() -> None:
    assert len(SOURCES) >= 30
    assert len(EXTENSIONS) >= 30


def test_the_law_of_spans_catches_a_planted_fault() -> None:
    text = "def f():\n    pass\n"
    sound = outline("a.py", Document(text))

    with pytest.raises(AssertionError):
        assert_lawful(sound, text[:-1])
