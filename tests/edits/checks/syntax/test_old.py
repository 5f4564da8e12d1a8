from keyhole.edits.checks.syntax.compare import certain_if_worse, new_among_old
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.text.diff import diff


def new_ones(syntax: str, before: str, after: str) -> list[tuple[str, bool]]:
    found = new_among_old(syntax, before, after, diff(before, after))
    return [(each.message, each.doubtful) for each in found.new]


def test_a_doubt_is_gone_where_brackets_match_worse() -> None:
    doubtful = Problem(0, 1, "x", doubtful=True)

    assert certain_if_worse("c", "f();", "f(;", [doubtful]) == (Problem(0, 1, "x"),)
    assert certain_if_worse("c", "f();", "g();", [doubtful]) == (doubtful,)


def test_a_bracket_too_many_is_blamed_although_one_was_missing() -> None:
    before = "def a():\n    return (1\n\n\ndef b():\n    return (2)\n"

    assert new_ones("python", before, before.replace("(2)", "(2))")) == [("unmatched ')'", False)]


def test_mending_one_of_two_places_is_blamed_for_nothing() -> None:
    before = "f([1, (2;\n"

    assert new_ones("javascript", before, "f([1, (2);\n") == []


def test_what_a_text_has_all_over_is_doubtful() -> None:
    before = "".join(
        f"describe 'thing {n}'\n  it 'works'\nend\n\nlet x{n} = 1;\n\n" for n in range(6)
    )
    after = f"{before}describe 'more'\n  it 'works'\nend\n"

    assert all(doubtful for _, doubtful in new_ones("javascript", before, after))


def test_the_nearest_problem_is_told_where_only_the_brackets_tell() -> None:
    before = "f([1, (2]);\n"

    assert new_ones("javascript", before, "f([1, (((2]);\n") != []
