import pytest

from keyhole.engine.reading import Shape, outline
from keyhole.text.document import Document
from keyhole.toolsets.text.answers import structure
from keyhole.toolsets.wording import heading


def structured(text: str, path: str = "a.md") -> dict[str, object]:
    document = Document.from_bytes(text.encode())
    return structure(outline(document, path, Shape()), document.rows, len(text.encode()))


@pytest.mark.parametrize(
    ("text", "level", "title"),
    [
        ("# A\n", 1, "A"),
        ("###### A b ##\n", 6, "A b"),
        ("  ## A\n", 2, "A"),
        ("A\n===\n", 1, "A"),
        ("A\nb\n---\n", 2, "A b"),
        ("#\n", 1, ""),
        ("## C#\n", 2, "C#"),
    ],
)
def test_a_heading_has_its_level_and_its_text(text: str, level: int, title: str) -> None:
    document = Document(text)
    (row,) = outline(document, "a.md", Shape()).rows

    assert heading(row, document.rows) == {"level": level, "text": title, "line": 1}


def test_without_front_matter_there_is_none() -> None:
    assert structured("# A\n")["frontmatter"] is None


def test_front_matter_of_toml_has_keys_too() -> None:
    front = structured('+++\ntitle = "x"\n[a]\nb = 1\n+++\n')["frontmatter"]

    assert front == {"start": 1, "end": 5, "keys": ["title", "b"]}


def test_code_has_no_anchors() -> None:
    text = '`id="x"` {#here}\n\n    id="code"\n'

    assert structured(text)["anchors"] == [
        {"id": "x", "line": 1},
        {"id": "here", "line": 1},
    ]


def test_an_empty_file_has_an_empty_structure() -> None:
    assert structured("") == {
        "totalLines": 0,
        "fileSize": "0B",
        "format": "markdown",
        "frontmatter": None,
        "headings": [],
        "codeBlocks": [],
        "anchors": [],
    }
