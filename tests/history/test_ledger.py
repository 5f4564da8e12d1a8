"""A ledger of a text: who wrote what, and what the text is without some of the steps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keyhole.history.ledger import Ledger, Mark, Owners, Step


class Written:
    """A text that is edited by find and replace, with its ledger beside it."""

    def __init__(self, text: str) -> None:
        self.versions = [text]
        self.ledger = Ledger(len(text))

    @property
    def text(self) -> str:
        return self.versions[-1]

    def put(self, by: int, old: str, new: str) -> None:
        at = self.text.index(old)
        self.splice(by, at, at + len(old), new)

    def splice(self, by: int, start: int, end: int, new: str) -> None:
        self.ledger.take([Step(start, end, len(new), (by, 0))])
        self.versions.append(self.text[:start] + new + self.text[end:])

    def without(self, *orders: int) -> str:
        found = self.ledger.without(lambda mark: mark[0] in orders, self.versions.__getitem__)
        return found.text


def test_the_text_without_a_step_keeps_what_the_others_did() -> None:
    written = Written("one two three")
    written.put(1, "two", "2")
    written.put(2, "three", "3")

    assert written.text == "one 2 3"
    assert (written.without(1), written.without(2)) == ("one two 3", "one 2 three")
    assert written.without(1, 2) == "one two three"


def test_a_step_on_what_a_chosen_one_wrote_goes_with_it() -> None:
    written = Written("a = 1\nb = 2\n")
    written.put(1, "a = 1", "a = 10")
    written.put(2, "a = 10", "a = 11")

    assert written.without(1) == "a = 1\nb = 2\n"
    assert written.without(2) == "a = 10\nb = 2\n"


def test_what_goes_on_in_a_chosen_line_goes_with_it_and_the_next_line_stays() -> None:
    written = Written("a\n")
    written.put(1, "a\n", "a\nb\n")
    written.put(2, "b\n", "b!\n")
    written.put(3, "!\n", "!\nc\n")

    assert written.text == "a\nb!\nc\n"
    assert written.without(1) in {"a\nc\n", "a\n"}
    assert written.without(3) == "a\nb!\n"


def test_a_replacement_stands_where_what_it_replaced_stood() -> None:
    written = Written("d\ne\n")
    written.put(1, "e\n", "E\n")
    written.put(2, "d\n", "D\n")

    assert written.without(1) == "D\ne\n"


def test_the_owner_of_each_character_is_known() -> None:
    written = Written("one two")
    written.put(5, "two", "2")
    owners = written.ledger.owners()

    assert owners.between(0, 4) == set()
    assert owners.between(3, 5) == {(5, 0)}
    assert Owners.of(()).between(0, 1) == set[Mark]()


_splices = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 5), st.text("ab\n", max_size=4)), max_size=12
)


@given(st.text("xy\n", max_size=20), _splices)
def test_without_all_steps_the_text_is_the_first_and_without_none_the_last(
    text: str, splices: list[tuple[int, int, str]]
) -> None:
    written = Written(text)
    for order, (at, length, new) in enumerate(splices, 1):
        start = min(at, len(written.text))
        written.splice(order, start, min(start + length, len(written.text)), new)

    assert written.ledger.length == len(written.text)
    assert written.without() == written.text
    assert written.without(*range(1, len(splices) + 1)) == text


@given(st.text("xy\n", max_size=20), _splices, st.integers(1, 12))
def test_the_last_steps_come_off_to_the_byte(
    text: str, splices: list[tuple[int, int, str]], count: int
) -> None:
    written = Written(text)
    for order, (at, length, new) in enumerate(splices, 1):
        start = min(at, len(written.text))
        written.splice(order, start, min(start + length, len(written.text)), new)
    kept = max(len(splices) - count, 0)

    assert written.without(*range(kept + 1, len(splices) + 1)) == written.versions[kept]
