import pytest

from keyhole.fastclasses import fields
from keyhole.segments.code.parser import parse
from keyhole.segments.languages.language import HABITS, Language
from keyhole.segments.languages.node import Node, Step, Ways
from keyhole.segments.languages.table import LANGUAGES, TABLE, language_of, row_of
from tests.segments.reading import document

PLAIN = row_of("text")
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
        words = [word for row in TABLE for word in getattr(row, field)]

        assert sorted(words) == sorted(set(words))


def test_every_habit_is_known_and_some_language_has_it() -> None:
    had = {habit for row in TABLE for habit in row.habits}

    assert had == HABITS.keys()


def test_a_language_that_is_not_in_the_table_is_as_usual() -> None:
    plain = row_of("text")

    assert (plain.marks, plain.step, plain.habits) == (("//",), "    ", ())


ROWS = pytest.mark.parametrize("row", LANGUAGES.values(), ids=lambda row: row.name)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_row_is_made_of_tuples_of_words_in_small_letters(row: Language) -> None:
    # A tuple of one word that lacks its comma is a string.
    for each in fields(row):
        value = getattr(row, each.name)
        if isinstance(getattr(PLAIN, each.name), tuple):
            assert isinstance(value, tuple), each.name
            assert all(isinstance(one, Node) or (one and one.split() == [one]) for one in value)
    for word in (*row.extensions, *row.files, *row.programs):
        assert word == word.lower()


@ROWS
def test_the_grammar_has_every_kind_of_node_in_a_row(row: Language) -> None:
    root = parse(row.name, "")
    steps = [kind for how, _, kind in steps_of(row) if how in {"field", "deepest", "child"}]
    named = [*row.node_of, *row.roles, *row.items, *row.values, *row.literals, *filter(None, steps)]

    assert len(row.node_of) == len(row.nodes)
    for kind in named:
        assert root.find_all(kind=kind) == []


@ROWS
def test_the_grammar_has_every_field_in_a_row(row: Language) -> None:
    root = parse(row.name, "")
    default = Node("", "")

    for node in row.nodes:
        for name in ("name", "body", "owner"):
            ways = getattr(node, name)
            # The default asks for fields that some grammars do without.
            for asked in fields_of(ways) if ways != getattr(default, name) else ():
                assert root.find_all(has={"field": asked, "regex": "."}) == []


@ROWS
def test_what_is_no_way_through_the_tree_stands_last(row: Language) -> None:
    for node in row.nodes:
        for way in (*node.name[:-1], *node.body[:-1], *node.owner):
            assert all(how in {"field", "deepest", "child"} for how, _, _ in way)


def test_a_row_with_a_node_that_its_grammar_does_not_have_is_noticed() -> None:
    with pytest.raises(RuntimeError):
        parse("go", "").find_all(kind="function_definition")
    with pytest.raises(RuntimeError):
        parse("go", "").find_all(has={"field": "nothing", "regex": "."})


def steps_of(row: Language) -> list[Step]:
    ways = [way for node in row.nodes for way in (*node.name, *node.body, *node.owner)]
    return [step for way in ways for step in way]


def fields_of(ways: Ways) -> list[str]:
    return [what for way in ways for how, what, _ in way if how in {"field", "deepest"}]
