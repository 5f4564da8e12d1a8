import pytest

from keyhole.edits.by_text import quoted
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.matching import view
from tests.edits.calls import PATH, after, edited, offers, placed, read, refusal

TEXT = "def f():\n    a = compute(1)\n    return a\n"


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ({"content": "b = 2"}, TEXT.replace("a = compute(1)", "b = 2")),
        ({"content": "x = 0", "action": "before"}, TEXT.replace("    a =", "    x = 0\n    a =")),
        ({"content": "x = 0\n", "action": "after"}, TEXT.replace("(1)\n", "(1)\n    x = 0\n")),
        ({"content": "x; ", "action": "prepend"}, TEXT.replace("a =", "x; a =")),
        ({"content": "  # x", "action": "append"}, TEXT.replace("(1)", "(1)  # x")),
        ({"action": "delete"}, TEXT.replace("    a = compute(1)\n", "")),
        ({"content": "x", "action": "after", "indent": "keep"}, TEXT.replace("(1)\n", "(1)\nx\n")),
        ({"content": "x", "action": "after", "indent": 2}, TEXT.replace("(1)\n", "(1)\n  x\n")),
        ({"content": "x", "action": "after", "match": "exact"}, TEXT.replace("(1)\n", "(1)\nx\n")),
        (
            {"content": "x\n  y", "indent": 8},
            TEXT.replace("a = compute(1)", "    x\n            y"),
        ),
        ({"content": "x\ny", "indent": "keep"}, TEXT.replace("a = compute(1)", "x\ny")),
        ({"content": "", "action": "after"}, TEXT),
    ],
)
def test_an_action_is_done_at_the_quoted_place(edit: dict[str, object], text: str) -> None:
    assert after(TEXT, {"find": "a = compute(1)", **edit}) == text


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ({"content": "  x = 0", "action": "before"}, TEXT.replace("    a =", "    x = 0\n    a =")),
        ({"content": "  x = 0", "action": "after"}, TEXT.replace("(1)\n", "(1)\n    x = 0\n")),
        ({"action": "delete"}, TEXT.replace("    a = compute(1)\n", "")),
    ],
)
def test_beside_a_tolerated_quote_text_moves_as_the_quote_did(
    edit: dict[str, object], text: str
) -> None:
    assert after(TEXT, {"find": "  a = compute(1)  ", **edit}) == text


def test_a_part_of_a_line_is_deleted_and_added_to_in_the_line() -> None:
    assert after("a b c\n", {"find": " b", "action": "delete"}) == "a c\n"
    assert after("a b c\n", {"find": "b", "content": "x ", "action": "before"}) == "a x b c\n"
    assert after("a b c\n", {"find": "b", "content": "\n", "action": "after"}) == "a b\n c\n"
    assert after("a b\r\n", {"find": "a", "content": "\n", "action": "after"}) == "a\r\n b\r\n"


def test_an_indented_quote_is_in_its_own_frame() -> None:
    edit = {"find": "    return a", "content": "x = 1", "action": "before"}

    assert after(TEXT, edit) == TEXT.replace("    return", "x = 1\n    return")


@pytest.mark.parametrize("action", ["replace", "before", "after", "prepend", "append"])
def test_a_column_needs_a_whole_line(action: str) -> None:
    found = refusal("a b\n", find="a", content="x", indent=4, action=action)

    assert (found.code, found.data) == ("bad-request", {"field": "indent"})
    assert found.headline == "`indent` is a column, and the place is only a part of a line"


@pytest.mark.parametrize("action", ["before", "after", "delete", "replace"])
def test_lines_of_another_structure_are_refused_for_every_action(action: str) -> None:
    text = "if a:\n    one(1)\n    two(2)\n"
    content = {} if action == "delete" else {"content": "x"}
    found = refusal(text, find="if a:\n    one(1)\ntwo(2)\n", action=action, **content)

    assert found.code == "bad-indentation"


def test_new_text_left_of_the_frame_is_refused_beside_a_quote() -> None:
    found = refusal(
        "value = compute(1)\n", find="    value = compute(1)  ", content="x", action="after"
    )

    assert found.code == "bad-indentation"


def test_the_other_places_are_noted() -> None:
    found = placed("a(1)\nb\na(1)\na(1)\n", find="a(1)", content="c", occurrence="first")

    assert (found.found, found.replaced) == (3, 1)
    assert found.notes == ("`find` also stands at lines 3, 4",)


def test_every_place_is_replaced_by_tolerance_too() -> None:
    text = "  value = compute(1)\n    value = compute(1)\n"
    edit = {"find": "value = compute(1) ", "content": "x = 2", "occurrence": "all"}

    assert after(text, edit) == "  x = 2\n    x = 2\n"


def test_an_occurrence_too_many_is_refused() -> None:
    found = refusal("a(1)\n", find="a(1)", content="b", occurrence=2)

    assert found.headline == "there is no occurrence 2: `find` stands once in file.txt"
    assert found.help == "leave it out"


def test_many_places_are_not_counted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quoted, "_MOST_COUNTED", 3)
    found = refusal("a\n" * 9, find="a", content="b")

    assert found.headline == "`find` stands at more than 3 places in file.txt"
    assert after("a\n" * 9, {"find": "a", "content": "b", "occurrence": "all"}) == "b\n" * 9


def test_blanks_alone_are_no_quote() -> None:
    found = refusal("a\n", find=" \n", content="b")

    assert (found.code, found.data) == ("bad-request", {"field": "find"})


def test_a_repaired_quote_that_reads_in_two_ways_is_refused() -> None:
    found = refusal("alpha\nbeta\n", find="alpha\\nbeta", content="alpha\\nc\\td")

    assert found.code == "not-found"
    assert found.headline.endswith("but the new text reads in two ways")


def test_a_removed_line_of_which_words_stay_is_refused() -> None:
    found = refusal("one two\nthree\n", find="two\nthree", content="three")

    assert found.headline == "`find` is in file.txt, but it cuts line 1 in two"


def test_a_quote_that_begins_behind_a_line_cuts_the_line_that_it_ends_in() -> None:
    found = refusal("one\ntwo three\n", find="\ntwo", content="\n2")

    assert found.headline == "`find` is in file.txt, but it cuts line 2 in two"


def test_whole_lines_are_not_offered_where_they_would_be_refused() -> None:
    edit = {"find": "wipe()\nrun", "action": "append", "content": "x", "indent": 4}

    assert refusal("# wipe()\nrun()\n", **edit).headline.endswith("but it cuts line 1 in two")
    assert offers("# wipe()\nrun()\n", **edit) == ()


def test_much_that_is_quoted_is_refused_without_a_look_for_what_is_near() -> None:
    text = "".join(f"line {n} of some text\n" for n in range(2000))
    find = "line 1 of some text\n" + "".join(f"{n:x}()\n" for n in range(2000))

    found = refusal(text, find=find, content="")

    assert (found.code, found.candidates) == ("not-found", ())
    assert found.where.endswith("looking for what is like it would take too long")


def test_blanks_that_stand_as_quoted_are_kept_beside_a_quote_with_other_ones() -> None:
    text = "if a:\n\tb()\n\tc()\nk\n    x()\nj\n\tx()\n"
    spaces = {"find": "if a:\n    b()\n    c()", "content": "if a:\n    b()\n    d()"}

    assert after(text, spaces, {"find": "k\n    x()", "content": "k\n    y()"}) == (
        "if a:\n\tb()\n\td()\nk\n    y()\nj\n\tx()\n"
    )


def test_the_version_shown_last_decides() -> None:
    shown = "one(1)\ntwo(2)\nthree(3)\nfour(4)\n"
    edit = {"find": shown, "content": shown.replace("four(4)", "FOUR")}
    file = edited("ONE\ntwo(2)\nthree(3)\nfour(4)\n", edit, shown=shown)

    assert file.after is not None
    assert file.after.text == "ONE\ntwo(2)\nthree(3)\nFOUR\n"
    assert [found.matched for found in file.edits] == ["base"]


def test_what_is_there_already_is_not_written_again() -> None:
    found = placed("x\nvalue = compute_it(2)\n", find="value = 1", content="value = compute_it(2)")

    assert (found.already_applied, found.changes, found.span) == (True, (), (2, 23))


def test_exact_goes_no_further_than_the_text() -> None:
    found = refusal("    a = compute(1)\n", find="a = compute(1) ", content="b", match="exact")

    assert found.code == "not-found"


def test_a_huge_file_is_searched_to_the_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_MOST_COMPARED", 5)
    found = refusal(TEXT, find="a = compute(1) ", content="b")

    assert found.where == "the file is so large that text is only found to the character"
    assert after(TEXT, {"find": "compute(1)", "content": "2"}) == TEXT.replace("compute(1)", "2")


def test_an_elided_quote_with_several_places_is_refused() -> None:
    text = "first = begin_of_all()\nlast = the_end_of_all()\nlast = the_end_of_all()\n"
    old = "first = begin_of_all()\n...\nlast = the_end_of_all()\n"

    assert refusal(text, find=old, content=old.replace("begin", "start")).code == "ambiguous"


def test_an_offer_is_made_only_where_the_changed_lines_are_as_quoted() -> None:
    old = "def g():\n    a = compute(1)\n    return a\n"

    assert len(offers(TEXT, find=old, content=old.replace("return a", "return b"))) == 1
    assert offers(TEXT, find=old, content=old.replace("def g", "def h")) == ()
    assert offers(TEXT, find=old, content=old) == ()
    assert offers(TEXT, find=old, action="delete") == ()


def test_a_dialect_may_limit_how_many_places_all_means() -> None:
    edit = Edit(path=PATH, find="a", content="b", occurrence="all", most=2, match="exact")

    (file,) = resolve([edit], Snapshot({PATH: read("a a a")})).files

    assert file.after == read("b b a")
    assert file.edits[0].notes == ("`find` also stands at line 1",)


def test_what_stands_to_the_character_is_replaced_to_the_character_if_asked() -> None:
    text = "def f():\n    a = 1\n"
    edit = Edit(path=PATH, find="a = 1", content="a = 1\nb = 2", verbatim=True)

    (file,) = resolve([edit], Snapshot({PATH: read(text)})).files

    assert file.after == read("def f():\n    a = 1\nb = 2\n")


def test_what_stands_otherwise_is_still_found_by_the_ladder() -> None:
    text = "class A:\n    a = 1\n    b = 1\n"
    edit = Edit(path=PATH, find="a = 1\nb = 1", content="a = 2\nb = 2", verbatim=True)

    (file,) = resolve([edit], Snapshot({PATH: read(text)})).files

    assert file.after == read("class A:\n    a = 2\n    b = 2\n")
    assert file.edits[0].matched == "indentation"
