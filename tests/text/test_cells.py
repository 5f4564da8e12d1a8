import json

import pytest

from keyhole.text.cells import Spelling, respelled

DENSE = Spelling(between=",")


def changed(source: str, old: str, new: str) -> str:
    text = json.loads(source)
    text = text if isinstance(text, str) else "".join(text)
    assert text.count(old) == 1
    return respelled(source, (0, len(source)), text.replace(old, new), DENSE)


@pytest.mark.parametrize(
    ("source", "old", "new", "then"),
    [
        ('["a = 1\u2028","b\\r","c"]', "c", "d\ne", '["a = 1\u2028","b\\r","d\\n","e"]'),
        ('["a","\\nb ="," 2\\nc\\n","d"]', "d", "e", '["a","\\nb ="," 2\\nc\\n","e"]'),
        ('["a\\n","b\\n","c"]', "a\nb", "ab", '["ab\\n","c"]'),
        ('["a\\n","b"]', "b", "b\nc", '["a\\n","b\\n","c"]'),
        ('["a\\n","b"]', "\nb", "", '["a"]'),
        ('["a"]', "a", "", "[]"),
        ('["\\u0061\\/\\n","b"]', "b", "é", '["\\u0061\\/\\n","é"]'),
        ('"a\\nb"', "b", "c\nd", '"a\\nc\\nd"'),
    ],
)
def test_a_list_keeps_its_strings_and_new_lines_are_strings(
    source: str, old: str, new: str, then: str
) -> None:
    assert changed(source, old, new) == then


def test_half_a_character_is_escaped() -> None:
    halves = "\ud83d \udc80\n"
    made = Spelling().source(halves)

    assert made.isascii()
    assert json.loads(made) == [halves]
