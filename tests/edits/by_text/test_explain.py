import pytest

from keyhole.edits.by_text.explain import (
    ambiguous,
    blocked,
    lines_as_words,
    no_such_line,
    not_found,
    one_of_many,
    only_blanks,
    written_earlier,
)
from keyhole.matching.ladder import SeveralPlaces
from keyhole.matching.query import Obstacle, Quote
from keyhole.matching.view import View
from keyhole.refusals import Candidate, Refusal
from keyhole.text.document import Document
from tests.edits.calls import read


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([3], "line 3"),
        ([3, 8], "lines 3, 8"),
        ([3, 3, 8], "lines 3 (2 times), 8"),
        ([5, 5], "line 5 (2 times)"),
        ([*range(1, 15)], "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more"),
    ],
)
def test_line_numbers_are_words(numbers: list[int], words: str) -> None:
    assert lines_as_words(numbers) == words


@pytest.mark.parametrize(
    ("rung", "how"),
    [
        ("exact", ""),
        ("whitespace", ", trailing blanks aside"),
        ("blank-lines", ", the length of blank runs aside"),
        ("indentation", ", indentation aside"),
        ("transport", ", after repair of the quoted text"),
    ],
)
def test_places_are_listed_with_how_they_are_alike(rung: str, how: str) -> None:
    found = ambiguous(
        "find", "a.py", Document("x\ny\nx x\n"), SeveralPlaces(rung, ((0, 1), (4, 5), (6, 7)))
    )

    assert found.headline == f"`find` stands at 3 places in a.py{how}"
    assert found.where == "lines 1, 3 (2 times)"
    assert found.candidates == (Candidate((1, 1), "1| x"), Candidate((3, 3), "3| x x"))
    assert found.data == {"lines": [1, 3, 3]}


def test_places_that_were_not_counted_are_more() -> None:
    found = ambiguous(
        "find", "a.py", Document("x\nx\n"), SeveralPlaces("exact", ((0, 1), (2, 3)), more=True)
    )

    assert found.headline == "`find` stands at more than 2 places in a.py"


FILE = "def total(prices):\n    return sum(prices)\n"


def missed(old: str, new: str | None = None, text: str = FILE) -> Refusal:
    view = View(read(text))
    return not_found("find", "a.py", view, Quote(old, new), (0, len(view.flat))).refusal


def test_a_near_miss_is_shown_and_offered() -> None:
    old = "def total(price):\n    return sum(prices)\n"
    found = missed(old, old.replace("sum(prices)", "0"))
    (candidate,) = found.candidates

    assert found.where == "the nearest place is at lines 1-2"
    assert (candidate.lines, candidate.text) == (
        (1, 2),
        "1| def total(prices):\n2|     return sum(prices)",
    )
    assert candidate.differs == "line 1 is `def total(prices):`, quoted as `def total(price):`"
    alone = f'send {{"accept": "{candidate.accept}"}} alone'
    assert found.help == f"if that is the place, {alone}; else quote it as it stands"
    assert missed(old, old.replace("sum(prices)", "0")) == found


@pytest.mark.parametrize(
    ("old", "begins"),
    [
        ("def total(price):\n", "a line the edit changes is not as quoted: quote it"),
        ("-def total(prices):\n+def total(p):\n", "the lines begin with + or -: quote the file's"),
        ("zzz", "read the file and quote the text as it stands there"),
        ("def total(prices):\n    ...\n", "a line that stands for others goes into `find` and"),
    ],
)
def test_the_next_move_is_said(old: str, begins: str) -> None:
    assert missed(old, "x").help.startswith(begins)


def test_a_part_of_a_file_is_said_to_be_one() -> None:
    view = View(read(FILE))
    found = not_found("find", "a.py", view, Quote("zzz", "x"), (0, 5))

    assert found.refusal.headline == "`find` is not in a.py within the named place"
    assert found.offered == ()


def test_an_obstacle_shows_the_place() -> None:
    found = blocked("a.py", Document("one\ntwo\n"), Obstacle("bad-indentation", "no rule", 4, 8))

    assert (found.code, found.where) == ("bad-indentation", "2| two")
    assert found.headline == "the edit cannot be laid onto a.py: no rule"


def test_what_there_is_no_more_to_say_of() -> None:
    assert (
        no_such_line(3, "a", Document("x\n")).headline == "line 3 is out of bounds (a has 1 line)"
    )
    assert only_blanks("until").data == {"field": "until"}
    assert one_of_many("find", "a").refusal.headline == "`find` is not in a"
    assert written_earlier("find", "a").refusal.code == "not-found"
