import pytest

from keyhole.edits.checks.syntax.config import toml_problems


@pytest.mark.parametrize("text", ["", "a = 1\n", "[a]\r\nb = 'x'\r\n", "a = 1.5e400\n"])
def test_sound_toml_has_no_problems(text: str) -> None:
    assert toml_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("a = 1\nb = \n", 10, "Invalid value"),
        ("a = 1\na = 2\n", 11, "Cannot overwrite a value"),
        ("[a]\n[a]\n", 6, "Cannot declare ('a',) twice"),
        ("a = [1,\n", 7, "Invalid value"),
        ('a = "x\n', 6, "Illegal character '\\n'"),
        ('a = """x\n', 8, "Unterminated string"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(text: str, start: int, message: str) -> None:
    assert [(each.start, each.message) for each in toml_problems(text)] == [(start, message)]


def test_what_is_nested_too_deep_is_not_judged() -> None:
    assert toml_problems(f"a = {'[' * 100_000}") == ()


def test_a_key_of_very_many_parts_is_not_judged() -> None:
    assert toml_problems(".".join(["a"] * 40_000) + " = 1\nb =\n") == ()
