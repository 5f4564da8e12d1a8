import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.answers.side_by_side import Line, RowBlock, RowPair, line_counts, sides
from keyhole.text.document import Document, chop, split_lines

TEXTS = st.text(alphabet="ab c\n\r(é", max_size=60)


def marked(line: Line | None) -> list[str]:
    return [line.text[start:end] for start, end in line.marks] if line else []


def only_change(old: str, new: str) -> RowBlock:
    [block] = [block for block in sides(Document(old), Document(new)).blocks if block.changed]
    return block


def test_two_versions_of_a_line_stand_side_by_side_with_their_words_marked() -> None:
    [pair] = only_change("a = load(path)\n", "a = load(path, limit)\n").pairs

    assert (marked(pair.old), marked(pair.new)) == ([], [", limit"])


def test_a_line_added_above_leaves_the_changed_line_beside_its_old_version() -> None:
    block = only_change("return total / n\n", "if not n:\n    return 0\nreturn total // n\n")

    assert [(p.old and p.old.number, p.new and p.new.number) for p in block.pairs] == [
        (None, 1),
        (None, 2),
        (1, 3),
    ]


def test_lines_that_have_nothing_in_common_carry_no_marks() -> None:
    [pair] = only_change("alpha beta\n", "(((((\n").pairs

    assert pair == RowPair(Line(1, "alpha beta"), Line(1, "((((("))


def test_words_that_changed_in_a_row_are_one_mark() -> None:
    [pair] = only_change(
        "the total number of apples sold\n", "the total number of pears bought\n"
    ).pairs

    assert (marked(pair.old), marked(pair.new)) == (["apples sold"], ["pears bought"])


def test_a_line_that_became_two_stands_beside_one_of_them() -> None:
    block = only_change("alpha beta gamma delta\n", "alpha beta\ngamma delta\n")

    assert [(p.old and p.old.number, p.new and p.new.number) for p in block.pairs] == [
        (None, 1),
        (1, 2),
    ]


def test_very_many_words_are_marked_between_what_begins_and_ends_alike() -> None:
    head, tail = "a " * 1001, " b" * 1001
    [pair] = only_change(f"{head}old{tail}\n", f"{head}new{tail}\n").pairs

    assert (marked(pair.old), marked(pair.new)) == (["old"], ["new"])


@pytest.mark.parametrize(
    "word", ["x" * 4000, "".join(f"{number:x}aB" for number in range(1000)), "é" * 4000]
)
def test_a_very_long_word_is_marked_where_it_changed(word: str) -> None:
    [pair] = only_change(f"a = '{word}'\n", f"a = '{word[:2000]}new{word[2000:]}'\n").pairs
    [late] = only_change(f"a = '{word}'\n", f"a = '{word}end'\n").pairs

    changes = marked(pair.new)
    assert "new" in changes[0]
    assert sum(map(len, changes)) < 300
    assert marked(late.new)[-1].endswith("end")
    assert late.old is not None


def test_very_many_words_that_differ_carry_no_marks() -> None:
    pairs = only_change("x " * 1001 + "\n", "y " * 1001 + "b\n").pairs

    assert [marked(line) for pair in pairs for line in (pair.old, pair.new) if line] == [[], []]


def test_a_difference_in_the_end_of_a_line_is_said() -> None:
    [pair] = only_change("one\r\n", "one").pairs

    assert pair == RowPair(Line(1, "one", (), "CRLF"), Line(1, "one", (), "no newline"))


def test_a_new_file_has_only_a_right_side() -> None:
    found = sides(None, Document("one\ntwo\n"))

    assert (found.added, found.removed) == (2, 0)
    assert [pair.old for block in found.blocks for pair in block.pairs] == [None, None]


@given(TEXTS, TEXTS)
def test_both_sides_read_as_the_texts_they_came_from(old: str, new: str) -> None:
    before, after = Document(old), Document(new)
    found = sides(before, after)
    pairs = [pair for block in found.blocks for pair in block.pairs]

    for document, lines in (
        (before, [pair.old for pair in pairs if pair.old]),
        (after, [pair.new for pair in pairs if pair.new]),
    ):
        wanted = split_lines(document.text, document.terminator)
        assert [line.text for line in lines] == [chop(line) for line in wanted]
        assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@given(TEXTS, TEXTS)
def test_unchanged_rows_are_equal_and_the_counts_are_those_of_the_rows(old: str, new: str) -> None:
    found = sides(Document(old), Document(new))
    same = [pair for block in found.blocks if not block.changed for pair in block.pairs]
    changed = [pair for block in found.blocks if block.changed for pair in block.pairs]

    assert all(pair.old and pair.new and pair.old.text == pair.new.text for pair in same)
    assert found.added == sum(pair.new is not None for pair in changed)
    assert found.removed == sum(pair.old is not None for pair in changed)
    assert (found.added, found.removed) == line_counts(Document(old), Document(new))


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_on_both_sides(old: str, new: str) -> None:
    for block in sides(Document(old), Document(new)).blocks:
        for pair in block.pairs:
            if pair.old and pair.new and (pair.old.marks or pair.new.marks):
                assert "".join(_rest(pair.old).split()) == "".join(_rest(pair.new).split())


def _rest(line: Line) -> str:
    out = list(line.text)
    for start, end in line.marks:
        out[start:end] = [""] * (end - start)
    return "".join(out)


@pytest.mark.parametrize(("indent", "lines"), [(1, (7, 7, 8, 15)), (None, (1, 1, 1, 1))])
def test_a_line_of_a_notebook_is_found_in_its_file(
    indent: int | None, lines: tuple[int, ...]
) -> None:
    cells = [{"cell_type": "raw", "metadata": {}, "source": ["a\n", "b"]}] * 2
    stored = json.dumps({"cells": cells, "nbformat": 4}, indent=indent)
    found = sides(None, Document.from_bytes(stored.encode(), "notebook"))

    assert tuple(found.stored_line(line) for line in (1, 2, 3, 5)) == lines
    assert sides(None, Document("a\n")).stored_line(7) == 7
