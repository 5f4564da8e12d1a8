from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, InOrder
from keyhole.engine import proposals as proposing
from keyhole.engine.edit.plan import snapshot_of
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.proposals import Decision, preview_of, proposal, proposals
from keyhole.engine.verdicts import ShownProposal
from keyhole.workspace.tree import TreeOptions
from tests.scene import engine_at

# What JSON holds; the tests know its shape, and a wrong guess fails them.
Data = Any
USER = Options(actor="user")
AGENT = Options(actor="agent", task="t", reason="why", tool="mcp edit", propose=True)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_txt="one\ntwo\nthree\nfour\nfive\n") as engine:
        yield engine


def propose(engine: Engine, *pairs: tuple[str, str]) -> str:
    edits = [Edit(find=old, content=new, reason=f"to {new}") for old, new in pairs]
    receipt = engine.edit(edits, AGENT, "a.txt")
    assert receipt.ok
    return receipt.transaction


def decided(engine: Engine, decision: Decision) -> Receipt:
    return proposing.decide(engine._tree, engine._linting, decision)


def decide(engine: Engine, name: str, comment: str = "", **said: bool) -> Receipt:
    found = proposal(engine._tree, name)
    files = snapshot_of(engine._tree, [file.path for file in found.plan.files]).files
    stands = preview_of(found, files, engine._tree.journal)
    accepted = {unit.key: said.get(f"e{unit.edit}", False) for unit in stands.units}
    return decided(engine, Decision(name, accepted, stands.seal, "anna", comment))


def told(engine: Engine, name: str) -> list[str]:
    return ShownProposal(engine.review.proposal(name)).as_text().split("\n")


def text(engine: Engine, path: str = "a.txt") -> str:
    return engine._tree.read(path).text


def test_a_proposal_writes_nothing_and_says_where_to_ask(engine: Engine) -> None:
    receipt = engine.edit([Edit(find="two", content="2")], AGENT, "a.txt")

    assert (receipt.ok, receipt.outcome) == (True, "proposed")
    assert receipt.transaction.startswith("p-")
    assert text(engine) == "one\ntwo\nthree\nfour\nfive\n"
    assert receipt.as_data()["warnings"] == [
        f"nothing is written yet: a person decides; ask `history` with id {receipt.transaction}"
    ]


def test_the_accepted_edits_are_one_transaction_and_the_verdict_is_in_the_history(
    engine: Engine,
) -> None:
    name = propose(engine, ("one", "1"), ("three", "3"), ("five", "5"))

    done = decide(engine, name, "not the middle", e0=True, e1=False, e2=True)

    assert text(engine) == "1\ntwo\nthree\nfour\n5\n"
    history = engine.history(HistoryRequest())
    assert [past.entry.id for past in history.transactions] == [done.transaction]
    assert history.transactions[0].entry.call.details["accepted_by"] == "anna"
    [offer] = engine.named(name).proposals
    told = offer.as_data()
    assert (told["outcome"], told["transaction"], told["decided_by"], told["comment"]) == (
        "partly-accepted",
        done.transaction,
        "anna",
        "not the middle",
    )
    [file] = cast("list[Data]", offer.as_data()["files"])
    assert [edit["verdict"] for edit in file["edits"]] == ["accepted", "rejected", "accepted"]
    assert "  edit 1 in a.txt: rejected" in offer.as_text().split("\n")


def test_a_proposal_is_carried_over_to_a_file_that_moved_on(engine: Engine) -> None:
    name = propose(engine, ("five", "5"))
    engine.edit([Edit(find="one", content="zero\nhalf\none")], Options(), "a.txt")

    assert decide(engine, name, e0=True).ok
    assert text(engine) == "zero\nhalf\none\ntwo\nthree\nfour\n5\n"


def test_a_proposal_goes_along_with_a_file_that_is_moved(engine: Engine) -> None:
    name = propose(engine, ("five", "5"))
    away = operation_of("a.txt", None, delete=False, move_to="b.txt", allow_shrink=False)
    assert engine.write(away, USER).ok
    edit = Edit(find="one", content="zero\none")
    assert engine.edit([edit], USER, "b.txt").ok

    stands = engine.review.proposal(name)
    [unit] = stands.units
    done = engine.review.decide(Decision(name, {unit.key: True}, stands.seal, "anna", ""))

    assert (unit.path, done.outcome) == ("b.txt", "applied")
    assert text(engine, "b.txt") == "zero\none\ntwo\nthree\nfour\n5\n"


def test_a_proposal_goes_along_with_no_file_that_is_gone(engine: Engine) -> None:
    name = propose(engine, ("five", "5"))
    gone = operation_of("a.txt", None, delete=True, move_to="", allow_shrink=False)
    assert engine.write(gone, USER).ok

    assert [unit.clash for unit in engine.review.proposal(name).units] == ["a.txt is gone"]


def test_an_edit_whose_place_was_changed_can_only_be_rejected(engine: Engine) -> None:
    name = propose(engine, ("two", "2"), ("five", "5"))
    engine.edit([Edit(find="two", content="zwei")], Options(), "a.txt")

    refused = decide(engine, name, e0=True, e1=True)
    rows = told(engine, name)
    done = decide(engine, name, e0=False, e1=True)

    [clash] = [row for row in rows if row.startswith("cannot be carried out: edit 0: ")]
    assert rows.index(clash) == len(rows) - 2
    assert rows[-1].startswith("shown: ")
    assert not told(engine, name)[-1].startswith("shown: ")
    assert [refusal.code for refusal in refused.refusals] == ["stale"]
    assert done.ok
    assert text(engine) == "one\nzwei\nthree\nfour\n5\n"


def test_a_word_is_about_what_was_shown(engine: Engine) -> None:
    name = propose(engine, ("two", "2"))
    found = proposal(engine._tree, name)
    stands = preview_of(found, snapshot_of(engine._tree, ["a.txt"]).files, engine._tree.journal)
    engine.edit([Edit(find="five", content="5")], Options(), "a.txt")
    accepted = {unit.key: True for unit in stands.units}

    late = decided(engine, Decision(name, accepted, stands.seal, "anna"))
    unseen = decided(engine, Decision(name, accepted, "", "anna"))

    assert [each.code for each in (*late.refusals, *unseen.refusals)] == ["stale", "stale"]
    assert text(engine) == "one\ntwo\nthree\nfour\n5\n"


def test_each_edit_needs_a_word_and_gets_one_once(engine: Engine) -> None:
    name = propose(engine, ("one", "1"), ("two", "2"))
    stands = preview_of(
        proposal(engine._tree, name),
        snapshot_of(engine._tree, ["a.txt"]).files,
        engine._tree.journal,
    )

    half = decided(engine, Decision(name, {stands.units[0].key: True}, stands.seal, "anna"))
    rejected = decide(engine, name)
    again = decide(engine, name, e0=True, e1=True)

    assert [each.code for each in half.refusals] == ["bad-request"]
    assert rejected.outcome == "rejected"
    assert [each.code for each in again.refusals] == ["stale"]
    assert text(engine) == "one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize("how", ["create", "delete", "move"])
def test_whole_files_are_proposed_too(engine: Engine, how: str) -> None:
    operation = operation_of(
        "new.txt" if how == "create" else "a.txt",
        "new\n" if how == "create" else None,
        delete=how == "delete",
        move_to="b.txt" if how == "move" else "",
        allow_shrink=False,
    )
    receipt = engine.write(operation, AGENT)
    before = sorted(engine._tree.walk("."))
    assert before == ["a.txt"]

    done = decide(engine, receipt.transaction, eNone=True)

    assert done.ok, done.as_text()
    wanted = {"create": ["a.txt", "new.txt"], "delete": [], "move": ["b.txt"]}
    assert sorted(engine._tree.walk(".")) == wanted[how]


def test_a_workspace_that_proposes_queues_every_edit_and_undoes_nothing(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.txt").write_text("one\n", encoding="utf-8")
    plain = Engine.open(tmp_path / "root", tmp_path / "state")
    plain.edit([Edit(find="one", content="two")], Options(actor="agent"), "a.txt")
    careful = Engine.open(tmp_path / "root", tmp_path / "state", TreeOptions(propose=True))

    receipt = careful.edit([Edit(find="two", content="three")], Options(actor="agent"), "a.txt")
    undo = careful.undo(UndoRequest(), Options(actor="agent"))

    assert receipt.outcome == "proposed"
    assert [refusal.code for refusal in undo.refusals] == ["read-only"]
    assert text(plain) == "two\n"
    assert [each.id for each in proposals(plain._tree)] == [receipt.transaction]


def test_bytes_that_are_no_text_and_lone_surrogates_come_back(engine: Engine) -> None:
    (Path(engine.root) / "raw.txt").write_bytes(b"\xe9 x\r\none\r\n\xe9\r\n")
    receipt = engine.edit([Edit(find="one", content="zwei")], AGENT, "raw.txt")

    assert decide(engine, receipt.transaction, e0=True).ok
    after = (Path(engine.root) / "raw.txt").read_bytes()
    assert after == b"\xe9 x\r\nzwei\r\n\xe9\r\n"


MODE = "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
HUNK = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"
EXCHANGED = (
    "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n"
    "diff --git a/b.txt b/c.txt\nrename from b.txt\nrename to c.txt\n"
)


def accept_all(engine: Engine, name: str) -> tuple[int, Receipt]:
    found = proposal(engine._tree, name)
    files = snapshot_of(engine._tree, [file.path for file in found.plan.files]).files
    stands = preview_of(found, files, engine._tree.journal)
    accepted = {unit.key: not unit.clash for unit in stands.units}
    return len(stands.units), decided(engine, Decision(name, accepted, stands.seal, "anna", ""))


@pytest.mark.parametrize(("patch", "units"), [(MODE, 1), (MODE + HUNK, 2)])
def test_a_mode_is_proposed_and_accepted(engine: Engine, patch: str, units: int) -> None:
    name = engine.patch(patch, AGENT).transaction

    count, done = accept_all(engine, name)

    assert (count, done.ok, done.outcome) == (units, True, "applied")
    assert engine._tree.is_program("a.txt")
    assert text(engine).startswith("1\n" if units > 1 else "one\n")


def test_an_exchange_of_names_is_one_question(engine: Engine) -> None:
    before = text(engine)
    engine.write(operation_of("b.txt", "b\n", delete=False, move_to="", allow_shrink=False), USER)
    name = engine.patch(EXCHANGED, AGENT).transaction

    count, done = accept_all(engine, name)

    assert (count, done.ok) == (1, True)
    assert (text(engine, "b.txt"), text(engine, "c.txt")) == (before, "b\n")
    assert not engine._tree.exists("a.txt")


def test_an_exchange_of_names_that_no_longer_fits_is_not_made_in_part(engine: Engine) -> None:
    engine.write(operation_of("b.txt", "b\n", delete=False, move_to="", allow_shrink=False), USER)
    name = engine.patch(EXCHANGED, AGENT).transaction
    engine.edit([Edit(find="b", content="other")], USER, "b.txt")
    found = proposal(engine._tree, name)
    files = snapshot_of(engine._tree, [file.path for file in found.plan.files]).files

    (unit,) = preview_of(found, files, engine._tree.journal).units

    assert unit.clash == "b.txt is not as it was when this was proposed"
    assert preview_of(found, files, engine._tree.journal).plan.files == ()


def test_a_move_whose_target_came_meanwhile_can_only_be_rejected(engine: Engine) -> None:
    away = operation_of("a.txt", None, delete=False, move_to="b.txt", allow_shrink=False)
    name = engine.write(away, AGENT).transaction
    engine.write(
        operation_of("b.txt", "mine\n", delete=False, move_to="", allow_shrink=False), USER
    )
    found = proposal(engine._tree, name)
    files = snapshot_of(engine._tree, ["a.txt", "b.txt"]).files
    stands = preview_of(found, files, engine._tree.journal)

    refused = decided(engine, Decision(name, {"0": True}, stands.seal, "anna", ""))

    assert [unit.clash for unit in stands.units] == ["b.txt is there since this was proposed"]
    assert [each.code for each in refused.refusals] == ["stale"]
    assert text(engine, "b.txt") == "mine\n"


def test_a_proposal_lands_on_the_line_it_named_and_on_no_twin_of_it(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="f\na\nf\na\n") as engine:
        name = engine.edit([Edit(lines="2", content="A")], AGENT, "a.txt").transaction
        above = Edit(lines="1", action="before", content="f\na\n")
        engine.edit([above], USER, "a.txt")

        accept_all(engine, name)

        assert text(engine) == "f\na\nf\nA\nf\na\n"


def test_a_proposal_at_the_end_is_glued_to_no_line(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\n") as engine:
        edits = [Edit(action="append", content="three"), Edit(lines="1", content="1")]
        name = engine.edit(edits, AGENT, "a.txt").transaction
        (tmp_path / "root/a.txt").write_text("one\ntwo", "utf-8")

        assert decide(engine, name, e0=True, e1=True).ok
        assert text(engine) == "1\ntwo\nthree"


def test_two_accepted_deletions_at_an_open_end_leave_what_is_left(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\nthree\n") as engine:
        edits = [Edit(lines=line, action="delete") for line in ("2", "3")]
        name = engine.edit(edits, AGENT, "a.txt").transaction
        (tmp_path / "root/a.txt").write_text("one\ntwo\nthree", "utf-8")

        assert decide(engine, name, e0=True, e1=True).ok
        assert text(engine) == "one"


def clashes(engine: Engine, name: str) -> list[str]:
    found = proposal(engine._tree, name)
    files = snapshot_of(engine._tree, [file.path for file in found.plan.files]).files
    return [unit.clash for unit in preview_of(found, files, engine._tree.journal).units]


def test_a_proposal_for_a_file_that_is_gone_can_only_be_rejected(engine: Engine) -> None:
    name = propose(engine, ("two", "2"))
    engine.write(
        operation_of("a.txt", None, delete=True, move_to="", allow_shrink=False), Options()
    )

    assert clashes(engine, name) == ["a.txt is gone"]


def test_a_proposal_for_a_line_that_repeats_by_now_can_only_be_rejected(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="head\nfirst line\nlast line\n") as engine:
        name = propose(engine, ("first line", "1st line"))
        twice = "head\nfirst line\nlast line\nhead\nfirst line\nlast line\n"
        (tmp_path / "root/a.txt").write_text(twice, "utf-8")

        [clash] = clashes(engine, name)

        assert clash.startswith("lines of the place repeat in a.txt by now")


def test_edits_that_build_on_each_other_get_one_word(engine: Engine) -> None:
    edits = (Edit(find="two", content="2 and more"), Edit(find="more", content="less"))
    name = engine.edit([InOrder("a.txt", edits)], AGENT).transaction

    accept_all(engine, name)

    assert text(engine) == "one\n2 and less\nthree\nfour\nfive\n"


def test_an_edit_that_changes_nothing_needs_no_word(engine: Engine) -> None:
    name = propose(engine, ("two", "two"), ("five", "5"))

    assert decide(engine, name, e1=True).ok
    assert text(engine) == "one\ntwo\nthree\nfour\n5\n"
