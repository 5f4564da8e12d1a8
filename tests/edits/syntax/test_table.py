import pytest

from keyhole.edits.syntax import table
from keyhole.edits.syntax.table import checker_of, problems, syntax_of
from keyhole.segments.languages import LANGUAGES
from keyhole.text.document import Document


@pytest.mark.parametrize(
    ("path", "syntax"),
    [
        ("a.py", "python"),
        ("a.txt", ""),
        ("LICENSE", ""),
        ("a.json", "json"),
        ("package.json", "json"),
        ("tsconfig.json", "jsonc"),
        ("app/tsconfig.build.json", "jsonc"),
        (".vscode/settings.json", "jsonc"),
        ("x/.vscode/launch.json", "jsonc"),
        ("a.jsonc", "jsonc"),
        ("a.json5", "json5"),
        ("a.svg", "xml"),
        ("a.xml", "xml"),
        ("a.XML", "xml"),
        ("setup.cfg", "ini"),
        ("tox.ini", "ini"),
        (".editorconfig", "ini"),
        ("php.ini", ""),
        ("Makefile", "makefile"),
        ("rules.mk", "makefile"),
        ("a.md", "markdown"),
        ("a.toml", "toml"),
        ("a.sh", "bash"),
        ("a.zsh", "other-shell"),
        (".zshrc", "other-shell"),
        ("a.go", "go"),
        ("a.h", "c"),
    ],
)
def test_a_file_is_checked_by_its_name(path: str, syntax: str) -> None:
    assert syntax_of(path, Document("")) == syntax


def test_a_header_of_another_language_is_known_by_what_it_says() -> None:
    assert syntax_of("a.h", Document("namespace x {\n}\n")) == "cpp"


def test_a_script_is_known_by_its_first_line() -> None:
    assert syntax_of("run", Document("#!/usr/bin/env python3\n")) == "python"


@pytest.mark.parametrize("syntax", sorted({*LANGUAGES, *table._OWN}))
def test_every_syntax_has_a_checker(syntax: str) -> None:
    assert tuple(checker_of(syntax)("")) == ()
    assert tuple(checker_of(syntax)("\n")) == ()


def test_the_same_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"asked": "twice",}'
    first = problems("json", text)
    monkeypatch.setattr(table, "checker_of", lambda _: pytest.fail("it was read again"))

    assert problems("json", text) == first != ()


@pytest.mark.parametrize(
    ("syntax", "most"),
    [("python", 5_000_000), ("json", 5_000_000), ("yaml", 500_000), ("go", 500_000)],
)
def test_a_huge_text_is_not_read(syntax: str, most: int) -> None:
    assert problems(syntax, "[" + " " * most) == ()
    assert problems(syntax, "[" + " " * 9) != ()
