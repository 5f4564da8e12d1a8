import pytest

from keyhole.matching.already_applied import applied_since, find_applied
from keyhole.matching.query import Quote
from keyhole.matching.view import View
from keyhole.text.document import Document

BASE = "a = 1\nx = 1\nb = 2\nc = 3\nd = 4\n"
MADE = BASE.replace("x = 1", "x = 2")


def view(text: str) -> View:
    return View(Document(text))


def place(now: str, old: str = "x = 1", new: str = "x = 2", base: str = BASE) -> str | None:
    there = view(now)
    site = applied_since(there, view(base), Quote(old, new), (0, len(there.flat)))
    return there.flat[site.start : site.end] if site else None


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (MADE, "x = 2"),
        (f"top\n{MADE}", "x = 2"),
        (MADE.replace("d = 4", "d = 5"), "x = 2"),
        (MADE.replace("\n", "\r\n"), None),
        (MADE.replace("x = 2", "x = 3"), None),
        (MADE.replace("b = 2", "b = 9"), None),
        (MADE + MADE, None),
        (BASE.replace("x = 1\n", ""), None),
    ],
)
def test_an_edit_that_was_made_is_known_by_its_neighbours(now: str, found: str | None) -> None:
    assert place(now) == found


def test_lines_that_went_are_known_to_have_gone() -> None:
    assert place(BASE.replace("x = 1\n", ""), "x = 1\n", "") == ""


def test_the_last_line_and_the_first_have_one_neighbour() -> None:
    assert place("x\nb\nc\n!", "a", "x", "a\nb\nc\n") == "x"
    assert place("!\na\nb\nx", "c", "x", "a\nb\nc") == "x"


def test_an_edit_that_went_elsewhere_with_its_neighbours_is_not_certain() -> None:
    rest = "".join(f"line {number}\n" for number in range(9))

    assert place(f"{rest}{MADE}", base=f"{BASE}{rest}") is None


def test_a_version_in_which_the_quote_stood_twice_or_nowhere_proves_nothing() -> None:
    assert place(MADE, base=BASE + "x = 1\n") is None
    assert place(MADE, "z = 1", "x = 2") is None
    assert place(BASE, "x = 1", "x = 1") is None


def test_an_edit_whose_kept_lines_are_gone_was_not_made() -> None:
    one, two, rest = "def a():\n    x\n", "def b():\n    y\n", "def c():\n    z\n"

    assert place(f"    x\n{rest}", one + two, one, f"    x\n{one}{two}{rest}") is None
    assert place(rest, one + two, one, one + two + rest) is None
    assert place(one + rest, one + two, one, one + two + rest) == one


def test_the_end_of_the_file_stays_a_neighbour() -> None:
    assert place("b\nc\nd\n", "d\nd\n", "", "a\nb\nc\nd\nd\n") is None
    assert place("b\nc\n", "d\nd\n", "", "a\nb\nc\nd\nd\n") == ""


def test_a_version_that_has_the_quote_decides_against_a_twin() -> None:
    new = "retries = count_of_retries(5)"
    base, now = "retries = 3\nlast = 1\n", f"retries = 4\nlast = 1\n{new}\n"
    there, quote = view(now), Quote("retries = 3", new)
    made = view(base.replace("retries = 3", new))

    site, reason = find_applied(made, [view(base)], quote, (0, len(made.flat))) or (None, "")
    assert (site and site.start, reason) == (0, "the quoted text stood there before")
    assert find_applied(there, [view(base)], quote, (0, len(now))) is None
    assert find_applied(there, [view("other\n")], quote, (0, len(now))) is None
    alone = view(f"last = 1\n{new}\n")
    assert find_applied(alone, [], quote, (0, len(alone.flat))) is not None


def test_it_must_lie_in_the_scope() -> None:
    there = view(MADE)

    assert applied_since(there, view(BASE), Quote("x = 1", "x = 2"), (12, len(MADE))) is None
