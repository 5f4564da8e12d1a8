"""What a reviewer has seen, whatever is marked in whatever order, by however many at once."""

from __future__ import annotations

import threading
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from keyhole.review_marks import MarkedBy, SeenMarks

_acts = st.lists(
    st.tuples(st.sampled_from(["see", "unsee", "all"]), st.integers(1, 12)), max_size=20
)


@given(_acts)
def test_marks_are_those_of_a_plain_set(acts: list[tuple[str, int]]) -> None:
    marks, seen = SeenMarks(), set[int]()
    for act, order in acts:
        if act == "see":
            marks, seen = marks.with_seen([order]), seen | {order}
        elif act == "unsee":
            marks, seen = marks.with_unseen([order]), seen - {order}
        else:
            marks, seen = marks.with_all_seen(order, ()), seen | set(range(1, order + 1))

    assert [each for each in range(1, 13) if marks.is_seen(each)] == sorted(seen)
    assert marks.unseen(12) == 12 - len(seen)


def test_what_is_still_under_way_is_not_seen_with_the_rest() -> None:
    marks = SeenMarks().with_all_seen(9, {4, 7})

    assert [each for each in range(1, 10) if not marks.is_seen(each)] == [4, 7]
    assert marks.unseen(9) == 2


def test_marks_are_kept_and_a_spoilt_file_is_an_empty_one(tmp_path: Path) -> None:
    marked = MarkedBy(tmp_path / "marks")
    assert not marked.get("ann").known
    marked.change("ann", lambda marks: marks.with_seen([1, 3]).with_file("a.py", "hash"))
    marked.change("bob", lambda marks: marks.with_all_seen(5, ()))

    ann, bob = marked.get("ann"), marked.get("bob")
    assert (ann.looked, ann.ahead, dict(ann.files)) == (1, frozenset({3}), {"a.py": "hash"})
    assert (bob.looked, ann.known) == (5, True)
    assert ann.is_viewed("a.py", "hash")
    assert not ann.is_viewed("a.py", None)
    assert not marked.change("ann", lambda marks: marks.with_file("a.py", "")).files
    for path in (tmp_path / "marks").glob("*[0-9a-f]"):
        path.write_bytes(b"{")
    assert marked.get("ann") == SeenMarks()


def test_ten_who_mark_at_once_lose_no_mark(tmp_path: Path) -> None:
    marked = MarkedBy(tmp_path)

    def mark(first: int) -> None:
        for order in range(first, first + 20):
            marked.change("ann", lambda marks, order=order: marks.with_seen([order]))  # type: ignore[misc]

    threads = [threading.Thread(target=mark, args=(1 + 20 * at,)) for at in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert marked.get("ann").looked == 200
