import pytest

from keyhole.edits.model.operations import Edit, LineRange, WriteFile
from keyhole.refusals import Refusal, Refused


def bad(**fields: object) -> Refusal:
    with pytest.raises(Refused) as refused:
        Edit.of(fields)
    (refusal,) = refused.value.refusals
    assert refusal.code == "bad-request"
    return refusal


def test_an_edit_needs_little() -> None:
    edit = Edit.of({"find": "a", "content": "b", "reason": None})

    assert edit == Edit(find="a", content="b")
    assert (edit.action, edit.match, edit.occurrence, edit.indent) == (
        "replace",
        "tolerant",
        "unique",
        "auto",
    )


@pytest.mark.parametrize(
    ("name", "close"),
    [
        *(("contnet", "content"), ("occurence", "occurrence"), ("segment_name", "segment")),
        *(("anchor", ""), ("target", ""), ("xyzzy", ""), ("a\nb", "")),
    ],
)
def test_an_unknown_field_is_refused_by_name(name: str, close: str) -> None:
    refusal = bad(find="a", **{name: "b"})

    assert refusal.headline == f"unknown field `{name}`".replace("\n", "\\n")
    assert refusal.suggestions == ((close,) if close else ())
    assert refusal.help.startswith(
        f"did you mean `{close}`? an edit" if close else "an edit has path"
    )
    assert refusal.data == {"field": name}


def test_what_is_no_object_is_no_edit() -> None:
    with pytest.raises(Refused) as refused:
        Edit.of(["find"])  # type: ignore[arg-type]

    assert refused.value.refusals[0].headline == "`edits` must hold objects, one an edit"


@pytest.mark.parametrize(
    ("fields", "headline"),
    [
        ({"find": 3}, "`find` is int; it is text"),
        ({"content": ["a"]}, "`content` is list; it is text"),
        ({"find": ""}, "`find` is empty"),
        ({"find": "a", "until": ""}, "`until` is empty"),
        ({"segment": ""}, "`segment` is empty"),
        ({"pattern": ""}, "`pattern` is empty"),
        ({"accept": ""}, "`accept` is empty"),
        ({"find": "a\ud800"}, "`find` holds half of a surrogate pair, U+D800 at character 1"),
        ({"reason": "\udcff"}, "`reason` holds half of a surrogate pair, U+DCFF at character 0"),
        ({"find": "a", "regex": "yes"}, "`regex` is 'yes'; it is true or false"),
        (
            {"find": "a", "action": "swap"},
            (
                "`action` is 'swap'; it is one of replace, before, after, prepend, append, delete, "
                "move"
            ),
        ),
        (
            {"segment": "a", "part": "tail"},
            "`part` is 'tail'; it is one of whole, body, signature, doc, decorators, heading",
        ),
        ({"find": "a", "match": "fuzzy"}, "`match` is 'fuzzy'; it is one of tolerant, exact"),
        ({"match": "f" * 99}, f"`match` is '{'f' * 79}...; it is one of tolerant, exact"),
    ],
)
def test_a_malformed_field_is_refused_by_name(fields: dict[str, object], headline: str) -> None:
    refusal = bad(**fields)

    assert refusal.headline == headline
    assert refusal.data == {"field": headline.split("`")[1]}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("unique", "unique"),
        ("all", "all"),
        ("first", "first"),
        ("last", "last"),
        (1, 1),
        ("2", 2),
        (-1, "last"),
        ("-1", "last"),
    ],
)
def test_an_occurrence_is_a_word_or_a_number(value: object, kept: object) -> None:
    assert Edit.of({"find": "a", "content": "b", "occurrence": value}).occurrence == kept


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (-2, "-2"),
        ("third", "'third'"),
        (True, "True"),
        (1.0, "1.0"),
        ("9" * 20, f"'{'9' * 20}'"),
        pytest.param(10**5000, "a number with too many digits", id="huge"),
    ],
)
def test_any_other_occurrence_is_refused(value: object, said: str) -> None:
    refusal = bad(find="a", content="b", occurrence=value)

    choices = "unique, first, last, all, a number from 1, or -1"
    assert refusal.headline == f"`occurrence` is {said}; it is {choices}"


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (12, LineRange(12, 12)),
        ("12", LineRange(12, 12)),
        (" 12 - 20 ", LineRange(12, 20)),
        ("12-", LineRange(12, 0)),
        ([12, 20], LineRange(12, 20)),
        ((3, 3), LineRange(3, 3)),
        (0, LineRange(0, 0)),
        ("0", LineRange(0, 0)),
        (-1, LineRange(-1, -1)),
        (" -1", LineRange(-1, -1)),
        (LineRange(4), LineRange(4)),
    ],
)
def test_lines_are_numbers_or_a_range(value: object, lines: LineRange) -> None:
    edit = Edit.of({"lines": value, "content": "b"})

    assert edit.lines == lines
    assert lines.is_edge == (lines.first in {0, -1})


@pytest.mark.parametrize(
    ("value", "headline"),
    [
        (
            "x",
            (
                "`lines` is 'x'; it is 12, 12-20, 12-, -40- (the last 40), 0 (before the first) "
                "or -1 (after the last)"
            ),
        ),
        ("5-3", "`lines` is '5-3', a range that runs backwards or starts before line 1"),
        ("0-3", "`lines` is '0-3', a range that runs backwards or starts before line 1"),
        ([3], '`lines` is [3]; it is 12, "12-20", "12-", "-40-" or [12, 20], from 1 on'),
        ([5, 3], '`lines` is [5, 3]; it is 12, "12-20", "12-", "-40-" or [12, 20], from 1 on'),
        ([0, 3], '`lines` is [0, 3]; it is 12, "12-20", "12-", "-40-" or [12, 20], from 1 on'),
        (
            [1, "2"],
            '`lines` is [1, \'2\']; it is 12, "12-20", "12-", "-40-" or [12, 20], from 1 on',
        ),
        (True, '`lines` is True; it is 12, "12-20", "12-", "-40-" or [12, 20], from 1 on'),
        ({}, '`lines` is {}; it is 12, "12-20", "12-", "-40-" or [12, 20], from 1 on'),
    ],
)
def test_other_lines_are_refused(value: object, headline: str) -> None:
    assert bad(lines=value, content="b").headline == headline


@pytest.mark.parametrize("value", ["auto", "keep", 0, 8, 1000])
def test_an_indent_is_a_word_or_columns(value: object) -> None:
    assert Edit.of({"find": "a", "content": "b", "indent": value}).indent == value


@pytest.mark.parametrize("value", ["deep", -1, 1001, True, 2.0])
def test_any_other_indent_is_refused(value: object) -> None:
    headline = f"`indent` is {value!r}; it is auto, keep, or a number of columns up to 1000"

    assert bad(find="a", content="b", indent=value).headline == headline


@pytest.mark.parametrize(
    ("fields", "headline"),
    [
        ({"lines": 1, "until": "a"}, "`until` needs `find` beside it"),
        ({"lines": 1, "regex": True}, "`regex` needs `find` beside it"),
        ({"find": "a", "part": "body"}, "`part` needs `segment` beside it"),
        (
            {"lines": 1, "occurrence": 2},
            "`occurrence` counts places of `find` or `pattern`; there is neither",
        ),
        (
            {"segment": "f", "occurrence": "3"},
            "`occurrence` counts places of `find` or `pattern`; there is neither",
        ),
        ({"find": "a", "until": "b", "regex": True}, "`until` and `regex` do not go together"),
        ({}, "the edit names no place"),
        ({"action": "delete"}, "the edit names no place"),
        ({"accept": "x"}, "`accept` stands for the whole edit; leave out content"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(
    fields: dict[str, object], headline: str
) -> None:
    assert bad(content="c", **fields).headline == headline


@pytest.mark.parametrize(
    ("first", "second"),
    [("find", "pattern"), ("pattern", "lines"), ("pattern", "regex")],
)
def test_one_place_has_one_name(first: str, second: str) -> None:
    values = {"lines": 1, "regex": True}
    fields = {name: values.get(name, "a") for name in (first, second)}

    headline = f"`{second}` and `{first}` both name the place; give one of them"
    assert bad(content="c", **fields).headline == headline


def test_a_quote_may_be_searched_inside_lines_or_a_segment() -> None:
    assert Edit(find="a", lines="1-2", content="b").names_a_place
    assert Edit(find="a", segment="f", content="b").names_a_place
    assert not Edit(action="append", content="b").names_a_place


def test_content_goes_with_everything_but_delete() -> None:
    assert bad(find="a").headline == "`content` is missing"
    assert bad(find="a", content="b", action="delete").headline == (
        "`content` and action delete do not go together"
    )
    assert Edit(find="a", action="delete").content is None
    assert Edit(find="a", action="delete", content="").content == ""
    assert Edit(accept="x").content is None


def test_a_whole_text_is_checked_too() -> None:
    with pytest.raises(Refused):
        WriteFile("a", "\ud800")
    with pytest.raises(Refused):
        WriteFile("a", 3)  # type: ignore[arg-type]
    assert WriteFile("a", "").content == ""


@pytest.mark.parametrize("name", ["kinds", "language", "most", "verbatim"])
def test_what_only_dialects_say_is_no_field_of_a_request(name: str) -> None:
    assert bad(find="a", content="b", **{name: 1}).headline == f"unknown field `{name}`"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"clear_outputs": 1}, "`clear_outputs` is 1; it is true or false"),
        ({"action": "move", "to": "end", "content": "x"}, "action move do not go together"),
    ],
)
def test_what_cells_take_is_checked(fields: dict[str, object], words: str) -> None:
    assert words in bad(segment="cell#1", **fields).headline
