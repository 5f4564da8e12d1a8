from keyhole.phrases import say
from keyhole.refusals import Candidate, Refusal
from keyhole.toolsets.wording import at_home, cut, plural, refusal_text, respelled


def test_a_dialect_calls_our_fields_by_its_own_names() -> None:
    refusal = Refusal(
        "not-found",
        say("{find} is not in a"),
        where=say("near {find}: {}", "`find`"),
        help=say("quote {find}"),
    )

    (said,) = respelled([refusal], {"find": "oldText"})

    assert (said.headline, said.where, said.help) == (
        "`oldText` is not in a",
        "near `oldText`: `find`",
        "quote `oldText`",
    )


def test_an_argument_that_nobody_knows_keeps_its_name() -> None:
    unknown = Refusal("bad-request", "unknown argument `find`")

    assert respelled([unknown], {"find": "oldText"}) == (unknown,)


def test_words_that_are_no_fields_stay() -> None:
    (said,) = respelled([Refusal("not-found", "cannot find it")], {"find": "oldText"})

    assert said.headline == "cannot find it"


def test_moves_that_a_dialect_lacks_are_left_out() -> None:
    broken = Refusal("syntax-broken", "x", help="mend it; or not", mend="mend it")
    missing = Refusal("no-file", "there is no file a", help="look at `outline`")
    directory = Refusal("no-file", "a is a directory", help="look", kind="directory")

    helps = [each.help for each in at_home([broken, missing, directory], "use write_file")]

    assert helps == ["mend it", "check the path, or use write_file", "name a file in it"]


def test_a_refusal_is_told_with_what_is_near() -> None:
    refusal = Refusal(
        "not-found",
        "no such text",
        where="line 3",
        help="quote it",
        candidates=(Candidate((2, 3), "2| a\n3| b"),),
    )

    assert refusal_text(refusal) == "no such text\nline 3\nnearest: lines 2-3\n2| a\n3| b\nquote it"


def test_a_text_is_cut_with_dots_only_if_it_is_longer() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc..."


def test_one_has_no_plural() -> None:
    assert [plural(count, "edit") for count in (0, 1, 2)] == ["0 edits", "1 edit", "2 edits"]
