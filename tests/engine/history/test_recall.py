"""The history of a segment: what named it, and what was done inside of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.options import Options

SOURCE = "class A:\n    def run(self):\n        return 1\n\n\ndef run():\n    return 2\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.py").write_text(SOURCE, encoding="utf-8")
    made = Engine.open(tmp_path / "root", tmp_path / "state")
    edits = [
        Edit(segment="A.run", part="body", content="return 10"),
        Edit(find="return 10", content="return 100"),
        Edit(find="return 2", content="return 20"),
    ]
    for number, edit in enumerate(edits):
        assert made.edit([edit], Options(reason=str(number)), "a.py").ok
    yield made
    made.close()


def reasons(engine: Engine, segment: str, **more: int) -> list[str]:
    found = engine.history(HistoryRequest(**more), segment)  # type: ignore[arg-type]
    return [past.entry.call.reason for past in found.transactions]


def test_a_segment_has_what_named_it_and_what_was_done_inside(engine: Engine) -> None:
    assert reasons(engine, "A.run") == ["1", "0"]
    assert reasons(engine, "A") == ["1", "0"]
    assert reasons(engine, "run") == ["2"]
    assert reasons(engine, "ru") == []
    assert reasons(engine, "A", limit=1) == ["1"]


def test_a_look_that_takes_too_long_says_how_far_it_came(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.engine.history.recall._SEGMENT_SECONDS", -1.0)

    found = engine.history(HistoryRequest(), "A")

    assert found.transactions == ()
    assert found.note.startswith("looked no further back than 3-")
    assert found.note.endswith("name the file to see more")


def test_a_look_through_many_transactions_says_how_far_it_came(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = {each.path for each in engine.history(HistoryRequest()).transactions[0].entry.files}
    monkeypatch.setattr("keyhole.engine.history.recall._MOST_LOOKED", 1)
    monkeypatch.setattr("keyhole.engine.history.recall._PAGE", 1)

    found = engine.history(HistoryRequest(path=path), "nowhere")

    assert found.transactions == ()
    assert found.note.startswith("looked no further back than 2-")
    assert "name the file" not in found.note
