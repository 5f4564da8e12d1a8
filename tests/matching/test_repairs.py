import pytest

from keyhole.matching.query import Quote
from keyhole.matching.repairs import (
    Repair,
    blank_edges,
    entities,
    escapes,
    fences,
    line_numbers,
    repairs,
    stored_lines,
)

NUMBERS = "line numbers were taken off the quoted text"
ESCAPES = "doubled escapes were undone"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("3\ta\n4\tb", "x", [("a\nb", "x", False)]),
        ("3| a\n4| b", "3| x", [("a\nb", "x", True), (" a\n b", " x", True)]),
        ("3|a\n4| b", "x", [("a\n b", "x", False)]),
        ("  9: a\n 10: b\n", None, [("a\nb\n", None, False), (" a\n b\n", None, False)]),
        ("7→a", "7→x", [("a", "x", True)]),
        ("3 | a\n4 |", "x", [("a\n", "x", False), (" a\n", "x", False)]),
    ],
)
def test_numbers_of_every_line_are_taken_off(
    old: str, new: str | None, found: list[tuple[str, str | None, bool]]
) -> None:
    line = int(old.split(maxsplit=1)[0].rstrip("\t|:→a"))
    expected = [
        Repair(NUMBERS, Quote(a, b), may_shift=shift, line=line, moves=":" not in old)
        for a, b, shift in found
    ]

    assert [*line_numbers(Quote(old, new))] == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3| a\nb", "x"),
        ("3| a\n5| b", "x"),
        ("3| a\n4| b", "3| a\nx"),
        ("a", "x"),
        ("9" * 5000 + ": a", "x"),
    ],
)
def test_other_numbers_are_content(old: str, new: str) -> None:
    assert [*line_numbers(Quote(old, new))] == []


@pytest.mark.parametrize(
    ("old", "new", "quote"),
    [
        ("```py\na\nb\n```", "```py\nc\n```", Quote("a\nb", "c")),
        ("\n~~~\na\n~~~\n", "c", Quote("a", "c")),
        ("````\n```\na\n```\n````", None, Quote("```\na\n```", None)),
    ],
)
def test_a_fence_is_taken_off(old: str, new: str | None, quote: Quote) -> None:
    assert [repair.quote for repair in fences(Quote(old, new))] == [quote]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("```\na", "b"),
        ("```\na\n```", "a\n```"),
        ("```sh\na\n```", "```bash\na\n```"),
        ("```sh\na\n```\n```", "```sh\nb\n```\n```"),
        ("```sh\na\n```", "```sh\na\n```\n\n```sh\nb\n```"),
    ],
)
def test_a_fence_that_is_not_around_both_texts_is_content(old: str, new: str) -> None:
    assert [*fences(Quote(old, new))] == []


@pytest.mark.parametrize(
    ("old", "new", "quotes"),
    [
        ("a\\nb", "c\\nd", [Quote("a\nb", "c\nd"), Quote("a\nb", "c\nd")]),
        ("a\\nb", "c\nd", [Quote("a\nb", "c\nd"), Quote("a\nb", "c\nd")]),
        ("a\\tb", None, [Quote("a\tb", None)]),
        (
            'a\\n\\"b\\"',
            'a\\n\\"c\\"',
            [Quote('a\n\\"b\\"', 'a\n\\"c\\"'), Quote('a\n"b"', 'a\n"c"')],
        ),
        ("a\\nb", 'a\\n\\"c\\"', [Quote("a\nb", 'a\n"c"')]),
        ("a\\tb", "a\\tb\n#\\tc", [Quote("a\tb", "a\tb\n#\\tc")]),
        ("\\tb", "\\tb\n\\t\\tc\\td", [Quote("\tb", "\tb\n\t\tc\\td")]),
        ("a\\q", "b", []),
        ("a\nb\\n", "c", []),
        ("ab", "c\\n", []),
    ],
)
def test_doubled_escapes_are_undone(old: str, new: str | None, quotes: list[Quote]) -> None:
    assert [*escapes(Quote(old, new))] == [Repair(ESCAPES, q, inline=True) for q in quotes]


def test_entities_are_undone() -> None:
    (repair,) = entities(Quote("a &lt; b &amp;&amp; &quot;c&#39;", "&gt;&apos;"))

    assert repair == Repair("HTML entities were undone", Quote("a < b && \"c'", ">'"), inline=True)
    assert [repair.quote for repair in entities(Quote("&lt;"))] == [Quote("<")]
    assert [*entities(Quote("a & b", "&lt;"))] == []


@pytest.mark.parametrize(
    ("old", "new", "quote"),
    [
        ("\na", "\nb", Quote("a", "b")),
        ("\n\n\na\n\n", "b", Quote("\na", "b")),
        ("a\n\n\n", "b\n\n", Quote("a\n", "b")),
        ("a\n", "b\n", Quote("a", "b")),
        ("a\nb\n", "c\n", Quote("a\nb", "c")),
        ("\n\n", "\n", Quote("", "")),
        (" \na", None, Quote("a", None)),
    ],
)
def test_blank_edges_are_left_aside(old: str, new: str | None, quote: Quote) -> None:
    assert [repair.quote for repair in blank_edges(Quote(old, new))] == [quote]


def test_a_quote_without_damage_has_no_repairs() -> None:
    assert [*repairs(Quote("a\nb", "c\n"))] == []


@pytest.mark.parametrize(
    ("old", "new", "quote"),
    [
        ("a\\tb\nc", "a\\tb\nd", Quote("a\tb\nc", "a\tb\nd")),
        ("a\n\\tb\\t", None, Quote("a\n\tb\t", None)),
        ("a\nsay('\\t')", "b\nsay('\\t')", Quote("a\nsay('\t')", "b\nsay('\t')")),
        # Every quotation mark has its backslash: all escapes were doubled but those of line ends.
        ("a\n\\tb", 'a\n\\tb(\\"c\\")', Quote("a\n\tb", 'a\n\tb("c")')),
        ('a\n\\tb(\\"c\\")', "a\n\\td", Quote('a\n\tb("c")', "a\n\td")),
        ('a\nb(\\"c\\")', 'a\nd(\\"e\\\\t\\\\n\\")', Quote('a\nb("c")', 'a\nd("e\\t\\n")')),
        ("a\n\\tb", '\\tb(\\"c\\")', Quote("a\n\tb", '\tb("c")')),
        # One mark without a backslash: the others' backslashes are meant.
        ("a\n\\tb", 'a\n\\tb("c\\"")', Quote("a\n\tb", 'a\n\tb("c\\"")')),
    ],
)
def test_tabs_written_out_in_lines_are_undone(old: str, new: str | None, quote: Quote) -> None:
    assert [*escapes(Quote(old, new))] == [Repair(ESCAPES, quote)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\\\\t", "c"),
        ("a\nb\\tc", 'a\nb = "\\t"'),
        ("a\nb\\d", "c"),
        # The end of a line came as such and as `\n`: nobody knows what this one means.
        ("a\n\\tb", 'a\n\\tb(\\"c\\n\\")'),
        ("a\n\\tb", 'a\n\\tb(\\"c\\d\\")'),
        ('a\nb(\\"c\\")', 'a\nb("d")'),
    ],
)
def test_backslashes_that_may_be_meant_stay(old: str, new: str) -> None:
    assert [*escapes(Quote(old, new))] == []


JSON = "the JSON of the notebook was read as its text"


@pytest.mark.parametrize(
    ("old", "new", "quote", "inline"),
    [
        ('  "a = \\"\\u00e9\\"\\n",', '"b\\n"', Quote('a = "é"', "b"), False),
        ('"a\\n",\n"\\n",\n"b"', '"a\\n",\n\n"c"', Quote("a\n\nb", "a\nc"), False),
        ('"a\\n",', "", Quote("a\n", ""), False),
        ('p(\\"a\\\\n\\")', 'p(\\"b\\")\nq', Quote('p("a\\n")', 'p("b")\nq'), True),
        ('p(\\"a\\")', None, Quote('p("a")', None), True),
    ],
)
def test_the_json_of_a_notebook_is_read(
    old: str, new: str | None, quote: Quote, *, inline: bool
) -> None:
    assert [*stored_lines(Quote(old, new))] == [Repair(JSON, quote, inline=inline)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = 1", "b"),
        ("a\\nb", "c"),
        ('"a\\n",\nb', '"c\\n"'),
        ('"a\\n",', "b"),
        ('p(\\"a\\")', 'p("b")'),
        ('p(\\"a\\")', "p('\\d')"),
    ],
)
def test_what_is_no_json_in_both_texts_is_left_alone(old: str, new: str) -> None:
    assert [*stored_lines(Quote(old, new))] == []
