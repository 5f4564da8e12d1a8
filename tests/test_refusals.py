from pathlib import Path

import pytest

from keyhole.refusals import CODES, Candidate, Refusal, Refused

DOCS = Path(__file__).parent.parent / "docs" / "refusals.md"


def test_a_refusal_is_data() -> None:
    refusal = Refusal(
        "not-found",
        "`find` is not in a.py",
        where="line 3",
        help="look again",
        candidates=(Candidate((1, 2), "1| x", "line 1 differs", 0.98765, "abc"),),
        suggestions=("b.py",),
        data={"field": "find"},
    ).at(edit=2, path="a.py", hash_current="00ff")

    assert refusal.as_data() == {
        "code": "not-found",
        "message": "`find` is not in a.py\nline 3",
        "edit": 2,
        "path": "a.py",
        "candidates": [
            {
                "accept": "abc",
                "lines": [1, 2],
                "text": "1| x",
                "differs": "line 1 differs",
                "similarity": 0.988,
            }
        ],
        "suggestions": ["b.py"],
        "hash_current": "00ff",
        "help": "look again",
        "field": "find",
    }


def test_without_a_place_the_message_is_the_headline() -> None:
    assert Refusal("busy", "somebody holds it").as_data()["message"] == "somebody holds it"


def test_a_place_is_filled_in_only_where_it_is_open() -> None:
    refusal = Refusal("stale", "old", edit=0, path="a", hash_current="1")

    assert refusal.at(edit=1, path="b", hash_current="2") == refusal


def test_a_headline_is_one_line() -> None:
    assert Refusal("no-file", "no file a\nb\r").headline == "no file a\\nb\\r"


def test_an_unknown_code_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="BUG: unknown refusal code nope"):
        Refusal("nope", "what")


def test_refused_carries_every_refusal() -> None:
    refusals = (Refusal("busy", "one"), Refusal("stale", "two"))
    refused = Refused(*refusals)

    assert refused.refusals == refusals
    assert str(refused) == "busy: one; stale: two"


def test_every_code_is_a_phrase_of_its_own() -> None:
    assert len(set(CODES.values())) == len(CODES)


def test_every_code_has_a_heading_in_the_docs() -> None:
    text = DOCS.read_text(encoding="utf-8")

    assert [code for code in CODES if f"## `{code}`" not in text and f"## {code}" not in text] == []
