import pytest

from keyhole.edits.by_name.segment_target import no_inside, no_such_part, not_alone
from keyhole.refusals import Refusal
from tests.edits.segment_calls import spot

TEXT = "def f():\n    pass\n"


def test_a_part_that_is_not_there() -> None:
    assert no_such_part(spot("m.py", TEXT, "f", part="doc")) == Refusal(
        "wrong-segment-kind",
        "function `f` has no doc",
        where="its parts: whole, body, signature",
        help="name one of these parts, or edit inside the segment with `find`",
        mend="name one of these parts",
        suggestions=("whole", "body", "signature"),
    )


def test_parts_that_callers_cannot_name_are_not_listed() -> None:
    found = spot("a.json", '{"a": 1, "b": 2}', "a", part="doc")

    assert no_such_part(found).suggestions == ("whole", "body")


def test_no_inside() -> None:
    found = no_inside(spot("m.py", TEXT, "f", part="signature", action="append"))

    assert found.headline == "the signature of function `f` has no inside to append to"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("delete", "the body of function `f` cannot be left empty"),
        ("before", "the body of function `f` shares its line"),
        ("after", "the body of function `f` shares its line"),
    ],
)
def test_no_place(action: str, reason: str) -> None:
    assert no_inside(spot("m.py", TEXT, "f", part="body", action=action)).headline == reason


def test_not_alone() -> None:
    found = not_alone(spot("m.py", TEXT, "f", part="signature"))

    assert found.headline == "the signature of function `f` cannot be deleted alone"
