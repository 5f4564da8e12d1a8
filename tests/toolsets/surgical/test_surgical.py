import pytest

from keyhole.edits.model.operations import Edit, LineRange
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.surgical.tools import edit_of, explained, insertion, refused


@pytest.mark.parametrize(
    ("said", "meant"), [(None, "first"), (1, "first"), (2, 2), (-1, "last"), (0, "all")]
)
def test_an_occurrence_is_a_number(said: object, meant: object) -> None:
    given = {"path": "a", "old_content": "x", "new_content": "y", "occurrence": said}

    assert edit_of(given).occurrence == meant


def test_what_stands_to_the_character_is_replaced_to_the_character() -> None:
    given = {"path": "a", "old_content": "x", "new_content": "y"}

    assert edit_of(given) == Edit(
        path="a", find="x", content="y", occurrence="first", verbatim=True
    )


@pytest.mark.parametrize(
    ("line", "place"),
    [(0, LineRange(0, 0)), (7, LineRange(7, 7)), (-1, LineRange(-1, -1))],
)
def test_a_line_is_a_place_to_insert_behind(line: int, place: LineRange) -> None:
    found = insertion({"path": "a", "line": line, "content": "x"})

    assert (found.lines, found.action, found.indent) == (place, "after", "keep")


def test_an_insertion_needs_its_line() -> None:
    with pytest.raises(Refused) as caught:
        insertion({"path": "a", "content": "x"})

    assert caught.value.refusals[0].headline == "`line` is missing"


def test_refusals_of_other_kinds_stay_as_they_are() -> None:
    refusal = Refusal(
        "syntax-broken", say("{content} breaks it"), help="mend it", hash_current="00"
    )

    (said,) = explained([refusal], {"old_content": "x"})

    assert refused([said]) == {
        "success": False,
        "error": "`new_content` breaks it\nmend it",
        "code": "syntax-broken",
        "hash": "00",
    }
