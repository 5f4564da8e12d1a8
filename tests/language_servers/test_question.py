"""What comes over a line is data: it is a question or a place, or it is refused."""

import pytest

from keyhole.language_servers.question import ServerPlace, SymbolQuestion

QUESTION = SymbolQuestion(
    "python", "a.py", 1, 2, "fetch", {"a.py": ("python", "load\n")}, ("a.py", "b.py")
)
PLACE = ServerPlace("a.py", (1, 2), (1, 6), "fetch")


def test_a_question_and_a_place_come_over_a_line_whole() -> None:
    assert SymbolQuestion.of(QUESTION.as_data()) == QUESTION
    assert ServerPlace.of(["a.py", [1, 2], [1, 6], "fetch"]) == PLACE


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"texts": []}, "a question is none"),
        ({"known": "a.py"}, "a question is none"),
        ({"path": ""}, "a path is none"),
        ({"path": "/a.py"}, "a path is none"),
        ({"known": [1]}, "a path is none"),
        ({"known": ["a\0b"]}, "a path is none"),
        ({"texts": {"a/../../b": ["python", ""]}}, "a path leads out of the root"),
    ],
)
def test_a_question_that_is_none_is_not_asked(part: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        SymbolQuestion.of({**QUESTION.as_data(), **part})


@pytest.mark.parametrize("data", [None, "abcd", 7])
def test_a_place_that_is_none_is_not_taken(data: object) -> None:
    with pytest.raises(ValueError, match="a place is none"):
        ServerPlace.of(data)
