import pytest

from keyhole.segments.code import parse
from keyhole.segments.language import HABITS, Language
from keyhole.segments.languages import LANGUAGES, TABLE, language_of, row_of
from tests.segments.reading import document

ASKED = (
    "javascript typescript tsx go rust java c cpp csharp ruby php kotlin swift scala bash lua"
    " elixir haskell dart solidity zig nix hcl html css json yaml"
)


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.py", "", "python"),
        ("dir/a.PYI", "", "python"),
        ("README.md", "", "markdown"),
        ("README", "", "text"),
        ("script", "#!/usr/bin/env python3\n", "python"),
        ("script", "#!/usr/bin/env -S FOO=1 python3.12 -u\n", "python"),
        ("script", "#!/bin/sh\n", "bash"),
        ("script", "#!/usr/bin/env node\n", "javascript"),
        ("script", "#!/usr/bin/perl\n", "text"),
        ("a.py", "#!/bin/sh\n", "python"),
        ("Gemfile", "", "ruby"),
        ("Cargo.lock", "", "toml"),
        (".bashrc", "", "bash"),
        ("a.tsx", "", "tsx"),
        ("list.h", "struct a;\n", "c"),
        ("list.h", "namespace a {\n}\n", "cpp"),
        ("windows\\dir\\a.rs", "", "rust"),
        ("noextension.", "", "text"),
    ],
)
def test_a_language_is_told_by_name_extension_or_first_line(
    path: str, text: str, language: str
) -> None:
    assert language_of(path, document(text)) == language


def test_every_language_asked_for_has_a_row() -> None:
    assert set(ASKED.split()) <= LANGUAGES.keys()


def test_no_extension_file_or_program_belongs_to_two_rows() -> None:
    for field in ("extensions", "files", "programs"):
        words = [word for row in TABLE for word in getattr(row, field).split()]

        assert sorted(words) == sorted(set(words))


def test_every_habit_is_known_and_some_language_has_it() -> None:
    had = {habit for row in TABLE for habit in row.habits.split()}

    assert had == HABITS.keys()


def test_a_language_that_is_not_in_the_table_is_as_usual() -> None:
    plain = row_of("text")

    assert (plain.mark, plain.step, plain.habits) == ("//", "    ", "")


@pytest.mark.parametrize("row", LANGUAGES.values(), ids=lambda row: row.name)
def test_the_parser_knows_every_node_of_a_row(row: Language) -> None:
    root = parse(row.name, "")
    kinds = [*row.specs, *row.roles, *row.items.split()]

    assert len(kinds) >= 2
    for kind in kinds:
        assert root.find_all(kind=kind) == []
