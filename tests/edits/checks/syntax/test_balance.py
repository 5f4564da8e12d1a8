import tracemalloc

import pytest

from keyhole.edits.checks.syntax.compare import Balance, balance_of


@pytest.mark.parametrize(
    ("text", "balance"),
    [
        ("f(a[1], {})", Balance(0, 0)),
        ("f(a[1]", Balance(1, 0)),
        ("f)))", Balance(3, 0)),
        ('x = "(', Balance(1, 1)),
        ("x = \"(\" + '('", Balance(0, 0)),
        ("x // (\n/* ( */ y", Balance(0, 0)),
        ('#include "a', Balance(0, 1)),
        ("a#b(", Balance(1, 0)),
    ],
)
def test_what_has_no_partner_is_counted(text: str, balance: Balance) -> None:
    assert balance_of("c", text) == balance


def test_a_hash_begins_a_comment_where_it_does() -> None:
    assert balance_of("ruby", "x # (\n# (\n").is_even


def test_the_cases_of_a_shell_open_nothing() -> None:
    assert balance_of("bash", "case x in\n  a) b ;;\nesac\n").is_even


def test_more_without_a_partner_is_worse() -> None:
    one, two = Balance(1, 0), Balance(2, 0)

    assert two.is_worse_than(one)
    assert one.is_better_than(two)
    assert not one.is_better_than(one)
    assert not Balance(0, 1).is_better_than(one)
    assert Balance(0, 1).is_worse_than(one)


def test_a_long_string_takes_about_as_much_memory_as_its_text() -> None:
    text = '{"k": "' + "x" * 200_000 + '"}'

    tracemalloc.start()
    try:
        balance_of("json", text)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 4 * len(text)
