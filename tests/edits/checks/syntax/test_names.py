import pytest

from keyhole.edits.checks.syntax.table import syntax_of
from keyhole.segments.languages.table import language_of
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


def test_every_known_suffix_is_the_language_that_outlines_know() -> None:
    for path in ("a.py", "a.pyi", "a.md", "a.toml", "a.yaml", "a.yml", "a.js", "a.txt"):
        found = language_of(path, Document(""))

        assert syntax_of(path, Document("")) == ("" if found == "text" else found)
