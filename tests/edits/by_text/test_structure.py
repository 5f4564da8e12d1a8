from keyhole.edits.by_text.structure import structure_of
from keyhole.matching.query import Part, Structure
from keyhole.text.document import Document


def test_plain_text_has_no_structure() -> None:
    assert structure_of("a.txt", Document("one\n\ntwo\n")) == Structure()


def test_code_has_segments_comments_and_literals() -> None:
    text = 'import os\nX = """\nwords\n"""\ndef f():\n    pass\n'

    assert structure_of("a.py", Document(text)) == Structure(
        "code", (Part(1, 4), Part(4, 6, 0, is_function=True)), ("#",), frozenset({2, 3})
    )


def test_sections_of_markdown_have_levels() -> None:
    text = "before\n\n# One\n\n- item\n\n## Two\n"

    assert structure_of("a.md", Document(text)) == Structure(
        "sections", (Part(0, 1), Part(2, 7, 1), Part(6, 7, 2))
    )


def test_items_of_yaml_are_told_apart_from_keys() -> None:
    assert structure_of("a.yaml", Document("a:\n- b\n")).kind == "yaml"


def test_lines_of_the_preprocessor_end_no_block() -> None:
    assert "#" in structure_of("a.c", Document("int a;\n")).comments
    assert "<!--" in structure_of("a.html", Document("<p>\n")).comments
