from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.sharing.lease import claim, claims, release_claims
from keyhole.engine.upkeep import end_task
from keyhole.refusals import Refused
from keyhole.sharing.identity import Sharing
from keyhole.sharing.leases import LeaseRequest
from keyhole.sharing.sender import Sharer
from keyhole.workspace.tree import TreeOptions
from tests.postgres import PostgresServer, select_nothing
from tests.team import TEXT, Team, edit, team

pytestmark = pytest.mark.needs("postgres")

CODE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database, {"f.txt": TEXT, "code.py": CODE}) as made:
        yield made


def attempt(
    engine: Engine, task: str, find: str = "line 3\n", path: str = "f.txt", claimed: float = 0.0
) -> Receipt:
    options = Options(task=task, claim=claimed)
    return engine.edit([Edit(find=find, content=f"{task}\n")], options, path)


def refusal(receipt: Receipt) -> tuple[str, str]:
    (found,) = receipt.refusals
    return found.code, found.headline


def let_run_out(engine: Engine) -> None:
    while claims(engine._tree).claims:
        select_nothing(0.05)


def test_a_claimed_file_is_refused_to_other_tasks_of_the_checkout(team: Team) -> None:
    engine = team.open(team.main)
    claim(engine._tree, LeaseRequest("f.txt", "", "A", 60, "alice", "refactoring"))

    code, headline = refusal(attempt(engine, "B"))
    assert code == "conflict"
    assert headline.startswith("task 'A' has claimed f.txt for another ")
    assert refusal(attempt(engine, ""))[0] == "conflict"
    assert attempt(engine, "A").ok


def test_another_process_and_another_machine_on_the_checkout_are_bound_at_once(team: Team) -> None:
    one = team.open(team.main, "one")
    again = team.open(team.main, "one")
    far = team.open(team.main, "far")
    for name, engine in (("one", one), ("again", again), ("far", far)):
        edit(engine, "line 9\n", f"line 9\n{name}\n", "0")

    claim(one._tree, LeaseRequest("f.txt", "", "A", 60))

    assert refusal(attempt(again, "B"))[0] == "conflict"
    assert refusal(attempt(far, "B"))[0] == "conflict"


def test_other_worktrees_are_only_warned(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    claim(one._tree, LeaseRequest("f.txt", "", "A", 60))

    receipt = attempt(other, "B", claimed=60)

    assert receipt.ok
    assert receipt.warnings == ("task A on one has claimed f.txt in another worktree",)
    both = claim(other._tree, LeaseRequest("f.txt", "", "B", 60, reason="mine"))
    assert [(each.task, each.mine) for each in both.claims] == [("B", True), ("A", False)]
    ours, theirs = both.as_text().split("\n")
    assert ours.startswith("f.txt  task B on two, here, for ")
    assert ours.endswith(" s: mine")
    assert theirs.startswith("f.txt  task A on one, in another worktree, for ")


def test_a_segment_is_claimed_alone(team: Team) -> None:
    engine = team.open(team.main)
    claim(engine._tree, LeaseRequest("code.py", "one", "A", 60))

    options = Options(task="B")
    outside = engine.edit([Edit(find="return 2", content="return 3")], options, "code.py")
    assert outside.ok
    inside = engine.edit([Edit(find="return 1", content="return 3")], options, "code.py")
    assert refusal(inside)[1].startswith("task 'A' has claimed code.py `one` for another ")
    with pytest.raises(Refused):
        claim(engine._tree, LeaseRequest("code.py", "", "B", 60))
    assert claim(engine._tree, LeaseRequest("code.py", "two", "B", 60)).claims != ()


def test_the_argument_of_an_edit_claims_what_it_edits(team: Team) -> None:
    engine = team.open(team.main)

    assert attempt(engine, "A", claimed=60).ok
    assert [(each.path, each.task) for each in claims(engine._tree).claims] == [("f.txt", "A")]
    assert refusal(attempt(engine, "B", "line 9\n"))[0] == "conflict"
    assert refusal(attempt(engine, "", "line 9\n", claimed=60))[0] == "bad-request"


def test_a_holder_whose_time_is_over_comes_too_late(team: Team) -> None:
    engine = team.open(team.main)
    claim(engine._tree, LeaseRequest("f.txt", "", "A", 0.3))
    let_run_out(engine)

    code, headline = refusal(attempt(engine, "A"))
    assert code == "conflict"
    assert headline.startswith("the claim of task 'A' on f.txt ran out ")
    assert attempt(engine, "B").ok
    taken = claim(engine._tree, LeaseRequest("f.txt", "", "A", 60)).claims[0]
    assert attempt(engine, "A", "line 9\n").ok
    assert taken.token > 1


def test_tokens_only_grow(team: Team) -> None:
    engine = team.open(team.main)

    tokens = [
        claim(engine._tree, LeaseRequest("f.txt", "", "A", 60)).claims[0].token for _ in range(3)
    ]
    assert tokens == sorted(set(tokens))


def test_what_is_given_back_or_ended_is_free(team: Team) -> None:
    engine = team.open(team.main)
    claim(engine._tree, LeaseRequest("f.txt", "", "A", 60))
    claim(engine._tree, LeaseRequest("code.py", "", "A", 60))
    assert release_claims(engine._tree, "A", "f.txt").claims != ()
    assert attempt(engine, "B").ok

    edit(engine, "line 9\n", "9\n", "A")
    end_task(engine._tree, "A")
    assert claims(engine._tree).claims == ()


def test_a_claim_needs_a_task_a_file_a_time_and_a_shared_journal(
    team: Team, tmp_path: Path
) -> None:
    engine = team.open(team.main)
    alone = Engine.open(team.main, tmp_path / "alone")
    reads = TreeOptions(read_only=True, sharing=Sharing(team.url))
    reader = Engine.open(team.main, tmp_path / "reader", reads)
    for tree, wanted, code in (
        (engine._tree, LeaseRequest("f.txt", "", "", 60), "bad-request"),
        (engine._tree, LeaseRequest("f.txt", "", "A", 1e6), "bad-request"),
        (engine._tree, LeaseRequest("gone.txt", "", "A", 60), "no-file"),
        (engine._tree, LeaseRequest("code.py", "three", "A", 60), "unknown-segment"),
        (alone._tree, LeaseRequest("f.txt", "", "A", 60), "bad-request"),
        (reader._tree, LeaseRequest("f.txt", "", "A", 60), "read-only"),
    ):
        with pytest.raises(Refused) as refused:
            claim(tree, wanted)
        assert refused.value.refusals[0].code == code
    assert refusal(attempt(alone, "A", claimed=60))[0] == "bad-request"
    alone.close()
    reader.close()


def test_without_the_server_no_claim_is_made_and_a_known_one_stands(
    team: Team, postgres: PostgresServer
) -> None:
    engine = team.open(team.main)
    claim(engine._tree, LeaseRequest("f.txt", "", "A", 60))
    claim(engine._tree, LeaseRequest("code.py", "", "A", 0.2))
    let_gone = claims(engine._tree).claims
    while len(let_gone) > 1:
        let_gone = claims(engine._tree).claims
    postgres.stop()
    try:
        assert refusal(attempt(engine, "B"))[0] == "busy"
        assert attempt(engine, "A").ok
        assert refusal(attempt(engine, "A", "return 1", "code.py"))[0] == "busy"
        assert attempt(engine, "B", "return 1", "code.py").ok
        assert refusal(attempt(engine, "A", "line 9\n", claimed=60))[0] == "busy"
    finally:
        postgres.start()


def test_a_worktree_is_warned_of_a_claim_that_was_made_after_its_first_edit(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    edit(other, "line 9\n", "nine\n", "B")
    edit(other, "nine\n", "IX\n", "B")
    claim(one._tree, LeaseRequest("f.txt", "", "A", 60))
    let_pass(1.1)
    warned = edit(other, "IX\n", "ninth\n", "B").warnings
    release_claims(one._tree, "A")
    let_pass(1.1)

    assert warned == ("task A on one has claimed f.txt in another worktree",)
    assert edit(other, "ninth\n", "nine\n", "B").warnings == ()


def test_a_claim_that_is_heard_of_during_an_edit_warns(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    edit(one, "line 10\n", "ten\n", "A")
    for find, content in (("line 9\n", "nine\n"), ("nine\n", "IX\n")):
        edit(other, find, content, "B")
    may_meet = Sharer.may_meet

    def heard(shared: Sharer, paths: list[str]) -> bool:
        claim(one._tree, LeaseRequest("f.txt", "", "A", 60))
        shared._worker.ask(lambda: shared._worked(shared._poll), 9)
        return may_meet(shared, paths)

    monkeypatch.setattr(Sharer, "may_meet", heard)
    receipt = other.edit([Edit(find="IX\n", content="ninth\n")], Options(task="B"), "f.txt")
    monkeypatch.undo()

    assert "task A on one has claimed f.txt in another worktree" in receipt.warnings


def let_pass(seconds: float) -> None:
    """Wait until news of others count as old."""
    select_nothing(seconds)
