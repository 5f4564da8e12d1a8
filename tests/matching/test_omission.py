import pytest

from keyhole.matching.omission import is_body_of_omission, is_brief, only_speaks_of_omission

NAMED = [
    "/* existing code */",
    "# existing implementation",
    "# ... existing code",
    "// your existing code here",
    "# keep your existing code here",
    "# insert existing code here",
    "# omitted",
    "// rest omitted",
    "# same as before",
    "# logic as before",
    "// .. rest",
    "<!-- rest of content -->",
    "{# rest of template #}",
    "% remaining rows omitted",
    "; remaining keys not shown",
    "{/* existing JSX */}",
    "/* remaining styles unchanged */",
    "# other keys remain unchanged",
    "# existing rows unchanged",
    "# existing imports",
    "// code continues here",
    "# The rest of this method is the same as before",
    "# no changes here",
    "// --- snip ---",
    "# <existing code>",
    "# omitted for brevity",
    "<%# existing code %>",
    "{{!-- rest of the template --}}",
    "@* existing markup *@",
]
BRIEF = [
    "# remaining functions",
    "# etc.",
    "# (same)",
    "-- unchanged",
    "(* rest *)",
    "# The rest",
    "# and so on",
    "# [same]",
]
WORDS = [
    "# Existing rows stay unchanged",
    "# existing files are kept",
    "# existing file",
    "# Before",
    "# Other methods",
    "# original implementation",
    "# Same line",
    "# For brevity",
    "# the rest are arguments",
    "# This is the remainder",
    "# the same type",
    "# same for -1",
    "# the rest of the arguments",
    "# keep the rest of the buffer for the next call",
    "# Rest of world",
    "# /etc",
    "# methods, etc.",
    "# x => rest",
    "#rest = ''",
    "# rest2",
    "# not the same",
    "# ...is *not* the same as",
    "# The existing code is slow",
    "# unchanged since the first release",
    "rest of the code",
    "existing code",
    "#",
    "",
]


@pytest.mark.parametrize("line", [*NAMED, *BRIEF])
def test_a_comment_may_say_nothing_but_that_something_is_left_out(line: str) -> None:
    assert only_speaks_of_omission(line)
    assert only_speaks_of_omission(f"\t{line}  ")


@pytest.mark.parametrize("line", WORDS)
def test_any_other_word_makes_it_a_sentence(line: str) -> None:
    assert not only_speaks_of_omission(line)


def test_a_brief_one_names_nothing() -> None:
    told = ["# same as before", "// .. rest", "# no changes here"]

    assert [line for line in NAMED if is_brief(line)] == told
    assert all(map(is_brief, BRIEF))


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("if (x) { /* existing code */ }", True),
        ("def f(): pass  # existing implementation", True),
        ("<div>{/* existing JSX */}</div>", True),
        ("<ul><!-- rest of the content --></ul>", True),
        ("x = 1  # existing code", False),
        ("f({ /* existing rows */ })", False),
        ("def f():  # unchanged", False),
    ],
)
def test_a_body_may_be_nothing_else(line: str, is_one: bool) -> None:  # noqa: FBT001
    assert is_body_of_omission(line) is is_one
