from pathlib import Path

import pytest

from keyhole.refusals import Refused
from keyhole.surfaces.typed import check


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("query", 5, "`query` is 5; it is text"),
        ("query", None, "`query` is None; it is text"),
        ("task", "\ud83d", r"`task` is '\ud83d'; it is text"),
        ("path", b"a.txt", "`path` is b'a.txt'; it is a path"),
        ("root", "a\0b", r"`root` is 'a\x00b'; it is a path"),
        ("regex", 1, "`regex` is 1; it is true or false"),
        ("limit", -1, "`limit` is -1; it is a whole number from 0"),
        ("limit", True, "`limit` is True; it is a whole number from 0"),
        ("kinds", "method", "`kinds` is 'method'; it is a collection of texts"),
        ("kinds", [1], "`kinds` is [1]; it is a collection of texts"),
        ("kinds", 7, "`kinds` is 7; it is a collection of texts"),
        ("variables", {1: 2}, "`variables` is {1: 2}; it is an object"),
        ("patch", 5, "`patch` is 5; it is text or bytes"),
    ],
)
def test_what_is_of_another_type_is_refused_by_name(name: str, value: object, said: str) -> None:
    with pytest.raises(Refused) as error:
        check(**{name: value})

    [refusal] = error.value.refusals
    assert (refusal.code, refusal.headline, refusal.data) == ("bad-request", said, {"field": name})


def test_every_argument_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(Refused) as error:
        check("edit", transaction=5, edit=None, task="t", to=())

    assert [refusal.data["field"] for refusal in error.value.refusals] == ["transaction", "to"]


def test_what_is_as_it_should_be_passes() -> None:
    check("edit", path=Path("a"), root="caf\udce9", regex=True, limit=0, kinds=(), edit=None)
    check(variables={"a": [1]}, patch=b"@@", query="é")
