"""Verdicts on files and answers that are given by hand."""

from __future__ import annotations

import pytest

from edit_suite.case import Call, Case
from edit_suite.judge import Answer, judge
from edit_suite.place import Snapshot

SAID, REFUSED = Answer(refused=False, text="done"), Answer(refused=True, text="no: line 2 is `b`")
CALL = Call("replace_text", "f", {"old": "b", "new": "B"})
LANDS = Case("x", "x", "exact", (CALL,), {"f": b"a\r\nb\r\n"}, ({"f": b"a\r\nB\r\n"},))
STOPS = Case("x", "x", "near", (CALL,), {"f": b"a\r\nb\r\n"}, place=("b",))
MANY = Call("replace_text", "f", {"edits": [{"old": "a", "new": "A"}, {"old": "x", "new": "y"}]})
BOTH = Case("x", "x", "many", (MANY,), {"f": b"a\nb\n"})
LATIN = Case("x", "x", "encoding", (CALL,), {"f": b"\xe9\nb\n"}, ({"f": b"\xe9\nB\n"},))
RUNS = Case("x", "x", "modes", (CALL,), {"f": b"b\n"}, ({"f": b"B\n"},), modes={"f": 0o755})


@pytest.mark.parametrize(
    ("case", "data", "answer", "harm"),
    [
        (LANDS, b"a\r\nB\r\n", SAID, ""),
        (LANDS, b"a\r\nB\r\n", REFUSED, "false-refusal"),
        (LANDS, b"a\r\nb\r\n", SAID, "false-success"),
        (LANDS, b"a\r\nb\r\n", REFUSED, ""),
        (LANDS, b"a\nB\n", SAID, "line-ends"),
        (LANDS, b"B\r\n", SAID, "lost-bytes"),
        (LANDS, b"A\r\nb\r\n", SAID, "wrong-bytes"),
        (STOPS, b"a\r\nb\r\n", REFUSED, ""),
        (STOPS, b"a\r\nB\r\n", SAID, "wrong-bytes"),
        (BOTH, b"A\nb\n", REFUSED, "half-applied"),
        (BOTH, b"A\nb\n", SAID, "half-applied"),
        (LATIN, b"\xef\xbf\xbd\nB\n", SAID, "encoding"),
        (RUNS, b"B\n", SAID, "metadata"),
    ],
)
def test_bytes_and_answer_name_the_harm(case: Case, data: bytes, answer: Answer, harm: str) -> None:
    found = Snapshot({"f": data}, modes={"f": 0o644})

    assert judge(case, found, [answer], escaped=False).harm == harm


def test_a_write_outside_is_harm_whatever_else_is_right() -> None:
    found = Snapshot({"f": b"a\r\nB\r\n"})

    assert judge(LANDS, found, [SAID], escaped=True).harm == "escaped"


def test_a_file_that_is_left_behind_is_harm() -> None:
    found = Snapshot({"f": b"a\r\nB\r\n", "f.orig": b"a\r\nb\r\n"})

    assert judge(LANDS, found, [SAID], escaped=False).harm == "metadata"


@pytest.mark.parametrize(
    ("text", "helped"),
    [("nearest: `b`", True), ("not found", False), ("decoy, then `b`", False)],
)
def test_a_refusal_helps_if_it_names_the_right_place_first(text: str, helped: bool) -> None:  # noqa: FBT001 - a column
    case = Case("x", "x", "near", (CALL,), {"f": b"decoy\nb\n"}, place=("b",), decoys=("decoy",))
    answer = Answer(refused=True, text=text)

    assert judge(case, Snapshot({"f": b"decoy\nb\n"}), [answer], escaped=False).helped == helped
