import os
from pathlib import Path

import pytest

from keyhole.edits.checks.guards import is_prose, new_lines, placeholders
from tests.edits.planned import created, replaced

PYTHON = "def f():\n    a()\n    b()\n    return 1\n"
SCRIPT = "function f() {\n  a();\n  b();\n}\n"


def told(path: str, before: str, old: str, new: str) -> list[str]:
    file = replaced(path, before, (old, new))
    return [each.message.partition(": ")[2] for each in placeholders(file, new_lines(file))]


def is_told(path: str, before: str, old: str, new: str) -> bool:
    return bool(told(path, before, old, new))


@pytest.mark.parametrize(
    "line",
    [
        "// rest of methods ...",
        "(rest of code ...)",
        "(unchanged code ...)",
        "// The rest stays the same",
        "// rest of the function",
        "// ...",
        "/* ... */",
        "// \u2026",
        "x(); // ... rest of the code",
        "if (x) { /* ... existing code ... */ }",
        "if (x) { /* ... */ }",
        "/* existing code */",
        "// .. rest",
        "// etc.",
        "// (same)",
        "// omitted",
        "// same as before",
        "// code continues here",
        "if (x) { /* existing code */ }",
    ],
)
def test_a_placeholder_instead_of_code_is_told(line: str) -> None:
    assert told("a.js", SCRIPT, "  a();\n  b();", f"  {line}") == [line]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "# ..."),
        ("a.py", "..."),
        ("a.sh", "..."),
        ("a.py", "# rest of the function"),
        ("a.sql", "-- ..."),
        ("a.html", "<!-- ... -->"),
        ("a.md", "<!-- ... -->"),
        ("a.css", "/* rest of the styles unchanged */"),
        ("a.yaml", "# ... other keys ..."),
        ("a.lua", "-- the rest is unchanged"),
        ("a.sql", "-- unchanged"),
        ("a.py", "# existing implementation"),
        ("a.py", "# ... existing code"),
        ("a.tex", "% remaining rows omitted"),
        ("a.html", "<!-- rest of content -->"),
        ("a.md", "<!-- rest of content -->"),
        ("a.jsx", "{/* existing JSX */}"),
        ("a.j2", "{# rest of template #}"),
        ("a.ini", "; remaining keys omitted"),
        ("a.txt", "# rest of the file unchanged"),
    ],
)
def test_every_language_has_its_own(path: str, line: str) -> None:
    assert told(path, "one\ntwo\nthree\n", "one\ntwo", f"{line}\n2") == [line]


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("a.py", "    ..."),  # a stub
        ("a.py", '    """Return one."""\n    ...'),
        ("a.py", "    x = {**a, **b}\n    return x[...]"),
        ("a.py", '    """Do it.\n\n    # ...\n    """'),
        ("a.py", "    # first this\n    # ...\n    # then that\n    c()"),
        ("a.py", "    # of what is there the\n    # rest of the code.\n    c()"),
        ("a.py", "    # take the rest of the buffer\n    c()"),
        ("a.py", "    #" + "." * 40 + "\n    c()"),
        ("a.py", "    # Existing rows stay unchanged\n    c()"),
        ("a.py", "    # numbers,\n    # letters,\n    # etc.\n    c()"),
        ("a.py", "    # Both are told apart, but not\n    # the rest.\n    c()"),
        ("a.md", "# Existing code\n\n## Rest\n\n# Unchanged"),
        ("a.js", "  f(...rest);\n  g({...existing});"),
        ("a.js", "  f(x); // ...\n"),
        ("a.md", "And so on ...\n\n...\n\n# ...\n"),
        ("a.md", "The rest of the function is as before."),
        ("a.txt", "# ...\n"),
        ("a.yaml", "a: 1\n...\n---\nb: 2"),
    ],
)
def test_code_and_words_are_none(path: str, new: str) -> None:
    assert not is_told(path, "def f():\n    a()\n    b()\n", "    a()\n    b()", new)


def test_a_comment_of_dots_in_new_code_stands_alone() -> None:
    alone, beside = "x = 1\n# ...\ny = 2\n", "x = 1\n# first\n# ...\ny = 2\n"
    files = [created("a.py", text) for text in (alone, beside)]

    assert [len(list(placeholders(file, new_lines(file)))) for file in files] == [1, 0]
    assert is_told("a.py", PYTHON, "    a()\n    b()", "    # first\n    # ...")


def test_what_stood_in_a_literal_is_data_unless_lines_are_lost() -> None:
    text = 'X = """\n# ... existing code ...\n"""\n'
    file = created("a.py", text)

    assert not list(placeholders(file, new_lines(file)))
    assert is_told("a.py", 'X = """\none\n"""\n', "one", "# ... existing code ...")


def test_a_line_that_only_moves_is_none() -> None:
    text = "a()\n# ...\nb()\nc()\n"

    assert not is_told("a.py", text, "a()\n# ...\nb()\n", "b()\n# ...\n")
    assert is_told("a.py", text, "b()\nc()\n", "# ...\nd()\n")


@pytest.mark.parametrize(
    ("path", "comment"),
    [
        ("a.js", "/*\n * existing code\n */"),
        ("a.js", "/*\n   ... existing code ...\n*/"),
        ("a.jsx", "{/*\n  existing JSX\n*/}"),
        ("a.html", "<!--\n  rest of content\n-->"),
    ],
)
def test_a_comment_of_three_lines_may_be_one(path: str, comment: str) -> None:
    said = comment.split("\n")[1].strip()

    assert told(path, "one\ntwo\nthree\n", "one\ntwo", f"{comment}\n2") == [said]
    assert not is_told(path, "one\ntwo\nthree\n", "two", f"two\n{comment.replace('ing', 'ed')}")


def test_a_comment_that_the_file_has_is_none() -> None:
    text = "a()\n# existing code\nb()\n# etc.\n"

    assert not is_told("a.py", text, "a()\n# existing code\nb()", "# existing code\n# etc.\nc()")


def test_people_write_in_prose() -> None:
    assert is_prose("docs/a.MD")
    assert not is_prose("a.py")


def test_people_write_no_placeholders() -> None:
    found, count = [], 0
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        text = path.read_text("utf-8")
        file = created(path.name, text)
        count += text.count("\n")
        for start, lines in new_lines(file):
            found += [each.message for each in placeholders(file, [(start, lines)])]

    assert count > 50_000
    assert found == []
