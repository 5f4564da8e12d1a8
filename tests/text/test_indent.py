import pytest

from keyhole.text.indent import (
    IndentStyle,
    columns,
    exchange,
    indent_of,
    is_blank,
    margin,
    reindented,
    rule_between,
    style_of,
)


@pytest.mark.parametrize(
    ("lines", "style"),
    [
        ([], IndentStyle()),
        (["a", "", "   "], IndentStyle()),
        (["a", "\tb", "\t\tc"], IndentStyle("\t", 1)),
        (["a", "  b", "    c", "  d", "    e"], IndentStyle(" ", 2)),
        (["a", "    b", "        c"], IndentStyle(" ", 4)),
        (["a", " b"], IndentStyle(" ", 4)),
        (["    a", "    b"], IndentStyle(" ", 4)),
        (["a", "\tb", "  c", "  d", "      e"], IndentStyle(" ", 4)),
        (["a", "    b", "\tc", "    d"], IndentStyle(" ", 4)),
    ],
)
def test_most_lines_say_the_style(lines: list[str], style: IndentStyle) -> None:
    assert style_of(lines) == style


@pytest.mark.parametrize(
    ("lines", "shared"),
    [
        ([], ""),
        (["", "  "], ""),
        (["  a", "    b", ""], "  "),
        (["\ta", "  b"], ""),
        (["\t a", "\t  b"], "\t "),
        (["a"], ""),
    ],
)
def test_the_margin_is_what_all_lines_share(lines: list[str], shared: str) -> None:
    assert margin(lines) == shared


def test_an_indent_is_blanks_and_tabs() -> None:
    assert indent_of(" \t a ") == " \t "
    assert indent_of("a") == ""
    assert columns("\t  ", 4) == 6
    assert is_blank(" \t\f")
    assert not is_blank(" x")


SPACES, TABS = IndentStyle(" ", 2), IndentStyle("\t", 1)


@pytest.mark.parametrize(
    ("pairs", "style", "indent", "mapped"),
    [
        ([("", "    ")], SPACES, "  ", "      "),
        ([("    ", "")], SPACES, "      ", "  "),
        ([("    ", "")], SPACES, "  ", None),
        ([("  ", "  "), ("", "")], SPACES, "    ", "    "),
        ([("    ", "\t"), ("        ", "\t\t")], TABS, "            ", "\t\t\t"),
        ([("    ", "\t"), ("        ", "\t\t")], TABS, "      ", "\t  "),
        ([("\t", "  "), ("\t\t", "    ")], SPACES, "\t\t\t", "      "),
        ([("", "\t"), ("    ", "\t\t")], TABS, "        ", "\t\t\t"),
        ([("\t\t", "    "), ("\t", "")], IndentStyle(" ", 4), "", None),
        # One pair fits several widths: what they agree on is certain, the rest is not.
        ([("    ", "\t\t\t")], TABS, "    ", "\t\t\t"),
        ([("    ", "\t\t\t")], TABS, "        ", None),
    ],
)
def test_one_rule_maps_every_indent(
    pairs: list[tuple[str, str]], style: IndentStyle, indent: str, mapped: str | None
) -> None:
    rule = rule_between(pairs, style)

    assert rule is not None
    assert [rule(old) for old, _ in pairs] == [new for _, new in pairs]
    assert rule(indent) == mapped


@pytest.mark.parametrize(
    "pairs",
    [
        [("", ""), ("  ", "    ")],
        [("  ", "    "), ("  ", "      ")],
        [("    ", "\t"), ("        ", "\t\t"), ("          ", "\t\t\t")],
    ],
)
def test_what_no_rule_explains_has_none(pairs: list[tuple[str, str]]) -> None:
    assert rule_between(pairs, SPACES) is None


def test_blank_lines_stay_as_they_are() -> None:
    rule = rule_between([("    ", "")], SPACES)

    assert rule is not None
    assert reindented(["    a", "  ", "      b"], rule) == ["a", "  ", "  b"]
    assert reindented(["  a"], rule) is None


def test_blank_lines_are_exchanged_with_the_others() -> None:
    rule = rule_between([("\t", "    ")], SPACES)

    assert rule is not None
    assert reindented(["\ta", "\t", "", "  "], rule) == ["    a", "    ", "", "  "]


@pytest.mark.parametrize(
    ("pairs", "mapped"),
    [
        ([("", ""), ("\t", "  ")], {"\t\t": "    ", " ": " "}),
        ([("  ", "\t"), ("    ", "\t\t")], {"  ": "\t", "   ": "\t "}),
        ([("\t", "    "), ("  ", "  ")], {"\t  ": "      "}),
    ],
)
def test_tabs_and_spaces_are_exchanged(
    pairs: list[tuple[str, str]], mapped: dict[str, str]
) -> None:
    rule = exchange(pairs)

    assert rule is not None
    assert {indent: rule(indent) for indent in mapped} == mapped


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [("  ", "  "), ("\t", "\t")],
        [("\t", "  "), ("\t", "    ")],
        [("\t", "  "), ("\t\t", "        ")],
        [("", "\t")],
    ],
)
def test_nothing_is_exchanged_where_it_is_not_told(pairs: list[tuple[str, str]]) -> None:
    assert exchange(pairs) is None
