from keyhole.dialects.wording import cut, plural, respelled, told
from keyhole.refusals import Candidate, Refusal


def test_a_dialect_calls_our_fields_by_its_own_names() -> None:
    refusal = Refusal("not-found", "`find` is not in a", where="near `find`", help="quote `find`")

    (said,) = respelled([refusal], {"find": "oldText"})

    assert (said.headline, said.where, said.help) == (
        "`oldText` is not in a",
        "near `oldText`",
        "quote `oldText`",
    )


def test_words_that_are_no_fields_stay() -> None:
    (said,) = respelled([Refusal("not-found", "cannot find it")], {"find": "oldText"})

    assert said.headline == "cannot find it"


def test_a_refusal_is_told_with_what_is_near() -> None:
    refusal = Refusal(
        "not-found",
        "no such text",
        where="line 3",
        help="quote it",
        candidates=(Candidate((2, 3), "2| a\n3| b"),),
    )

    assert told(refusal) == "no such text\nline 3\nnearest: lines 2-3\n2| a\n3| b\nquote it"


def test_a_text_is_cut_with_dots_only_if_it_is_longer() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc..."


def test_one_has_no_plural() -> None:
    assert [plural(count, "edit") for count in (0, 1, 2)] == ["0 edits", "1 edit", "2 edits"]
