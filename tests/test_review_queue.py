"""Proposals in their files: kept whole, private, bounded."""

import stat
from pathlib import Path

import pytest

from keyhole import review_queue as queue_module
from keyhole.edits.model.plan import Diagnostic, FilePlan, LocatedEdit, Plan
from keyhole.refusals import Refused
from keyhole.review_queue import Proposer, Queue, ReviewVerdict, is_proposal
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

CHANGE = Change(0, 3, "zwei \ud800")
BEFORE = Document.from_bytes("one é\r\n".encode("latin-1"), "latin-1")
PLAN = Plan(
    (
        FilePlan(
            "a.txt",
            BEFORE,
            Document("zwei"),
            ChangeSet(len(BEFORE.text), (CHANGE,)),
            (
                LocatedEdit(
                    0, (CHANGE,), "whitespace", "seg", reason="why", notes=("n",), span=(0, 3)
                ),
            ),
            diagnostics=(Diagnostic("warning", "c", "m", 1, 2),),
        ),
    )
)


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path / "proposed")


def test_a_proposal_comes_back_as_it_was(queue: Queue) -> None:
    made = queue.add(Proposer(1.5, "agent", "task", "tool", "reason \ud800", "strict"), PLAN)

    found = queue.get(made.id)

    assert found is not None
    assert (found.asked, found.verdict, found.outcome) == (made.asked, None, "proposed")
    [file] = found.plan.files
    assert file.before is not None
    assert (file.before.to_bytes(), file.changes) == (BEFORE.to_bytes(), PLAN.files[0].changes)
    assert (file.edits, file.diagnostics) == (PLAN.files[0].edits, PLAN.files[0].diagnostics)


def test_a_request_that_is_carried_out_again_queues_its_plan_once(queue: Queue) -> None:
    first, again = (queue.add(Proposer(time), PLAN, "session:7") for time in (1.0, 2.0))
    other = queue.add(Proposer(3.0), PLAN, "session:8")
    queue.decide(first, ReviewVerdict(4.0, "me"))
    later = queue.add(Proposer(5.0), PLAN, "session:7")

    assert (again.id, again.asked) == (first.id, first.asked)
    assert len({first.id, other.id, later.id}) == len(queue.all()) == 3


def test_only_its_owner_can_read_a_proposal(queue: Queue, tmp_path: Path) -> None:
    made = queue.add(Proposer(1.0), PLAN)

    path = tmp_path / "proposed" / made.id
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_verdict_is_kept_and_moves_the_mark(queue: Queue) -> None:
    assert (queue.mark(), queue.all()) == ("", [])
    made = queue.add(Proposer(1.0), PLAN)
    mark = queue.mark()

    for accepted, rejected, outcome in (
        (("0.0",), (), "accepted"),
        ((), ("0.0",), "rejected"),
        (("0.0",), ("0.1",), "partly-accepted"),
    ):
        verdict = ReviewVerdict(2.0, "anna", accepted, rejected, "c", "7-abcd")
        queue.decide(made, verdict)
        found = queue.get(made.id)
        assert found is not None
        assert (found.verdict, found.outcome) == (verdict, outcome)
    assert queue.mark() != mark


def test_names_that_are_none_and_damaged_files_are_no_proposals(
    queue: Queue, tmp_path: Path
) -> None:
    made = [queue.add(Proposer(1.0), PLAN).id for _ in range(3)]
    files = [tmp_path / "proposed" / name for name in made]
    body = files[0].read_bytes()
    for file, damaged in zip(files, (b"{", b"[]", body.replace(b"eJ", b"AA")), strict=True):
        file.write_bytes(damaged)

    assert [queue.get(name) for name in (*made, "p-zzzzzzzz", "../x", "")] == [None] * 6
    assert queue.all() == []
    assert not is_proposal("12-abcd")


def test_too_many_that_wait_are_refused_and_old_verdicts_forgotten(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_module, "MOST_OPEN", 2)
    monkeypatch.setattr(queue_module, "_MOST_DECIDED", 1)
    first, second = queue.add(Proposer(1.0), PLAN), queue.add(Proposer(2.0), PLAN)

    with pytest.raises(Refused, match="proposals wait for a person already"):
        queue.add(Proposer(3.0), PLAN)
    for each in (first, second):
        queue.decide(each, ReviewVerdict(4.0, "anna"))

    assert [each.id for each in queue.all()] == [second.id]


def test_those_that_were_decided_keep_none_out(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(queue_module, "MOST_OPEN", 2)
    for _ in range(2):
        queue.decide(queue.add(Proposer(1.0), PLAN), ReviewVerdict(2.0, "anna", ("0.0",)))
    (tmp_path / "proposed" / "p-00000000").write_bytes(b"{")

    made = [queue.add(Proposer(3.0), PLAN).id for _ in range(2)]

    assert {each.id for each in queue.all() if each.verdict is None} == set(made)
    with pytest.raises(Refused, match="proposals wait for a person already"):
        queue.add(Proposer(4.0), PLAN)


def test_others_are_not_read_to_add_one(queue: Queue, tmp_path: Path) -> None:
    (tmp_path / "proposed" / "p-00000000").mkdir(parents=True)  # which nobody can read as a file

    made = queue.add(Proposer(1.0), PLAN)

    assert queue.get(made.id) is not None
