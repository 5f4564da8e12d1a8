import pytest

from keyhole.edits.by_text.structure import structure_of
from keyhole.matching.stretch import first_outside
from keyhole.matching.view import View
from keyhole.text.document import Document


def outside(path: str, text: str, head: str, tail: str) -> str | None:
    """Return the first line outside of the block between two texts of a file."""
    view = View(Document(text), lambda document: structure_of(path, document))
    start, end = text.index(head), text.index(tail)
    lines = range(view.line_of(start), view.line_of(start + len(head) - 1) + 1)
    line = first_outside(view, lines, view.line_of(end))
    return None if line is None else view.lines[line].strip()


PYTHON = """\
import os

LIMIT = 1

@cached
def load(path):
    try:
        first = read(path)
    except OSError:
        second = None
# aside
    text = '''
words
'''
    if first:
        third = 3
    message = join(
        first,
    )
    return fourth

class Store:
    size = 1

    def save(self):
        return fifth

    name = 2

fifth_of_all = 5
"""


@pytest.mark.parametrize(
    ("head", "tail", "found"),
    [
        ("def load(path):", "    return fourth", None),
        ("@cached", "    return fourth", None),
        ("def load(path):\n    try:", "        second = None", None),
        ("def load(path):", "class Store:", None),
        ("def load(path):", "    size = 1", "class Store:"),
        ("LIMIT = 1\n\n@cached\ndef load", "        return fifth", "class Store:"),
        ("        first = read", "    return fourth", None),
        ("        first = read", "        second = None", None),
        ("        second = None", "class Store:", None),
        ("        second = None", "fifth_of_all = 5", "class Store:"),
        ("    try:", "        second = None", None),
        ("    try:\n        first = read(path)", "    if first:", "text = '''"),
        ("    try:", "    except OSError:", None),
        ("    if first:", "    return fourth", "message = join("),
        ("    message = join(", "    return fourth", None),
        ("import os", "fifth_of_all = 5", None),
        ("LIMIT = 1", "        third = 3", None),
        ("class Store:\n    size = 1", "    name = 2", None),
        ("class Store:\n    size = 1\n\n    def save", "fifth_of_all = 5", None),
        ("    return fourth", "        return fifth", "class Store:"),
        ("    return fourth\n\n", "class Store:", None),
        ("    size = 1", "    name = 2", None),
        ("    size = 1", "fifth_of_all = 5", None),
        ("        return fifth\n\n    name = 2", "fifth_of_all = 5", None),
    ],
)
def test_blocks_of_python(head: str, tail: str, found: str | None) -> None:
    assert outside("a.py", PYTHON, head, tail) == found


SCRIPT = """\
describe("all", () => {
  it("one", () => {
    first();
  });

  it("two", () => {
    second();
  });
});
"""

C = """\
int load(int path)
{
  if (path) {
    third();
  } else {
    fourth();
  }
#ifdef LOUD
  fifth();
#endif
}
"""


@pytest.mark.parametrize(
    ("path", "head", "tail", "found"),
    [
        ("a.js", 'describe("all"', "    second();", None),
        ("a.js", '  it("one"', "    second();", 'it("two", () => {'),
        ("a.js", 'describe("all", () => {\n  it("one"', "    second();", 'it("two", () => {'),
        ("a.js", "    first();", "    second();", "});"),
        ("a.txt", "int load(int path)", "  fifth();", "#ifdef LOUD"),
        ("a.c", "  if (path) {", "    fourth();", None),
        ("a.c", "    third();", "    fourth();", None),
        ("a.c", "    third();", "  fifth();", None),
    ],
)
def test_blocks_of_code_with_braces(path: str, head: str, tail: str, found: str | None) -> None:
    text = SCRIPT if path == "a.js" else C

    assert outside(path, text, head, tail) == found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "if ready(\n    first,\n):\n    second()\nthird()\n"),
        ("a.js", "if (ready) {\n    first();\n}\nelse {\n    second();\n}\nthird();\n"),
    ],
)
def test_a_block_goes_on_behind_a_line_that_only_closes(path: str, text: str) -> None:
    assert outside(path, text, "if", "    second") is None
    assert outside(path, f"{text}    fourth", "if", "    fourth") == text.split("\n")[-2]


MARKDOWN = """\
before all

# Title

opening words

## First

first words

- item one
  its words
- item two
  more words

## Second

second words

### Deeper

# Last

last words
"""


@pytest.mark.parametrize(
    ("head", "tail", "found"),
    [
        ("# Title", "second words", None),
        ("# Title\n\nopening words\n\n## First", "second words", "## Second"),
        ("# Title\n\nopening words\n\n## First", "### Deeper", "## Second"),
        ("# Title\n\nopening words\n\n## First", "## Second", None),
        ("## First", "## Second", None),
        ("## First", "# Last", "## Second"),
        ("first words", "second words", "## Second"),
        ("first words", "- item two", None),
        ("- item two\n  more words\n", "second words", "## Second"),
        ("- item two\n  more words\n", "## Second", None),
        ("- item one", "- item two", None),
        ("- item one", "  more words", "- item two"),
        ("opening words", "second words", None),
        ("before all", "opening words", "# Title"),
        ("last words", "last words", None),
    ],
)
def test_blocks_of_markdown_are_sections(head: str, tail: str, found: str | None) -> None:
    assert outside("a.md", MARKDOWN, head, tail) == found


TEXT = """\
one begins
and goes on
  deeper one
  deeper two

two begins
}
  deeper three
[three]
three ends
"""


@pytest.mark.parametrize(
    ("head", "tail", "found"),
    [
        ("one begins", "  deeper two", None),
        ("one begins", "two begins", None),
        ("one begins", "three ends", "two begins"),
        ("and goes on", "  deeper two", None),
        ("and goes on", "  deeper three", "two begins"),
        ("  deeper one", "two begins", None),
        ("  deeper one", "three ends", "two begins"),
        ("two begins", "  deeper three", None),
        ("two begins", "three ends", "[three]"),
    ],
)
def test_blocks_of_plain_text_are_paragraphs(head: str, tail: str, found: str | None) -> None:
    assert outside("a.txt", TEXT, head, tail) == found


SHORT_PYTHON = (
    "def a():\n    return 1\n\n\ndef b():\n    x = 2\n    return 3\n\n\ndef c():\n    return 4\n"
)
SHORT_METHODS = (
    "class A:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 3\n"
)
SHORT_SECTIONS = "# T\n\n## A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n"
SHORT_SCRIPT = "function a() {\n  one();\n}\n\nfunction b() {\n  two();\n}\n"
SHORT_TABLES = "[a]\nx = 1\n\n[b]\ny = 2\nz = 3\n"


@pytest.mark.parametrize(
    ("path", "text", "head", "tail", "found"),
    [
        ("f.py", SHORT_PYTHON, "def a():\n    return 1", "    return 3", "def b():"),
        ("f.py", SHORT_PYTHON, "def a():\n    return 1", "def c():", None),
        ("f.py", SHORT_PYTHON, "def a():\n    return 1", "def b():", None),
        (
            "f.py",
            SHORT_METHODS,
            "    def a(self):\n        return 1",
            "        return 3",
            "def b(self):",
        ),
        (
            "f.py",
            SHORT_METHODS,
            "class A:\n    def a(self):\n        return 1",
            "        return 3",
            None,
        ),
        ("f.md", SHORT_SECTIONS, "## A\n\none", "two", "## B"),
        ("f.md", SHORT_SECTIONS, "## A\n\none\n\n", "two", "## B"),
        ("f.md", SHORT_SECTIONS, "## A\n\none", "## C", None),
        ("f.js", SHORT_SCRIPT, "function a() {\n  one();\n}", "  two();", "function b() {"),
        ("f.toml", SHORT_TABLES, "[a]\nx = 1", "z = 3", "[b]"),
        ("f.toml", SHORT_TABLES, "x = 1", "[b]", None),
        ("f.yaml", "a:\n  x: 1\nb:\n  y: 2\n  z: 3\n", "a:\n  x: 1", "  z: 3", "b:"),
        ("f.yaml", "a: 1\nb:\n  y: 2\n  z: 3\n", "a: 1", "  z: 3", None),
    ],
)
def test_a_block_that_is_quoted_whole_has_ended(
    path: str, text: str, head: str, tail: str, found: str | None
) -> None:
    assert outside(path, text, head, tail) == found
