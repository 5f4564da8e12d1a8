from pathlib import Path

import pytest

from keyhole import arguments
from keyhole.refusals import Refused


def refused(error: pytest.ExceptionInfo[Refused]) -> list[tuple[str, object]]:
    return [(one.headline, one.data["field"]) for one in error.value.refusals]


def test_every_unknown_argument_is_named_with_those_there_are() -> None:
    with pytest.raises(Refused) as error:
        arguments.check_names({"path": 1, "pth": 2, "colour": 3}, ("path", "lines"), "read")

    assert refused(error) == [
        ("unknown argument `pth`", "pth"),
        ("unknown argument `colour`", "colour"),
    ]
    assert error.value.refusals[0].help == "read has path, lines"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{]", "Expecting property name enclosed in double quotes at line 1, column 2"),
        ("9" * 5000, "a number has too many digits"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
    ids=["cut", "digits", "deep"],
)
def test_json_that_cannot_be_read_says_why_in_words(body: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        arguments.from_json(body)


def test_what_is_not_given_has_its_default() -> None:
    assert arguments.text({}, "path") == ""
    assert arguments.number({"limit": None}, "limit", 7) == 7
    assert arguments.flag({}, "numbered", default=True)
    assert arguments.texts({}, "kinds") == ()
    assert arguments.detail({}) == ""


@pytest.mark.parametrize("value", [-1, 1.5, "3", True, 10**30, [1]], ids=str)
def test_a_number_is_whole_and_not_negative(value: object) -> None:
    with pytest.raises(Refused) as error:
        arguments.number({"limit": value}, "limit", 0)

    [(headline, field)] = refused(error)
    assert field == "limit"
    assert headline.endswith("; it is a whole number from 0")


@pytest.mark.parametrize("value", ["class", [1], {"a": 1}], ids=str)
def test_a_list_of_texts_holds_only_texts(value: object) -> None:
    with pytest.raises(Refused) as error:
        arguments.texts({"kinds": value}, "kinds")

    assert refused(error) == [(f"`kinds` is {value!r}; it is a list of texts", "kinds")]


def test_a_long_value_is_cut_in_its_refusal() -> None:
    with pytest.raises(Refused) as error:
        arguments.text({"path": ["x" * 500]}, "path")

    assert len(refused(error)[0][0]) < 120


def test_what_is_required_may_be_empty_but_not_left_out() -> None:
    assert arguments.required({"query": ""}, "query") == ""
    with pytest.raises(Refused) as error:
        arguments.required({}, "query")

    assert refused(error) == [("`query` is missing", "query")]


def test_a_whole_number_may_be_below_zero_where_that_means_something() -> None:
    assert arguments.integer({"line": -1}, "line", 0) == -1
    assert arguments.integer({}, "line", 7) == 7
    with pytest.raises(Refused) as error:
        arguments.integer({"line": "3"}, "line", 0)

    assert refused(error) == [("`line` is '3'; it is a whole number", "line")]


@pytest.mark.parametrize("value", [None, {}, "x", ["x"], []], ids=str)
def test_a_list_of_objects_has_at_least_one(value: object) -> None:
    with pytest.raises(Refused) as error:
        arguments.objects({"edits": value}, "edits")

    [(_, field)] = refused(error)
    assert field == "edits"


def test_more_edits_than_a_call_may_have_are_refused_before_they_are_read() -> None:
    with pytest.raises(Refused) as error:
        arguments.edits({"edits": [None] * 10_001})

    (refusal,) = error.value.refusals
    assert refusal.code == "too-large"
    assert refusal.headline == "`edits` has 10001 edits; the most is 10000"


def test_a_list_of_another_interface_has_the_same_limit() -> None:
    with pytest.raises(Refused) as error:
        arguments.objects({"line_edits": [{}] * 10_001}, "line_edits")

    (refusal,) = error.value.refusals
    assert refusal.code == "too-large"
    assert refusal.headline == "`line_edits` has 10001 edits; the most is 10000"


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
        (
            "limit",
            10**30,
            "`limit` is a number with too many digits; it is a whole number from 0",
        ),
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
        arguments.check_call(**{name: value})

    [refusal] = error.value.refusals
    assert (refusal.code, refusal.headline, refusal.data) == ("bad-request", said, {"field": name})


def test_every_argument_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(Refused) as error:
        arguments.check_call("edit", transaction=5, edit=None, task="t", to=())

    assert [refusal.data["field"] for refusal in error.value.refusals] == ["transaction", "to"]


def test_what_is_as_it_should_be_passes() -> None:
    arguments.check_call(
        "edit", path=Path("a"), root="caf\udce9", regex=True, limit=0, kinds=(), edit=None
    )
    arguments.check_call(variables={"a": [1]}, patch=b"@@", query="é")
