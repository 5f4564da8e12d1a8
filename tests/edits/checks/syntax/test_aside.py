import pytest

from keyhole.edits.checks.syntax.compare import without_broken
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.text.changes import Change, ChangeSet

PYTHON = "def a():\n    return 1\n\n\ndef b():\n    return (2\n\n\ndef c():\n    return 3\n"


def after(syntax: str, before: str, old: str, new: str) -> tuple[Problem, ...] | None:
    at = before.index(old)
    changes = ChangeSet(len(before), (Change(at, at + len(old), new),))
    apart = without_broken(syntax, before, changes.apply(before), changes)
    return apart[0] if apart else None


@pytest.mark.parametrize("old", ["return 1", "return 3"])
def test_a_sound_change_beside_a_broken_piece_is_sound(old: str) -> None:
    assert after("python", PYTHON, old, f"{old}0") == ()


@pytest.mark.parametrize(("old", "place"), [("return 1", 20), ("return 3", 69)])
def test_a_broken_change_beside_a_broken_piece_is_told_by_its_place(old: str, place: int) -> None:
    found = after("python", PYTHON, old, f"{old[:-1]}[{old[-1]}")

    assert [(each.start, each.message) for each in found or ()] == [(place, "'[' was never closed")]


def test_a_change_of_the_broken_piece_itself_cannot_be_told_so() -> None:
    assert after("python", PYTHON, "return (2", "return (20") is None


def test_a_piece_inside_another_is_set_aside() -> None:
    java = (
        "class A {\n    int a() {\n        return 1;\n    }\n\n"
        "    int b() {\n        return (2;\n    }\n}\n"
    )

    assert after("java", java, "return 1;", "return 10;") == ()
    assert after("java", java, "return 1;", "return 1 +;") != ()


def test_several_broken_pieces_are_set_aside() -> None:
    before = "".join(f"x{n} = ({n}\n" if n < 3 else f"x{n} = {n}\n" for n in range(6))

    assert after("python", before, "x5 = 5", "x5 = 50") == ()
    assert after("python", before, "x5 = 5", "x5 = 5)") != ()


def test_a_text_with_too_many_broken_pieces_cannot_be_told() -> None:
    before = "".join(f"x{n} = ({n}\n\n" for n in range(9)) + "y = 1\n"

    assert after("python", before, "y = 1", "y = 2") is None


def test_text_put_right_behind_a_piece_is_not_of_it() -> None:
    before = "a: [1\nb: 2\n"

    assert after("yaml", before, "b: 2", "b: 2\nb: 3") != ()
    assert after("yaml", before, "b: 2", "c: 1\nb: 2") == ()


def test_what_joins_two_names_is_seen_over_the_gap() -> None:
    before = "[a]\nx = 1\n\n[b]\ny = 1 2\n\n[c]\nz = 1\n"

    assert [each.message for each in after("toml", before, "[c]", "[a]") or ()] == [
        "Cannot declare ('a',) twice"
    ]


def test_a_very_long_text_is_not_read_again_and_again() -> None:
    before = PYTHON + "x = 1\n" * 50_000

    assert after("python", before, "return 3", "return 4") is None


def test_how_many_pieces_were_broken_is_told_too() -> None:
    changes = ChangeSet(len(PYTHON), (Change(0, 0, "import os\n"),))

    assert without_broken("python", PYTHON, changes.apply(PYTHON), changes) == ((), 1)


def test_lines_put_behind_the_last_of_a_piece_are_of_it_if_they_are_deeper() -> None:
    sound = "x = 1\n\n\nclass A:\n    def a(self):\n        return 1\n\n"
    before = f"{sound}    def b(self):\n        return (2\n"
    added = "\n    def c(self):\n        return 3\n"
    changes = ChangeSet(len(before), (Change(len(before), len(before), added),))

    assert without_broken("python", before, changes.apply(before), changes) == ((), 1)
