import pytest

from keyhole.edits.checks.syntax.config import front_matter_problems


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A\n",
        "---\n\nA rule opens this text.\n\n---\n",
        "---\ntitle: x\n---\n# A\n",
        "---\n# a comment\ntitle: x\n...\n",
        '+++\ntitle = "x"\n+++\n',
        "---\r\ntitle: x\r\n---\r\n",
    ],
)
def test_sound_texts_have_no_problems(text: str) -> None:
    assert front_matter_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("---\na: 1\na: 2\n---\n", 9, "the key `a` is there twice"),
        ("+++\na = 1\na = 2\n+++\n", 15, "Cannot overwrite a value"),
        ("---\na: 1\n\n# Text\n", 0, "the front matter is not closed"),
        ("---\na: 1\n+++\n", 0, "the front matter is not closed"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(text: str, start: int, message: str) -> None:
    found = front_matter_problems(text)

    assert [(each.start, each.message) for each in found] == [(start, message)]
