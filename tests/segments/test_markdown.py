import pytest

from keyhole.segments.markdown import ITEM
from tests.segments.reading import (
    addresses,
    assert_lawful,
    document,
    found,
    lines,
    part,
    read,
    refusal,
    segment,
    whole,
)


def sections(text: str) -> list[tuple[int, str]]:
    return [
        (one.level, one.address) for one in read("a.md", text).segments if one.kind == "section"
    ]


def test_a_section_runs_to_the_next_heading_of_its_level_or_higher() -> None:
    text = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n"

    assert lines("a.md", text) == {
        "A": (1, 15),
        "A::B": (5, 11),
        "A::B::C": (9, 11),
        "A::D": (13, 15),
    }


def test_the_blank_lines_between_sections_belong_to_nobody() -> None:
    text = "## A\n\na\n\n\n\n## B\n\nb\n\n\n"

    assert whole("a.md", text, "A") == "## A\n\na\n"
    assert whole("a.md", text, "B") == "## B\n\nb\n"


def test_a_section_has_a_heading_and_a_body() -> None:
    text = "# A\n\n\na\n\n## B\n\nb\n"

    assert part("a.md", text, "A", "heading") == "# A\n"
    assert part("a.md", text, "A", "body") == "a\n\n## B\n\nb\n"


def test_a_section_without_content_has_an_empty_body_below_its_heading() -> None:
    text = "# A\n\n# B\n"

    assert segment("a.md", text, "A").parts == {"heading": (0, 4), "body": (4, 4)}


def test_the_last_section_of_a_file_ends_with_its_last_line() -> None:
    assert lines("a.md", "# A\ntext\n") == {"A": (1, 2)}
    assert lines("a.md", "# A\ntext") == {"A": (1, 2)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n===\n\nOther\n---\n", [(1, "Title"), (2, "Title::Other")]),
        ("Two\nlines\n---\n", [(2, "Two lines")]),
        ("##Title\n", []),
        ("#tag\n", []),
        ("#!/bin/sh\n", []),
        ("    # code\n", []),
        ("   # three blanks\n", [(1, "three blanks")]),
        ("\t# code\n", []),
        ("## Title ##\n", [(2, "Title")]),
        ("## Title #\n", [(2, "Title")]),
        ("## C#\n", [(2, "C#")]),
        ("####### seven\n", []),
        ("#\n\n##\n", [(1, "#"), (2, "#::##")]),
        ("# \\# escaped\n", [(1, "\\# escaped")]),
        ("- # in a list\n", []),
        ("> # in a quote\n", []),
        ("<!--\n# in a comment\n-->\n", []),
        ("<div>\n# in HTML\n</div>\n", []),
        ("<div>\n\n# after a blank line\n\n</div>\n", [(1, "after a blank line")]),
        ("<script>\n\n# in a script\n\n</script>\n", []),
        ("text\n# interrupts\n", [(1, "interrupts")]),
        ("***\n---\n", []),
        ("# A\n## B\n# A\n## B\n", [(1, "A#1"), (2, "A::B#1"), (1, "A#2"), (2, "A::B#2")]),
        ("## B\n# A\n", [(2, "B"), (1, "A")]),
        ("#### Deep\n## Higher\n", [(4, "Deep"), (2, "Higher")]),
    ],
)
def test_headings_are_those_of_commonmark(text: str, expected: list[tuple[int, str]]) -> None:
    assert sections(text) == expected


@pytest.mark.parametrize(
    "fenced",
    [
        "```\n# no\n```\n",
        "~~~\n# no\n~~~\n",
        "````\n```\n# no\n```\n````\n",
        "```python\n# no\n```python\n# no\n```\n",
        "  ```\n  # no\n  ```\n",
        "```\n# no\n~~~\n# no\n```\n",
    ],
)
def test_a_hash_in_a_fence_is_no_heading(fenced: str) -> None:
    assert sections(f"# A\n\n{fenced}\n# B\n") == [(1, "A"), (1, "B")]


def test_a_fence_that_is_never_closed_holds_everything_below() -> None:
    text = "# A\n\n```\n# no\n\n# nor this\n"

    assert sections(text) == [(1, "A")]
    assert part("a.md", text, "code", "body") == "# no\n\n# nor this\n"


def test_the_text_before_the_first_heading_is_the_preamble() -> None:
    assert whole("a.md", "\n\nintro\n\nmore\n\n# A\n", "preamble") == "intro\n\nmore\n"
    assert addresses("a.md", "# A\n") == ["A"]
    assert whole("a.md", "no heading\n", "preamble") == "no heading\n"


# Code blocks, lists, tables.

BLOCKS = """\
# A

```python
one = 1
```

- item

  ~~~js
  two
  ~~~

- ```sh
  on the line of its item
  ```

> ```rust
> quoted
> ```

    three

| a | b |
|---|---|
| 1 | 2 |

1. first
2. second
"""


def test_blocks_are_found_under_their_language_or_number() -> None:
    assert lines("a.md", BLOCKS) == {
        "A": (1, 28),
        "code:python": (3, 5),
        "list#1": (7, 15),
        "code:js": (9, 11),
        "code#3": (21, 21),
        "table": (23, 25),
        "list#2": (27, 28),
    }


def test_the_body_of_a_code_block_leaves_out_its_fences() -> None:
    assert part("a.md", BLOCKS, "code:python", "body") == "one = 1\n"
    assert part("a.md", BLOCKS, "code:js", "body") == "  two\n"
    assert segment("a.md", BLOCKS, "code:js").indent == "  "
    assert part("a.md", BLOCKS, "code#3", "body") == "    three\n"


def test_an_empty_code_block_has_an_empty_body() -> None:
    text = "```\n```\n"

    assert segment("a.md", text, "code").parts == {"body": (4, 4)}


def test_a_fence_with_only_an_opening_has_an_empty_body() -> None:
    assert segment("a.md", "```py", "code:py").parts == {"body": (5, 5)}


def test_a_fence_line_with_words_behind_it_closes_nothing() -> None:
    text = "```\na\n```python\nb\n```\n"

    assert part("a.md", text, "code", "body") == "a\n```python\nb\n"


@pytest.mark.parametrize(
    ("info", "address"),
    [
        ("rust,ignore", "code:rust"),
        ("{.python #id}", "code:python"),
        ("C++", "code:C++"),
        ("", "code"),
    ],
)
def test_the_language_of_a_fence_is_its_first_word(info: str, address: str) -> None:
    assert addresses("a.md", f"```{info}\nx\n```\n") == ["preamble", address]


# Other texts.


def test_offsets_are_characters_however_many_bytes_they_take() -> None:
    text = "# Ä 😀\n\nö\n\n## ß\n\n😀😀\n"

    assert whole("a.md", text, "ß") == "## ß\n\n😀😀\n"


def test_bytes_that_are_no_text_do_not_hide_the_sections() -> None:
    text = "# A\n\n\udcff\n\n# B\n"

    assert whole("a.md", text, "A") == "# A\n\n\udcff\n"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_change_nothing(end: str) -> None:
    text = "# A\n\nTitle\n---\n\n```py\n# no\n```\n\n| a |\n|---|\n| 1 |\n"
    other = text.replace("\n", end)

    assert lines("a.md", other) == lines("a.md", text)
    assert whole("a.md", other, "Title") == whole("a.md", text, "Title").replace("\n", end)
    assert_lawful(read("a.md", other), other)


def test_a_form_feed_or_a_line_separator_ends_no_line() -> None:
    text = "# A\u2028B\f\n\ntext\x0b\x85more\n\n# C\n"

    assert whole("a.md", text, "C") == "# C\n"
    assert document(text).line_at(text.index("# C")) == 5


def test_a_list_ends_before_the_indent_of_a_heading_below_it() -> None:
    text = "# A\n - one\n\n B\n===\n"

    assert whole("a.md", text, "list") == " - one\n"
    assert_lawful(read("a.md", text), text)


def test_a_thousand_sections_of_one_name_all_have_an_address() -> None:
    text = "## Same\n\ntext\n\n" * 1_000

    assert len(set(addresses("a.md", text))) == 1_000
    assert found("a.md", text, "Same#777") == "Same#777"


def test_a_document_title_does_not_hide_the_sections_below_it() -> None:
    text = "# Doc\n\n## Problem Statement\n\ntext\n"

    assert found("a.md", text, "Problem Statement") == "Doc::Problem Statement"


def test_duplicates_under_other_parents_are_all_there() -> None:
    text = "# A\n\n## X\n\n1\n\n# B\n\n## X\n\n2\n"

    assert refusal("a.md", text, "X").suggestions == ("A::X", "B::X")
    assert whole("a.md", text, "B::X") == "## X\n\n2\n"


@pytest.mark.parametrize("line", ["- a", "* a", "+\ta", "  1. a", "23) a", "-", "1.", "-\nx"])
def test_a_mark_and_a_blank_begin_a_list_item(line: str) -> None:
    assert ITEM.match(line)


@pytest.mark.parametrize("line", ["-a", "1.5", "**a**", "1234567890. a", "-\u00a0a", "a - b", ""])
def test_other_lines_begin_no_list_item(line: str) -> None:
    assert not ITEM.match(line)
