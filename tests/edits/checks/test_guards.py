import pytest

from keyhole.edits.checks.guards import echoes, mistakes_in, new_lines
from keyhole.edits.model.operations import DeleteFile
from keyhole.text.changes import Change
from keyhole.text.document import Document
from tests.edits.planned import created, planned, replaced

MERGE = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"


def codes(path: str, before: str, old: str, new: str, syntax: str = "") -> list[str]:
    return [each.code for each in mistakes_in(replaced(path, before, (old, new)), syntax)]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("b", "x", [(2, "x\n")]),
        ("b\n", "x\ny\n", [(2, "x\ny\n")]),
        ("b\n", "", []),
        ("c", "", [(4, "\n")]),
        ("\nb", "", []),
        ("b\nc", "bc", [(2, "bc\n")]),
        ("a\nb\nc", "ax\nb\ncx", [(0, "ax\n"), (5, "cx\n")]),
    ],
)
def test_new_lines_are_the_lines_that_changes_touch(
    old: str, new: str, lines: list[tuple[int, str]]
) -> None:
    assert new_lines(replaced("a.txt", "a\nb\nc\n", (old, new))) == lines


def test_two_changes_on_a_line_are_one_line() -> None:
    assert new_lines(replaced("a.txt", "a b c\n", ("a", "x"), ("c", "z"))) == [(0, "x b z\n")]


def test_a_file_that_goes_has_no_new_lines() -> None:
    (file,) = planned("a\n", DeleteFile("a.txt")).files

    assert new_lines(file) == []


@pytest.mark.parametrize("character", ["\0", "\x01", "\x0b", "\x1b", "\x7f", "\f"])
def test_a_control_character_is_told(character: str) -> None:
    (problem,) = mistakes_in(replaced("a.txt", "ab\n", ("ab", f"a{character}b")), "")

    assert (problem.code, problem.start, problem.end) == ("control-characters", 1, 2)


@pytest.mark.parametrize("character", ["\t", "\r", "\x85", "\u2028", "\ufeff", "\u200b"])
def test_other_blanks_are_text(character: str) -> None:
    assert codes("a.txt", "ab\n", "ab", f"a{character}b") == []


def test_a_control_character_that_the_file_has_is_its_own_affair() -> None:
    assert codes("a.c", "\fint a;\nint b;\n", "int b;", "\fint b;") == []


def test_marks_of_a_merge_are_told() -> None:
    (problem,) = mistakes_in(replaced("a.py", "x\ny\n", ("y", MERGE + "y")), "python")

    assert (problem.code, problem.start, problem.end) == ("merge-markers", 2, 9)


@pytest.mark.parametrize("mark", ["<<<<<<< ours", ">>>>>>> theirs", "||||||| base", "<<<<<<<"])
def test_one_mark_that_was_left_is_enough_in_code(mark: str) -> None:
    assert codes("a.py", "x\n", "x", mark) == ["merge-markers"]


@pytest.mark.parametrize(
    "line", ["=======", "<<<<<<", "<<<<<<<<", " <<<<<<< x", "a <<<<<<< b", "<<<<<<<x"]
)
def test_what_only_resembles_a_mark_is_text(line: str) -> None:
    assert codes("a.py", "x\n", "x", line) == []


def test_in_prose_a_quotation_is_no_mark_but_a_whole_conflict_is() -> None:
    assert codes("a.txt", "x\n", "x", ">>>>>>> seven times quoted") == []
    assert codes("a.txt", "x\n", "x", MERGE) == ["merge-markers"]


def test_a_file_about_merges_may_go_on() -> None:
    assert codes("a.py", f'"""\n{MERGE}"""\nx\n', "\nx", f"\n{MERGE}x") == []


def test_an_example_in_a_code_block_of_markdown_is_text() -> None:
    block = f"```\n{MERGE}# ... existing code ...\n```"

    assert codes("a.md", "x\n", "x", block, "markdown") == []
    assert codes("a.md", "x\n", "x", MERGE, "markdown") == ["merge-markers"]
    assert codes("a.md", "x\n", "x", "```\n\0\n```", "markdown") == ["control-characters"]


@pytest.mark.parametrize(
    "line",
    [
        "# ... existing code ...",
        "// rest of the file unchanged",
        "    // ... rest of code ...",
        "<!-- ... rest of the document ... -->",
        "… (rest of the code unchanged)",
    ],
)
def test_a_placeholder_for_code_is_told(line: str) -> None:
    assert codes("a.txt", "x\ny\n", "y", line) == ["elision-left"]
    assert [each.code for each in mistakes_in(created("b.txt", f"x\n{line}\n"), "")] == [
        "elision-left"
    ]


def test_the_placeholder_is_told_by_its_line() -> None:
    (problem,) = mistakes_in(
        replaced("a.py", "x\ny\n", ("y", "a\n  # ... existing code ...\nb")), ""
    )

    assert (problem.start, problem.end) == (4, 29)


def test_a_placeholder_that_the_file_has_is_its_own_affair() -> None:
    assert codes("a.py", "# ... existing code ...\ny\n", "y", "  # ... existing code ...") == []


def test_dots_alone_are_code() -> None:
    assert codes("a.py", "x\n", "x", "def f(): ...\nof code\n...") == []


def test_an_indent_that_mixes_is_told_in_python_only() -> None:
    before = "if x:\n    y\n"

    assert codes("a.py", before, "    y", "    \ty", "python") == ["bad-indentation"]
    assert codes("a.c", before, "    y", "    \ty", "c") == []


def test_new_text_that_repeats_the_line_beside_it_is_noted() -> None:
    document = Document("above\nold\nbelow\n")

    assert list(echoes(document, [Change(6, 10, "above\nnew\n")])) == [
        "the new text begins with the line above, which now stands twice: above"
    ]
    assert list(echoes(document, [Change(6, 10, "new\nbelow\n")])) == [
        "the new text ends with the line below, which now stands twice: below"
    ]
    assert list(echoes(document, [Change(6, 10, "new\n"), Change(6, 10, "\n")])) == []
