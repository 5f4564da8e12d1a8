"""What work will cost is told before it is done, and never too little."""

from collections.abc import Sequence

import pytest
from jinja2 import Environment

from keyhole.templates.metering import numbers, of_call, of_filter, of_operator, size, weight

TEXT = "one\ttwo\tthree"


@pytest.mark.parametrize(
    ("on", "name", "args"),
    [
        (TEXT, "replace", ("t", "long")),
        (TEXT, "replace", ()),
        (b"aba", "replace", (b"a", b"xyz")),
        (TEXT, "replace", (1, 2)),
        (TEXT, "center", (90,)),
        (TEXT, "zfill", (-1,)),
        (TEXT, "expandtabs", ()),
        (b"\t\t", "expandtabs", (40,)),
        ("--", "join", (["a", "b", "c"],)),
        ("--", "join", ()),
        (TEXT, "translate", ({ord("t"): "a long text"},)),
        (TEXT, "translate", ()),
        ("{:>40}{}", "format", ("a", "b")),
        (TEXT, "upper", ()),
        ([1, 2, 3], "copy", ()),
    ],
)
def test_a_method_makes_no_more_than_was_told(
    on: str | bytes | list[object], name: str, args: Sequence[object]
) -> None:
    told = of_call(name, on, args, {})
    try:
        made = getattr(on, name)(*args)
    except TypeError:  # it fails, and costs nothing
        made = ""

    assert told >= len(made)


@pytest.mark.parametrize(
    ("value", "name", "args"),
    [
        ("a b a", "replace", ("a", "xyz")),
        (121, "replace", ("1", "xyz")),
        ("a\nb", "indent", (8, True)),
        ("a\nb", "indent", ("--------", True)),
        ("a\nb", "indent", ()),
        ("a", "center", (50,)),
        (["a", "b"], "join", ("--",)),
        (7, "format", ()),
        ("%40s", "format", ("a",)),
        ("some longer words", "wordwrap", (4,)),
        ("some longer words", "wordwrap", (4, True, "<br>")),
        ("<b>x</b>", "striptags", ()),
        ([1, 2], "sum", ()),
        ("<&>" * 9, "escape", ()),
        ({"a": [1, {"b": 2}]}, "tojson", (4,)),
        ("abc", "upper", ()),
        ("", "default", ("x",)),
    ],
)
def test_a_filter_makes_no_more_than_was_told(
    value: object, name: str, args: Sequence[object]
) -> None:
    told = of_filter(name, value, args, {})

    made = Environment(autoescape=False).call_filter(name, value, list(args))

    assert told >= len(str(made)) or name == "default"


@pytest.mark.parametrize(("name", "args"), [("batch", (40, "x")), ("slice", (40,)), ("sort", ())])
def test_a_list_that_is_dealt_out_counts_with_what_fills_it(
    name: str, args: Sequence[object]
) -> None:
    made = list(Environment().call_filter(name, [3, 1, 2], list(args)))

    assert of_filter(name, [3, 1, 2], args, {}) >= size(made)


def test_lists_that_are_added_up_are_copied_each_time() -> None:
    lists = [["a" * 10]] * 20

    assert of_filter("sum", lists, (), {}) > 20 * 200
    assert of_filter("sum", {}, (), {}) == weight({})


@pytest.mark.parametrize(
    ("left", "operator", "right", "made"),
    [
        ("ab", "*", 50, "ab" * 50),
        (50, "*", "ab", "ab" * 50),
        (["a"], "*", 5, ["a"] * 5),
        ("%s%s", "%", ("a" * 30, "b"), "a" * 30 + "b"),
        ("ab", "+", "cd", "abcd"),
        (3, "*", 4, ()),
    ],
)
def test_an_operator_makes_no_more_than_was_told(
    left: object, operator: str, right: object, made: Sequence[object]
) -> None:
    assert of_operator(operator, left, right) >= len(made)


def test_a_power_has_as_many_digits_as_are_told() -> None:
    assert of_operator("**", 10, 100) >= (10**100).bit_length()


def test_numbers_anywhere_in_a_value_may_be_widths() -> None:
    assert list(numbers({"a": [1, (2, "x")], "b": 3})) == [1, 2, 3]


def test_filler_text_costs_its_words() -> None:
    assert of_call("lipsum", None, (), {"n": 2, "max": 10}) == 160


def test_what_stands_in_several_places_counts_in_each_and_what_holds_itself_once() -> None:
    inner = ["a" * 100]
    loop: list[object] = []
    loop.append(loop)

    assert weight([inner, inner]) > 200
    assert weight(loop) < 100
    assert (weight(None), size(None), size(255), weight(b"abc")) == (8, 1, 8, 3)
