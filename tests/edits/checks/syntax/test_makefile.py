import pytest

from keyhole.edits.checks.syntax.config import makefile_problems


@pytest.mark.parametrize(
    "text",
    [
        "",
        "all: a b\n\techo\n\n\techo again\n",
        "A = 1\n  B = 2\n",
        "all:\n\tx\nifeq (a,b)\n    C = 1\nendif\n",
        "all:\n    # a comment\n\tx\n",
        "A := \\\n    b \\\n    c\n",
        ".RECIPEPREFIX = >\nall:\n  x\n",
        "all: A = 1\n",
        "define x\n  some text\nendef\n",
        "all:\r\n\techo\r\n",
    ],
)
def test_sound_files_have_no_problems(text: str) -> None:
    assert makefile_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("all:\n    echo\n", 5, 9),
        ("all: a\n\techo\n  echo two\n", 13, 15),
        ("a b:: c\n echo\n", 8, 9),
    ],
)
def test_a_recipe_with_spaces_is_told(text: str, start: int, end: int) -> None:
    found = makefile_problems(text)

    assert [(each.start, each.end, each.code) for each in found] == [
        (start, end, "bad-indentation")
    ]
