import re
from pathlib import Path

import pytest

from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.segments.addresses import find_segment
from keyhole.segments.code.declarations import find_declarations
from keyhole.segments.code.parser import read_nodes
from keyhole.segments.languages.language import Language
from keyhole.segments.languages.node import Node
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.segments.outline import Outline
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from tests.segments.reading import addresses, assert_lawful, document, lines, part, read, whole

CASES = sorted((Path(__file__).parents[2] / "cases" / "outlines").glob("*.md"))
_FENCE = re.compile(r"^~~~(?P<info>\w+)(?: (?P<path>\S+))?\n(?P<body>(?s:.*?))^~~~$", re.MULTILINE)


def blocks(case: Path) -> tuple[str, Document, str, str]:
    """The path, the source, the outline and the lookups of a case file."""
    source, listing, *lookups = _FENCE.finditer(case.read_text(encoding="utf-8"))
    return (
        source["path"],
        document(source["body"]),
        listing["body"],
        "".join(found["body"] for found in lookups),
    )


def shown(outlined: Outline, text: Document) -> list[list[str]]:
    """The outline as a case file lists it: kind, address, lines, parts."""
    rows = []
    for one in outlined.segments:
        first, last = text.lines_of(one.span)
        start, end = one.span
        is_whole = text.text[:start].endswith(("\n", "")) and text.text[start - 1 : start] in {
            "",
            "\n",
        }
        is_whole = is_whole and (text.text[:end].endswith("\n") or end == len(text.text))
        place = f"{first}-{last}" if first != last else f"{first}"
        rows.append([one.kind, one.address, place, *one.parts, *([] if is_whole else ["inline"])])
    return rows + [["unreadable", f"{first}-{last}"] for first, last in outlined.unreadable]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_file_has_the_outline_its_case_lists(case: Path) -> None:
    path, text, listing, _ = blocks(case)

    listed = [re.split(r"\s{2,}", line.strip()) for line in listing.strip().split("\n") if line]
    read_here = [" ".join(row) for row in shown(outline(path, text), text)]
    assert read_here == [" ".join(" ".join(row).split()) for row in listed]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_every_spelling_of_a_case_finds_what_it_says(case: Path) -> None:
    path, text, _, lookups = blocks(case)
    outlined = outline(path, text)

    for lookup in lookups.strip().split("\n"):
        spelling, _, expected = lookup.rpartition(" -> ")
        try:
            answer = find_segment(outlined, spelling, text).address
        except Refused as refused:
            answer = refused.refusals[0].code
        assert (spelling, answer) == (spelling, expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_every_case_is_lawful_with_any_line_end(case: Path) -> None:
    path, text, _, _ = blocks(case)
    plain = [(one.address, text.lines_of(one.span)) for one in outline(path, text).segments]

    for end in ("\r\n", "\r"):
        other = Document(text.text.replace("\n", end))
        outlined = outline(path, other)
        assert_lawful(outlined, other.text)
        assert [(one.address, other.lines_of(one.span)) for one in outlined.segments] == plain


def test_there_is_a_case_for_every_language_of_the_table() -> None:
    told = {outline(*blocks(case)[:2]).language for case in CASES}

    assert told >= {*LANGUAGES, "toml", "text"}
    assert len(CASES) >= 30


@pytest.mark.parametrize("row", LANGUAGES.values(), ids=lambda row: row.name)
def test_every_node_of_a_row_is_a_segment_of_some_case(row: Language) -> None:
    assert [node.node for node in row.nodes if not is_shown(row, node)] == []


def test_a_node_that_is_a_segment_of_no_case_is_noticed() -> None:
    # Dart has it inside functions only, where a variable is no segment.
    assert not is_shown(LANGUAGES["dart"], Node("variable", "initialized_variable_definition"))


def is_shown(row: Language, node: Node) -> bool:
    alone = replace(row, nodes=(node,), lists=())
    sources = (blocks(case)[:2] for case in CASES)
    texts = [text.text for path, text in sources if language_of(path, text) == row.name]
    return any(find_declarations(text, read_nodes(alone, text)) for text in texts)


# What belongs to a declaration.


def test_an_attribute_and_a_doc_comment_are_neither_dropped_nor_doubled() -> None:
    text = "struct A;\n\n/// Doc.\n#[inline]\n// why\n#[must_use]\nfn f() {}\n"

    assert whole("a.rs", text, "f") == text[text.index("///") :]
    assert part("a.rs", text, "f", "doc") == "/// Doc.\n"
    assert part("a.rs", text, "f", "decorators") == "#[inline]\n// why\n#[must_use]\n"


def test_a_comment_with_a_blank_line_below_it_belongs_to_nobody() -> None:
    text = "// About the file.\n\n// Doc.\nfunc f() {}\n"

    assert whole("a.go", text, "f") == "// Doc.\nfunc f() {}\n"


def test_a_comment_behind_other_code_belongs_to_that_code() -> None:
    text = "var a = 1; // about a\nfunction f() {}\n"

    assert whole("a.js", text, "f") == "function f() {}\n"


@pytest.mark.parametrize("comment", ["//! About the crate.", "/*! About. */"])
def test_a_comment_about_what_is_around_belongs_to_nobody(comment: str) -> None:
    assert whole("a.rs", f"{comment}\nfn f() {{}}\n", "f") == "fn f() {}\n"


@pytest.mark.parametrize("mark", ["//#region src/a.ts", "// #region", "//region A", "// endregion"])
def test_the_mark_of_a_region_belongs_to_nobody(mark: str) -> None:
    text = f"{mark}\n/** Doc. */\nfunction f() {{}}\n"

    assert whole("a.ts", text, "f") == "/** Doc. */\nfunction f() {}\n"


def test_a_shebang_belongs_to_nobody() -> None:
    assert whole("a.sh", "#!/bin/sh\nf() {\n  :\n}\n", "f") == "f() {\n  :\n}\n"


def test_a_comment_inside_the_last_element_is_not_taken_from_it() -> None:
    text = '<input id="a">\n<!-- about b -->\n<script id="b">\n</script>\n'

    assert_lawful(read("a.html", text), text)


def test_what_shares_a_line_is_cut_out_to_the_character() -> None:
    text = "function a() { return 1; } function b() { return 2; }\n"

    assert whole("a.js", text, "a") == "function a() { return 1; }"
    assert whole("a.js", text, "b") == "function b() { return 2; }"


def test_a_trailing_semicolon_belongs_to_a_declaration_and_a_comma_is_its_separator() -> None:
    assert whole("a.c", "struct p { int x; };\nint y;\n", "p") == "struct p { int x; };\n"
    assert part("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', "a", "separator") == ","
    assert "separator" not in read("a.json", '{"b": 2}').by_address["b"].parts


def test_what_ends_with_its_owner_is_clipped_to_it() -> None:
    text = "- group:\n    a: 1\n- b: 2\n"

    assert_lawful(read("a.yaml", text), text)
    assert whole("a.yaml", text, "0.group") == "group:\n    a: 1"
    assert whole("a.yaml", text, "0.group.a") == "    a: 1"


def test_an_empty_block_has_an_empty_body_between_its_braces() -> None:
    text = "class A {}\n"

    assert read("a.js", text).by_address["A"].parts["body"] == (9, 9)
    assert read("a.tf", "locals {\n}\n").by_address["locals"].parts["body"] == (8, 8)


def test_imports_are_one_segment_while_nothing_else_comes_between() -> None:
    text = "import a from 'a';\n// why\nimport b from 'b';\n\nfoo();\nimport c from 'c';\n"

    assert lines("a.js", text) == {"imports#1": (1, 3), "imports#2": (6, 6)}


# What a syntax error leaves.


def test_a_missing_brace_does_not_let_a_function_swallow_its_neighbours() -> None:
    text = "int f() {\n  return 1;\n\nint g() {\n  return 2;\n}\n"

    assert addresses("a.c", text) == ["f.g"] or "f" not in addresses("a.c", text)
    assert read("a.c", text).unreadable


def test_an_error_inside_leaves_a_function_whose_indentation_bears_it_out() -> None:
    text = "int f() {\n  foo(1;\n  return 1;\n}\n\nint g() {\n  return 2;\n}\n"

    assert addresses("a.c", text) == ["f", "g"]
    assert read("a.c", text).unreadable == ((2, 2),)


def test_a_nested_key_never_takes_the_address_of_an_outer_one() -> None:
    text = '{\n  "a" {\n    "name": 1\n  },\n  "name": 2\n}\n'

    assert addresses("a.json", text) == []
    assert read("a.json", text).unreadable


def test_keys_before_an_error_keep_their_addresses() -> None:
    text = '{\n  "a": {"b": 1},\n  "c": ,\n  "d": 2\n}\n'

    assert addresses("a.json", text) == ["a", "a.b"]


def test_what_stands_beside_an_error_on_its_line_is_left_out() -> None:
    text = "import x from './y;\nexport const f = () => {\n  return 1;\n};\n"

    assert addresses("a.js", text) == []


def test_a_method_that_lost_its_class_is_not_a_function() -> None:
    text = "class A {\n  x = {;\n  run() { return 1; }\n}\n"

    assert "run" not in addresses("a.js", text)


def test_a_statement_that_lost_its_function_is_no_method() -> None:
    text = "class A {\n  run(): void\n    if (a) {\n      b();\n    }\n  }\n}\n"

    assert "A.if" not in addresses("a.ts", text)
    assert "A.if" in addresses("a.ts", "class A {\n  if(a) {\n    b();\n  }\n}\n")
