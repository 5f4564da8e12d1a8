import pytest

from keyhole.edits.checks.syntax.config import ini_problems


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just some text\nand more\n",
        "root = true\n\n[*]\nindent = 4\n",
        "[a]\nb = 1\n  more\n  [x\nc: 2\n",
        "[a]\nb =\n    x\n    y\n\n; c\n# d\n[e]\nb = 2\n",
        "[a]\n    b = 1\n    c = 2\n",
        "[a] ; comment\r\nb = 1\r\n",
        "[mysqld]\nskip-networking\nskip-grants\n",
        "[realms]\nX = {\n  a = b\n}\n",
    ],
)
def test_sound_files_have_no_problems(text: str) -> None:
    assert ini_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "end", "message"),
    [
        ("[a\nb = 1\n[c]\n", 0, 2, "the name of the section is not closed"),
        ("[a]\n[b]\n[a]\n", 8, 11, "the section `a` is there twice"),
        ("[a]\nb = 1\nB : 2\n", 10, 15, "the key `B` is there twice"),
        ("[a]\nb = 1\nc 2\n", 10, 13, "neither a section nor a key with a value"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(text: str, start: int, end: int, message: str) -> None:
    assert [(each.start, each.end, each.message) for each in ini_problems(text)] == [
        (start, end, message)
    ]
