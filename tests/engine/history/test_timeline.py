from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.history.timeline import Cursor, Filter, Item, page
from keyhole.engine.options import Options
from tests.scene import engine_at


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_txt="0\n") as engine:
        yield engine


def count_up(engine: Engine, times: int) -> None:
    for number in range(times):
        edit = Edit(find=f"{number}\n", content=f"{number + 1}\n")
        assert engine.edit([edit], Options(reason=f"step {number + 1}"), "a.txt").ok


def refuse(engine: Engine) -> None:
    assert not engine.edit([Edit(find="nowhere", content="x")], Options(), "a.txt").ok


def said(item: Item) -> str:
    return item.past.entry.call.reason if item.past else "refused"


def walked(engine: Engine, wanted: Filter, size: int) -> list[list[str]]:
    """Every page from the first to the last, by following the cursors."""
    pages, cursor = [], Cursor()
    while True:
        found = page(engine._tree.journal, wanted, cursor, size=size)
        pages.append([said(item) for item in found.items])
        if not found.next:
            return pages
        cursor = Cursor.of(found.next)


def test_pages_show_every_moment_once_with_refusals_where_they_happened(engine: Engine) -> None:
    count_up(engine, 2)
    refuse(engine)
    refuse(engine)
    engine.edit([Edit(find="2\n", content="3\n")], Options(reason="step 3"), "a.txt")
    refuse(engine)

    shown = ["refused", "step 3", "refused", "refused", "step 2", "step 1"]
    for size in (1, 2, 3, 4, 6, 10):
        pages = walked(engine, Filter(), size)
        assert [each for one in pages for each in one] == shown
        assert all(len(one) <= size for one in pages)


def test_a_page_that_is_just_full_has_no_next(engine: Engine) -> None:
    count_up(engine, 4)

    assert [len(one) for one in walked(engine, Filter(), 2)] == [2, 2]
    assert walked(engine, Filter(refusals=False), 4) == [["step 4", "step 3", "step 2", "step 1"]]


def test_what_became_of_a_transaction_can_be_asked_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.engine.history.timeline._CHUNK", 2)
    count_up(engine, 2)
    assert engine.undo(UndoRequest("2"), Options(reason="back")).ok
    refuse(engine)

    found = {
        outcome: walked(engine, Filter(outcome=outcome), 10)[0]
        for outcome in ("applied", "undone", "undo", "refused", "not_applied")
    }

    assert found == {
        "applied": ["step 1"],
        "undone": ["step 2"],
        "undo": ["back"],
        "refused": ["refused"],
        "not_applied": [],
    }


def test_a_search_reads_reasons_names_and_changed_lines(engine: Engine) -> None:
    path = Path(engine.root) / "b.py"
    path.write_text("def f():\n    value = 1\n    other = 2\n", encoding="utf-8")
    options = Options(reason="why", task="t", actor="me")
    assert engine.edit([Edit(find="value = 1", content="value = 7")], options, "b.py").ok
    count_up(engine, 1)

    for text in ("WHY", "b.py", "value = 7", "value = 1", "    value"):
        assert walked(engine, Filter(text=text), 10) == [["why"]], text
    assert walked(engine, Filter(text="other = 2"), 10) == [[]]
    assert walked(engine, Filter(segment="f"), 10) == [["why"]]


def test_a_search_that_takes_too_long_says_how_far_it_came_and_goes_on(engine: Engine) -> None:
    count_up(engine, 3)
    journal = engine._tree.journal

    first = page(journal, Filter(text="step 1"), Cursor(), seconds=-1)
    rest = page(journal, Filter(text="step 1"), Cursor.of(first.next))

    assert (first.items, first.stopped > 0) == ((), True)
    assert [said(item) for item in rest.items] == ["step 1"]


def test_a_cursor_that_is_none_is_the_beginning() -> None:
    assert [Cursor.of(each) for each in ("", "x", "1", "_x", "'; DROP")] == [Cursor()] * 5
    assert Cursor.of(str(Cursor(7, 1.25))) == Cursor(7, 1.25)
    assert Cursor.of(str(Cursor(None, 1.25))) == Cursor(None, 1.25)


def test_a_search_reads_files_that_come_and_go(engine: Engine) -> None:
    for text, delete in (("a needle\n", False), (None, True)):
        operation = operation_of("b.txt", text, delete=delete, move_to="", allow_shrink=False)
        assert engine.write(operation, Options(reason="gone" if delete else "came")).ok

    assert walked(engine, Filter(text="Needle"), 10) == [["gone", "came"]]
    assert walked(engine, Filter(text="haystack"), 10) == [[]]
