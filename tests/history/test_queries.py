"""An undo of one edit asks the journal a few questions, and decodes each text once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.journal.sqlite import SqliteJournal
from keyhole.text.document import Document
from tests.scene import engine_at

MOST = 8
ALONE = Options(actor="me")
TASK = Options(actor="me", task="t")
OTHER = Options(actor="other", task="u")
TEXT = "".join(f"x{number} = {number}\n" for number in range(200))


def edit(engine: Engine, number: int, options: Options = ALONE) -> str:
    wanted = Edit(find=f"x{number} = {number}\n", content=f"x{number} = 'new'\n")
    return engine.edit([wanted], options, "a.py").transaction


@contextmanager
def queries(engine: Engine) -> Iterator[list[str]]:
    """Record the SELECTs of the journal beside its write transactions, which every edit has."""
    journal = engine._tree.journal
    assert isinstance(journal, SqliteJournal)
    found: list[str] = []

    def trace(statement: str) -> None:
        if statement.startswith("SELECT") and not journal.connection.db.in_transaction:
            found.append(statement)

    journal.connection.db.set_trace_callback(trace)
    try:
        yield found
    finally:
        journal.connection.db.set_trace_callback(None)


def first_of_all(engine: Engine) -> UndoRequest:
    edit(engine, 100)
    return UndoRequest()


def by_id(engine: Engine) -> UndoRequest:
    return UndoRequest(edit(engine, 100))


def one_edit_of_a_call(engine: Engine) -> UndoRequest:
    wanted = [
        Edit(find=f"x{number} = {number}\n", content="new = True\n") for number in (30, 60, 90)
    ]
    return UndoRequest(engine.edit(wanted, ALONE, "a.py").transaction, edit=1)


def after_many(engine: Engine) -> UndoRequest:
    for number in range(100, 140):
        edit(engine, number)
    return UndoRequest()


def of_a_task_after_others(engine: Engine) -> UndoRequest:
    for number in range(100, 110):
        edit(engine, number, OTHER)
    edit(engine, 150, TASK)
    edit(engine, 152, TASK)
    return UndoRequest()


def after_an_undo_and_an_edit(engine: Engine) -> UndoRequest:
    edit(engine, 100)
    engine.undo(UndoRequest(), ALONE)
    edit(engine, 101)
    return UndoRequest()


SITUATIONS = (
    first_of_all,
    by_id,
    one_edit_of_a_call,
    after_many,
    of_a_task_after_others,
    after_an_undo_and_an_edit,
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_py=TEXT) as opened:
        yield opened


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("writes", [True, False], ids=["carried out", "dry run"])
def test_an_undo_of_one_edit_asks_the_journal_at_most_eight_times(
    engine: Engine, situation: Callable[[Engine], UndoRequest], *, writes: bool
) -> None:
    wish = situation(engine)

    with queries(engine) as asked:
        receipt = engine.undo(wish, Options(actor="me", dry_run=not writes))

    assert receipt.ok
    assert len(asked) <= MOST, "\n".join(asked)


def test_an_undo_of_one_edit_decodes_each_text_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = by_id(engine)
    read: list[bytes] = []
    decode = Document.from_bytes

    def decoded(
        data: bytes, encoding: str | None = None, known: Document | None = None
    ) -> Document:
        read.append(data)
        return decode(data, encoding, known)

    monkeypatch.setattr(Document, "from_bytes", staticmethod(decoded))
    receipt = engine.undo(wish, ALONE)

    assert receipt.ok
    assert len(read) == len(set(read)) == 2
