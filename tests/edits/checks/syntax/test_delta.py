import pytest

from keyhole.edits.checks.syntax.compare import delta
from keyhole.edits.checks.syntax.problem import ProblemDelta
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff


def told(syntax: str, before: str | None, after: str) -> tuple[list[str], list[str]]:
    """Return the messages of what is new and certain, and of what was there."""
    changes = diff(before or "", after)
    found = delta(syntax, before, after, changes)
    return (
        [each.message for each in found.new if not each.doubtful],
        [each.message for each in found.old],
    )


def test_a_sound_text_has_nothing_to_tell() -> None:
    assert told("json", None, "[1]\n") == told("json", "[1\n", "[1]\n") == ([], [])


def test_in_a_new_text_all_is_new() -> None:
    assert told("json", None, "[1,,2]\n") == (["Expecting value"], [])


def test_in_a_sound_text_all_is_new() -> None:
    assert told("json", "[1]\n", "[1,,2]\n") == (["Expecting value"], [])


def test_nothing_changed_brings_nothing() -> None:
    text = "[1,,]\n"

    found = delta("json", text, text, ChangeSet(len(text)))

    assert (found.new, len(found.old)) == ((), 1)


def test_an_old_problem_that_moved_is_old() -> None:
    before = "def a():\n    return (1\n\n\ndef b():\n    return 2\n"

    assert told("python", before, f"import os\n\n\n{before}") == ([], ["'(' was never closed"])


def test_json_with_comments_stays_so() -> None:
    before = '{\n  // why\n  "a": 1\n}\n'

    assert told("json", before, before.replace("1", "2")) == ([], [])
    assert told("json", before, before.replace("1", "1 1")) == (["Expecting ',' delimiter"], [])
    assert told("json", '{"a" 1}\n', '{"a" 2}\n') == ([], ["Expecting ':' delimiter"])


def test_a_text_in_python_2_may_go_on_in_it() -> None:
    before = "def a():\n    print 'a'\n\n\ndef b():\n    return 1\n"

    new, old = told("python", before, before.replace("return 1", "print 'b'"))

    assert new == []
    assert old == ["Missing parentheses in call to 'print'. Did you mean print(...)?"]
    assert told("python", before, before.replace("return 1", "return (1"))[0] == [
        "'(' was never closed"
    ]


def test_a_dialect_is_known_by_what_it_has_all_over() -> None:
    before = "".join(f"describe 'thing {n}'\n  it 'works'\nend\n" for n in range(5))

    new, old = told("javascript", before, f"{before}describe 'more'\n  it 'works'\nend\n")

    assert new == []
    assert old


def test_a_bracket_that_is_lost_in_a_dialect_is_a_problem() -> None:
    before = "".join(f"describe 'thing {n}'\n  it(works({n}))\nend\n" for n in range(5))

    assert told("javascript", before, before.replace("works(3))", "works(3)"))[0] != []


def test_macros_make_a_grammar_doubtful_but_brackets_do_not() -> None:
    before = "int f(int a UNUSED)\n{\n    return a;\n}\n"

    assert told("c", before, before.replace("a UNUSED", "a UNUSED, int b UNUSED"))[0] == []
    assert told("c", before, before.replace("return a;", "return (a;"))[0] != []


def test_a_repair_that_is_not_complete_is_no_breakage() -> None:
    before = "a { b: c;\nd { e: f;\ng { h: i;\n"

    assert told("css", before, before.replace("b: c;", "b: c; }"))[0] == []


def test_one_more_breakage_in_the_same_piece_is_told_by_the_brackets() -> None:
    before = "f([1, (2]);\n"

    assert told("javascript", before, "f([1, ((2]);\n")[0] != []


def test_front_matter_is_a_text_of_its_own() -> None:
    text = "---\na: [1\nb: 2\n---\n\n# Text {{{\n"

    assert told("markdown", text, text.replace("{{{", "(((")) == ([], [])
    assert told("markdown", text, text.replace("b: 2", "b: 3")) == ([], ["unexpected `[1`"])
    assert told("markdown", text, text.replace("b: 2", "b: 2\nb: 3"))[0] == [
        "the key `b` is there twice"
    ]
    assert told("markdown", None, text) == (["unexpected `[1`"], [])
    assert told("markdown", text, "# Text\n") == ([], [])


def test_front_matter_that_was_never_closed_is_old() -> None:
    text = "---\na: 1\n\n# Text\n"

    assert told("markdown", text, f"{text}more\n") == ([], ["the front matter is not closed"])
    assert told("markdown", "---\na: 1\n---\n", text) == (["the front matter is not closed"], [])


def test_the_place_of_front_matter_counts() -> None:
    before = "---\na: 1\n---\n"
    changes = ChangeSet(len(before), (Change(9, 9, "a: 2\n"),))

    found = delta("markdown", before, changes.apply(before), changes)

    assert [each.start for each in found.new] == [9]


@pytest.mark.parametrize("syntax", ["python", "json", "yaml", "toml", "xml", "go", "html"])
def test_an_emptied_file_is_sound(syntax: str) -> None:
    assert delta(syntax, "((( <a> [", "", diff("((( <a> [", "")) == ProblemDelta()
