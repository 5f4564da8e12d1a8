import pytest

from keyhole.templates.header import TemplateHeader, lines_of, place_of, read

MOMENT = "2026-02-08T16:00:00Z"
FIELDS = f"template=design version=5827e841 created={MOMENT} updated="


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("a.py", "# a.py"),
        ("a.yaml", "# a.yaml"),
        ("a.sh", "# a.sh"),
        ("a.ts", "// a.ts"),
        ("a.go", "// a.go"),
        ("docs/a.md", "<!-- docs/a.md -->"),
        ("a.svg", "<!-- a.svg -->"),
        ("a.j2", "{# a.j2 #}"),
        ("a.css", "/* a.css */"),
        ("a.sql", "-- a.sql"),
        ("Makefile", "# Makefile"),
    ],
)
def test_a_written_header_is_two_comments_of_the_language_and_reads_back(
    path: str, first: str
) -> None:
    lines = lines_of(path, "design", "5827e841", MOMENT)

    assert lines[0] == first
    text = "".join(f"{line}\n" for line in lines) + "rest\n"
    found = read(text)
    assert found == TemplateHeader(
        "design",
        "5827e841",
        MOMENT,
        "",
        path,
        (0, len(text) - len("rest\n")),
        (text.index("updated=") + 8, text.index("updated=") + 8),
    )


def test_a_file_without_comments_gets_no_header() -> None:
    assert lines_of("a.json", "design", "5827e841", MOMENT) == []


def said(text: str) -> tuple[str, str, str, str, str, str]:
    found = read(text)
    assert found is not None
    return (
        found.template,
        found.version,
        found.created,
        found.updated,
        found.path,
        found.problem,
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # Both documents that this began with.
        (
            (
                "<!-- docs/research.md -->\n<!-- template=research version=8b7bb3ab "
                "created=2026-02-08T16:00:00Z updated=2026-02-08 -->\n# T\n"
            ),
            ("research", "8b7bb3ab", MOMENT, "2026-02-08", "docs/research.md", ""),
        ),
        (
            (
                "<!-- docs/design.md -->\n<!-- template=design version=5827e841 created=2026-02-08 "
                "updated= -->\n"
            ),
            ("design", "5827e841", "2026-02-08", "", "docs/design.md", ""),
        ),
        # bug 84: bare dates, offsets, one line, a shebang, no `updated=`.
        (
            "# template=x version=00000000 created=2026-02-08T16:00+01:00 updated=\n",
            ("x", "00000000", "2026-02-08T16:00+01:00", "", "", ""),
        ),
        ("# template=x version=abcdef01\n", ("x", "abcdef01", "", "", "", "")),
        (
            f"#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# a/b.py\n# {FIELDS}\n",
            ("design", "5827e841", MOMENT, "", "a/b.py", ""),
        ),
        (
            f"# a.py\n# template=x version=abcdef01 created={MOMENT}\n",
            ("x", "abcdef01", MOMENT, "", "a.py", ""),
        ),
        # bug 84: the line above the fields is a path only if it looks like one.
        (f"# Some words here\n# {FIELDS}\n", ("design", "5827e841", MOMENT, "", "", "")),
        # Legacy forms.
        (
            "# SCAFFOLD: template=dto version=1.0 created=2025-01-01 path=a/b.py\n",
            ("dto", "1.0", "2025-01-01", "", "a/b.py", ""),
        ),
        (
            "<!-- SCAFFOLD: template=dto version=1.0 created=2025-01-01 path=a.md -->\n",
            ("dto", "1.0", "2025-01-01", "", "a.md", ""),
        ),
        (
            "# SCAFFOLD: worker:v1.2 | 2025-01-01 | a/b.py\n",
            ("worker", "1.2", "2025-01-01", "", "a/b.py", ""),
        ),
        # Unknown fields, the last of two, blanks, line ends.
        (
            "//  template=a   template=b version=ABCDEF01 owner=me created=\r\n",
            ("b", "ABCDEF01", "", "", "", ""),
        ),
        (f"---\ntitle: x\n---\n<!-- {FIELDS} -->\n", ("design", "5827e841", MOMENT, "", "", "")),
        (f"+++\ntitle = 1\n+++\n<!-- {FIELDS} -->\n", ("design", "5827e841", MOMENT, "", "", "")),
        # Damaged.
        (
            "# template=No! version=abcdef01\n",
            ("No!", "abcdef01", "", "", "", "template='No!' is no name of a template"),
        ),
        (
            "# template=x version=latest\n",
            ("x", "latest", "", "", "", "version='latest' is no version"),
        ),
        (
            "# template=x version=abcdef01 created=yesterday\n",
            ("x", "abcdef01", "yesterday", "", "", "created='yesterday' is no date"),
        ),
        ("# SCAFFOLD: nonsense\n", ("", "", "", "", "", "template='' is no name of a template")),
    ],
)
def test_every_form_of_a_header_is_read(
    text: str, told: tuple[str, str, str, str, str, str]
) -> None:
    assert said(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# just a comment\n",
        "x = 'template=a version=abcdef01'\n",
        "# one\n# two\n# template=a version=abcdef01\n",
        "import os\n# template=a version=abcdef01\n",
        "\n" * 20 + "# template=a version=abcdef01\n",
        "Template=a version=abcdef01\n",
    ],
)
def test_what_is_no_header_is_none(text: str) -> None:
    assert read(text) is None


def test_bug_10_the_header_is_all_of_its_lines_in_every_language() -> None:
    for begin, end in (("# ", ""), ("<!-- ", " -->"), ("// ", "")):
        text = f"{begin}a.py{end}\n{begin}{FIELDS}{end}\nrest\n"
        found = read(text)

        assert found is not None
        assert text[slice(*found.span)] == text.removesuffix("rest\n")


def test_a_header_goes_first_or_behind_what_must_be_first() -> None:
    assert place_of("x\n") == 0
    assert place_of("#!/bin/sh\nx\n") == len("#!/bin/sh\n")
    assert place_of("---\na: b\n---\nx\n") == len("---\na: b\n---\n")
    assert place_of("+++\na = 1\n+++\nx\n") == len("+++\na = 1\n+++\n")
    assert place_of("---\na: b\n") == 0
    assert place_of('<?xml version="1.0"?>\n<a/>\n') == len('<?xml version="1.0"?>\n')


@pytest.mark.parametrize("above", ["\n\n", "# a.py\n\n", "\n# a.py\n"])
def test_a_header_stands_on_the_first_two_lines(above: str) -> None:
    fields = "# template=worker version=0123abcd created=2026-01-01T00:00Z updated=\n"

    assert read(f"{above}{fields}") is None
    assert read(f"#!/usr/bin/python\n# -*- coding: utf-8 -*-\n{fields}") is not None
