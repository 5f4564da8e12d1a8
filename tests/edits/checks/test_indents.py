import pytest

from keyhole.edits.checks.guards import mixed_in_python, tabs_in_yaml


def mixed(before: str, after: str) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in mixed_in_python(before, after, [(0, after)])]


@pytest.mark.parametrize("indent", ["    \t", "\t    ", " \t", "\t "])
def test_tabs_and_spaces_in_one_indent_are_told(indent: str) -> None:
    assert mixed("", f"if x:\n{indent}y\n{indent}z\n") == [(6, 6 + len(indent))]


@pytest.mark.parametrize(
    "after",
    [
        "if x:\n\ty\n\t\tz\n",
        "if x:\n    y\nif z:\n\tw\n",
        "x = '\t  a'\n",
        "if x:\n    \t\n    y\n",
        "if x:\n    \t# a comment\n    y\n",
        "f(a,\n\t  b)\n",
        '"""\n\t  text\n"""\n',
        "x = 1 + \\\n\t  2\n",
    ],
)
def test_only_what_indents_a_statement_counts(after: str) -> None:
    assert mixed("", after) == []


def test_a_file_that_mixes_already_may_go_on() -> None:
    assert mixed("if x:\n\t  y\n", "if x:\n\t  y\n\t  z\n") == []


def test_a_tab_in_the_indent_of_yaml_is_told() -> None:
    after = "a:\n  \tb: 1\n\tc: 2"

    assert [
        (each.start, each.end, each.code) for each in tabs_in_yaml(after, [(3, after[3:])])
    ] == [(3, 6, "bad-indentation")]


def test_yaml_without_tabs_is_fine() -> None:
    assert list(tabs_in_yaml("a:\n  b: 1\t\n", [(0, "a:\n  b: 1\t\n")])) == []
