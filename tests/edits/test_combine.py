import pytest

from keyhole.refusals import Refusal
from tests.edits.calls import after, edited, read, refused

TEXT = "alpha\nbeta\ngamma\n"


def test_edits_of_one_file_become_one_change() -> None:
    edits = [{"find": "gamma", "content": "G"}, {"find": "alpha", "content": "A"}]
    file = edited(TEXT, *edits)

    assert file.after is not None
    assert file.after.text == "A\nbeta\nG\n"
    assert [edit.index for edit in file.edits] == [0, 1]


def test_without_a_change_the_file_stays_the_same_document() -> None:
    file = edited(TEXT, {"find": "beta", "content": "beta"})

    assert file.after is file.before
    assert file.is_unchanged


@pytest.mark.parametrize(
    "edit",
    [
        {"find": "beta", "content": "B"},
        {"find": "beta", "content": "x", "action": "after"},
        {"lines": 2, "content": "x", "action": "before"},
        {"action": "append", "content": "x"},
    ],
)
def test_the_same_edit_twice_is_made_once(edit: dict[str, object]) -> None:
    once, twice = edited(TEXT, edit), edited(TEXT, edit, edit)

    assert twice.after == once.after
    assert twice.edits[1].notes == ("the same as edit 0, and made once",)


def test_edits_that_change_nothing_are_not_each_others_copies() -> None:
    edit = {"find": "beta", "content": "beta"}

    assert edited(TEXT, edit, edit).edits[1].notes == ("`find` and `content` are the same text",)


def test_an_addition_that_is_like_what_it_follows_was_not_made_before() -> None:
    edits = [{"find": "a\n  c", "content": "a\na\n  c"}, {"find": "c\nd", "content": "c\ndd"}]

    assert after("a\nb\na\n  c\nd\n", *edits) == "a\nb\na\na\n  c\ndd\n"
    assert after("b\na\n  c\nd\nd\n", *edits) == "b\na\na\n  c\ndd\nd\n"


def test_additions_at_one_point_that_are_sent_again_are_not_made_twice() -> None:
    texts = ["a first line of the new ones", "a second line of the new ones"]
    edits = [{"find": "alpha", "content": text, "action": "after"} for text in texts]
    once = after(TEXT, *edits)

    again = edited(once, *edits)

    assert again.is_unchanged
    assert [edit.already_applied for edit in again.edits] == [True, True]


def test_insertions_at_one_point_come_in_the_order_of_the_call() -> None:
    edits: list[dict[str, object]] = [
        {"find": "alpha", "content": "1", "action": "after"},
        {"find": "beta", "content": "2", "action": "before"},
        {"lines": 1, "content": "3", "action": "after"},
    ]

    assert after(TEXT, *edits) == "alpha\n1\n2\n3\nbeta\ngamma\n"


def test_edits_that_overlap_are_refused_naming_both() -> None:
    edits = [
        {"lines": "2-3", "content": "x"},
        {"find": "alpha", "content": "A"},
        {"find": "amma", "content": "y"},
    ]

    (found,) = refused(TEXT, *edits)

    assert found.help.startswith("make one edit of the two; ")
    assert found == (
        Refusal(
            "overlapping-edits",
            "edits 0 and 2 touch the same text of file.txt",
            where="lines 2-3 and lines 3-3",
            help=found.help,
            edit=2,
            path="file.txt",
            hash_current=read(TEXT).hash,
            data={"edits": [0, 2]},
        )
    )


def test_every_edit_that_cannot_be_spelled_is_named() -> None:
    text = "# coding: latin-1\na\nb\nc\n"
    edits = [
        {"find": "a\n", "content": "€\n"},
        {"find": "b\n", "content": "é\n"},
        {"find": "c\n", "content": "x\n€\n"},
    ]
    found = refused(text, *edits)

    assert [(each.code, each.edit, each.where, each.path) for each in found] == [
        ("encoding", 0, "line 1 of the new text", "file.txt"),
        ("encoding", 2, "line 2 of the new text", "file.txt"),
    ]


def test_a_line_that_now_stands_twice_is_noted() -> None:
    file = edited(TEXT, {"find": "beta\n", "content": "beta\nmore\ngamma\n"})

    assert file.edits[0].notes == (
        "the new text ends with the line below, which now stands twice: gamma",
    )


def test_text_that_had_escapes_before_may_have_them_still() -> None:
    text = 'def f():\n    return 1\nprint("a\\n")\n'
    edits = [
        {"find": "def f():\\n    return 1", "content": "def f():\\n    return 2"},
        {"find": 'print("a\\n")', "content": 'print("b\\n")'},
    ]

    assert after(text, *edits) == 'def f():\n    return 2\nprint("b\\n")\n'
