"""What the past tells of commits that failed, and of texts that the journal lost."""

import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.disk import kernel
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.audit import audit
from keyhole.engine.history.blame import blame, history_of
from keyhole.engine.history.changes import ChangesRequest
from keyhole.engine.history.compare import compare_entry, counts
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.history.timeline import Cursor, Filter, page
from keyhole.engine.options import Options
from keyhole.journal.model import Query
from tests.scene import engine_at


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_py="def one():\n    return 1\n") as engine:
        assert edited(engine, "return 1", "return 10")
        yield engine


def edited(engine: Engine, old: str, new: str) -> bool:
    edit = Edit(find=old, content=new, reason=f"{old} to {new}")
    return engine.edit([edit], Options(), "a.py").ok


def found(engine: Engine, *, outcome: str = "", text: str = "") -> list[str]:
    wanted = Filter(outcome=outcome, text=text, refusals=False)
    items = page(engine._tree.journal, wanted, Cursor()).items
    return [item.past.entry.id for item in items if item.past]


def test_a_commit_that_the_disk_failed_is_told_as_such(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(fd: int) -> None:
        raise OSError(errno.EIO, f"Input/output error of {fd}")

    with monkeypatch.context() as patch:
        patch.setattr(kernel, "flush", broken)
        assert not edited(engine, "return 10", "return 100")
    assert edited(engine, "return 10", "return 20")

    last, failed, first = engine._tree.journal.entries(Query())
    assert found(engine, outcome="not_applied") == [failed.id]
    assert found(engine, outcome="applied") == [last.id, first.id]
    records = [each for each in audit(engine._tree.journal, Query(), ()).records if each.entry]
    assert [each.articles[0].status for each in records] == ["updated", "error", "updated"]
    one = history_of(engine._tree, "a.py", "one")
    assert [touch.reason for touch in one.touches] == [
        "return 10 to return 20",
        "return 1 to return 10",
    ]


def test_an_answer_does_without_the_texts_that_were_lost(engine: Engine) -> None:
    assert edited(engine, "return 10", "return 20")
    with sqlite3.connect(engine._tree.state / "journal.db") as db:
        db.execute("DELETE FROM blob")
    journal = engine._tree.journal
    [entry, _] = journal.entries(Query())

    [compared] = compare_entry(journal, entry)
    diff = engine.review.diff(ChangesRequest())
    [changed] = diff.files
    [one] = blame(engine._tree, "a.py")

    lost = "the journal no longer keeps the version "
    assert str(compared.note).startswith(lost)
    assert str(changed.comparison.note).startswith(lost)
    assert f"\na.py: {lost}" in diff.as_text()
    assert counts(journal, entry.files[0]) == (0, 0)
    assert one.touches == ()
    assert engine.history(HistoryRequest("a.py"), "one").transactions == ()
    assert found(engine, text="return 20") == [entry.id]  # its reason says so
    assert found(engine, text="def one") == []
