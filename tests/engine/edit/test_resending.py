"""A call that comes again because its answer was lost, after somebody else wrote to the file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest
from keyhole.fastclasses import replace
from tests.scene import engine_at

APPEND = Edit(path="a.txt", content="- three\n- four\n", action="append")
FIRST = "- one\n- two\n"
ADDED = FIRST + "- three\n- four\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_txt=FIRST) as opened:
        yield opened


def text(engine: Engine) -> str:
    return (Path(engine.root) / "a.txt").read_text(encoding="utf-8")


def save(engine: Engine, body: str) -> None:
    (Path(engine.root) / "a.txt").write_text(body, encoding="utf-8")


def send(engine: Engine, edit: Edit = APPEND, actor: str = "me", task: str = "") -> Receipt:
    return engine.edit([edit], Options(actor=actor, task=task))


def test_what_still_stands_is_told_as_made(engine: Engine) -> None:
    send(engine)
    save(engine, f"# list\n{ADDED}- five\n")

    receipt = send(engine)

    assert receipt.outcome == "already-applied"
    assert "already stands at line 4" in receipt.as_text()
    assert text(engine) == f"# list\n{ADDED}- five\n"


def test_what_was_changed_since_is_refused_and_offered(engine: Engine) -> None:
    send(engine)
    save(engine, ADDED.replace("three", "3"))

    (refusal,) = send(engine).refusals

    assert refusal.code == "stale"
    assert "it would stand twice" in refusal.headline
    (there,) = refusal.candidates
    assert send(engine, Edit(path="a.txt", accept=there.accept)).ok
    assert text(engine) == f"{FIRST}- 3\n- four\n- three\n- four\n"


def test_what_is_gone_comes_again(engine: Engine) -> None:
    send(engine)
    save(engine, f"{FIRST}- five\n")

    assert send(engine).outcome == "applied"
    assert text(engine) == f"{FIRST}- five\n- three\n- four\n"


def test_who_read_the_file_since_means_a_second_copy(engine: Engine) -> None:
    send(engine)
    save(engine, f"{ADDED}- five\n")
    engine.read("a.txt", ReadRequest(), "me")

    assert send(engine).outcome == "applied"
    assert text(engine) == f"{ADDED}- five\n- three\n- four\n"


def test_who_made_the_file_means_what_is_added_to_it(engine: Engine) -> None:
    assert engine.write(WriteFile("b.txt", ADDED), Options(actor="me")).ok
    (Path(engine.root) / "b.txt").write_text(f"{ADDED}- five\n", encoding="utf-8")

    receipt = send(engine, replace(APPEND, path="b.txt"))

    assert receipt.outcome == "applied"


@pytest.mark.parametrize(("actor", "task"), [("you", ""), ("me", "t")])
def test_another_caller_is_another_call(engine: Engine, actor: str, task: str) -> None:
    send(engine)
    save(engine, f"{ADDED}- five\n")

    assert send(engine, actor=actor, task=task).outcome == "applied"


def test_exact_always_writes(engine: Engine) -> None:
    edit = Edit(path="a.txt", find="- two\n", content="- two\n- b\n", match="exact")
    send(engine, edit)
    save(engine, f"{text(engine)}- five\n")

    assert send(engine, edit).outcome == "applied"
    assert text(engine).count("- b\n") == 2


def test_a_call_that_was_undone_is_made_again(engine: Engine) -> None:
    from keyhole.engine.history.recall import UndoRequest

    done = send(engine)
    save(engine, f"{ADDED}- five\n")
    assert engine.undo(UndoRequest(done.transaction), Options(actor="you")).ok

    assert send(engine).outcome == "applied"


def test_a_blank_line_that_comes_again_is_there_once(engine: Engine) -> None:
    edit = Edit(path="a.txt", lines=1, content="\n", action="after")
    send(engine, edit)

    assert send(engine, edit).outcome == "already-applied"
    assert text(engine) == "- one\n\n- two\n"


def test_a_call_of_two_edits_is_told_as_one(engine: Engine) -> None:
    edits = [APPEND, Edit(path="a.txt", content="# list\n", action="prepend")]
    engine.edit(edits, Options(actor="me"))
    save(engine, f"{text(engine)}- five\n")

    assert engine.edit(edits, Options(actor="me")).outcome == "already-applied"


def test_a_part_of_a_call_is_another_call(engine: Engine) -> None:
    blank = Edit(path="a.txt", lines="0", action="after", content="\n")
    more = Edit(path="a.txt", lines="2", action="after", content="- three\n")
    engine.edit([blank, more], Options(actor="me"))

    send(engine, blank)

    assert text(engine) == f"\n\n{FIRST}- three\n"


def test_a_call_with_another_file_is_another_call(engine: Engine) -> None:
    blank = Edit(path="a.txt", lines="0", action="after", content="\n")
    (Path(engine.root) / "b.txt").write_text("b\n", encoding="utf-8")
    send(engine, blank)

    engine.edit([blank, Edit(path="b.txt", find="b", content="c")], Options(actor="me"))

    assert text(engine) == f"\n\n{FIRST}"
