import pytest

from tests.edits.calls import after, offers, placed, refusal

TEXT = """\
class A:
    def f(self):
        one()
        two()
        return 1

    def g(self):
        return 1
"""


def test_the_middle_need_not_be_quoted() -> None:
    edit = {"find": "        one()", "until": "        two()", "content": "        three()"}

    assert after(TEXT, edit) == TEXT.replace("one()\n        two()", "three()")


@pytest.mark.parametrize(
    ("find", "content"),
    [
        ("def f(self):", "def f(self):\n    return 2"),
        ("def f(self):", "def f(self):\n        return 2"),
        ("def f(self):  ", "def f(self):\n    return 2"),
        ("  def f(self):  ", "  def f(self):\n      return 2"),
    ],
)
def test_new_text_is_in_the_frame_of_the_first_quote(find: str, content: str) -> None:
    edit = {"find": find, "until": "two()\n        return 1", "content": content}

    assert after(TEXT, edit) == (
        "class A:\n    def f(self):\n        return 2\n\n    def g(self):\n        return 1\n"
    )


def test_exactly_means_exactly() -> None:
    edit = {"find": "def f", "until": "two()", "content": "x\ny", "match": "exact"}

    assert after(TEXT, edit).startswith("class A:\n    x\ny\n        return 1\n")


def test_the_span_can_be_deleted_or_added_to() -> None:
    ends = {"find": "        one()", "until": "        two()"}

    assert after(TEXT, {**ends, "action": "delete"}) == TEXT.replace(
        "        one()\n        two()\n", ""
    )
    assert after(TEXT, {**ends, "action": "after", "content": "x"}).count("two()\nx\n") == 1
    assert placed(TEXT, **ends, content="x").span == (26, 53)


def test_the_looser_of_the_two_ends_names_the_rung() -> None:
    found = placed(
        TEXT, find="def f(self):", until="        return 1\n\n    def g(self): ", content="x"
    )

    assert found.matched == "whitespace"


BEHIND = "file.txt within the named place"
PLACES = "places in file.txt"
BLANKS = "blanks, which stand everywhere"


@pytest.mark.parametrize(
    ("edit", "code", "headline"),
    [
        ({"find": "zzz", "until": "two()"}, "not-found", "`find` is not in file.txt"),
        ({"find": "one()", "until": "zzz"}, "not-found", f"`until` is not in {BEHIND}"),
        ({"find": "two()", "until": "one()"}, "not-found", f"`until` is not in {BEHIND}"),
        ({"find": "one()", "until": "return 1"}, "ambiguous", f"`until` stands at 2 {PLACES}"),
        ({"find": "return 1", "until": "1"}, "ambiguous", "`find` stands at 2 places in file.txt"),
        (
            {"find": "return 1", "until": "x", "occurrence": "all"},
            "bad-request",
            "`until` goes with one place, not with occurrence all",
        ),
        ({"find": "one()", "until": " "}, "bad-request", f"`until` holds only {BLANKS}"),
    ],
)
def test_both_ends_have_one_place(edit: dict[str, object], code: str, headline: str) -> None:
    found = refusal(TEXT, content="x", **edit)

    assert (found.code, found.headline) == (code, headline)


def test_an_end_that_is_not_as_quoted_is_refused() -> None:
    text = "one(1)\n\n\n\ntwo(2)\nthree(3)\nfour(4)\n"

    assert refusal(text, find="one(1)\n\ntwo(2)", until="four(4)", content="x").code == "not-found"


def test_new_text_that_the_frame_cannot_place_is_refused() -> None:
    text = "one(1, 2, 3)\ntwo(2)\n"
    found = refusal(text, find="    one(1, 2, 3)  ", until="two(2)", content="x\ny")

    assert found.code == "bad-indentation"


@pytest.mark.parametrize("match", ["tolerant", "exact"])
def test_the_span_ends_in_the_block_that_find_begins(match: str) -> None:
    edit = {"find": "    def f(self):", "until": "def g(self):\n        return 1", "match": match}
    out = {"find": "        one()", "until": "    def g(self):\n        return 1", "match": match}

    assert after(TEXT, {**edit, "action": "delete"}) == "class A:\n"
    assert after(TEXT, {**out, "action": "delete"}) == "class A:\n    def f(self):\n"


def test_a_span_that_leaves_its_block_is_offered() -> None:
    text = TEXT.replace("return 1\n", "return 2\n", 1)
    edit = {"find": "def f(self):", "until": "return 1", "action": "delete"}
    found = refusal(text, **edit)
    (offer,) = offers(text, **edit)

    assert found.headline == "`until` stands at line 8 of file.txt, outside of the block of line 2"
    assert found.where == "line 7 is in another block: `def g(self):`"
    assert [each.accept for each in found.candidates] == [offer.accept]


def test_a_span_that_leaves_its_block_and_changes_nothing_has_no_offer() -> None:
    text = TEXT.replace("return 1\n", "return 2\n", 1)
    whole = text[text.index("def f") : -1]
    found = refusal(text, find="def f(self):", until="return 1", content=whole)

    assert [each.accept for each in found.candidates] == [""]
    assert found.help == "quote how the block itself ends"
