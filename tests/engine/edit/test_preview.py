"""A dry run is refused for what the call would be refused for, and finds what it would find."""

from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, Operation
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest
from keyhole.fastclasses import replace
from keyhole.workspace.tree import TreeOptions
from tests.scene import put

ME = Options(actor="me", task="mine")
TEXT = "one\ntwo\nthree\n"


def engine_with(base: Path, options: TreeOptions | None = None) -> Engine:
    for path, body in {"a.txt": TEXT, ".git/config": "[a]\n"}.items():
        put(base / "root", path, body)
    return Engine.open(base / "root", base / "state", options)


def both(engine: Engine, options: Options, *edits: Operation) -> tuple[Receipt, Receipt]:
    """Make a call as a dry run, and then in earnest."""
    return engine.edit(edits, replace(options, dry_run=True)), engine.edit(edits, options)


TWO = Edit("a.txt", find="two", content="2")
CASES: dict[str, tuple[TreeOptions | None, Options, Edit]] = {
    "protected-path": (None, ME, Edit(".git/config", find="a", content="b")),
    "path-denied": (TreeOptions(allow_extensions=("md",)), ME, TWO),
    "read-only": (TreeOptions(task_mode="generate"), ME, TWO),
    "conflict": (None, ME, TWO),
}


@pytest.mark.parametrize("code", CASES)
def test_a_dry_run_is_refused_as_the_call_is(tmp_path: Path, code: str) -> None:
    allowed, options, edit = CASES[code]
    engine = engine_with(tmp_path, allowed)
    if code == "conflict":
        assert engine.edit([replace(edit, content="zwei")], Options(actor="you", task="yours")).ok
        edit = replace(edit, find="zwei")

    ahead, done = both(engine, options, edit)

    assert [each.code for each in done.refusals] == [code]
    assert ahead == done
    engine.close()


def test_a_dry_run_tells_of_conflicts_and_leaves_out_what_the_call_would(tmp_path: Path) -> None:
    engine = engine_with(tmp_path)
    assert engine.edit([TWO], Options(actor="you", task="yours")).ok
    edits = Edit("a.txt", find="2", content="II"), Edit("a.txt", find="three", content="3")

    ahead, done = both(engine, replace(ME, on_conflict="skip"), *edits)

    assert [conflict["skipped"] for conflict in ahead.conflicts] == [True]
    assert ahead.conflicts == done.conflicts
    assert ahead.files[0].hash_after == done.files[0].hash_after
    engine.close()


def test_a_dry_run_knows_what_the_caller_was_shown(tmp_path: Path) -> None:
    engine = engine_with(tmp_path)
    engine.read("a.txt", ReadRequest(), "me")
    put(tmp_path / "root", "a.txt", "ONE\ntwo\nthree\n")
    edit = Edit("a.txt", find="one\ntwo\nthree", content="one\ntwo\n3")

    ahead, done = both(engine, ME, edit)

    placed = [receipt.files[0].plan.edits[0].matched for receipt in (ahead, done)]
    assert placed == ["base", "base"]
    engine.close()


@pytest.mark.parametrize("allowed", [{"read_only": True}, {"task_mode": "analyze"}], ids=str)
def test_where_nothing_may_be_written_a_dry_run_says_what_one_would_write(
    tmp_path: Path, allowed: dict[str, object]
) -> None:
    make: Callable[..., TreeOptions] = TreeOptions
    engine = engine_with(tmp_path, make(**allowed))

    assert engine.edit([TWO], replace(ME, dry_run=True)).outcome == "verified"
    engine.close()
