"""Which transactions are those of a segment, however it is spelt."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, Operation, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.history.segment_edits import segment_at
from keyhole.engine.options import Options
from tests.segments.reading import document

GUIDE = "# Guide\n\n## Install\n\ntext\n\n## Use\n\nuse\n"
WORKER = "class A:\n  def run(self):\n    return 1\n\n\nclass B:\n  def run(self):\n    pass\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "root").mkdir()
    made = Engine.open(tmp_path / "root", tmp_path / "state")
    yield made
    made.close()


def done(engine: Engine, reason: str, *operations: Operation) -> None:
    for operation in operations:
        options = Options(reason=reason)
        call = engine.edit([operation], options) if isinstance(operation, Edit) else None
        receipt = call or engine.write(operation, options)  # type: ignore[arg-type]
        assert receipt.ok, receipt.as_text()


def reasons(engine: Engine, segment: str, path: str) -> list[str]:
    found = engine.history(HistoryRequest(path), segment)
    return [past.entry.call.reason for past in found.transactions]


@pytest.mark.parametrize("spelt", ["Install", "## Install", "install", "Guide::Install"])
def test_a_segment_is_found_under_every_spelling(engine: Engine, spelt: str) -> None:
    done(engine, "made", WriteFile("g.md", GUIDE))
    done(engine, "named", Edit(path="g.md", segment="Install", action="append", content="more"))
    done(engine, "quoted", Edit(path="g.md", find="text", content="TEXT"))
    done(engine, "else", Edit(path="g.md", find="use", content="run it", match="exact"))

    assert reasons(engine, spelt, "g.md") == ["quoted", "named", "made"]
    assert reasons(engine, "Guide", "g.md") == ["else", "quoted", "named", "made"]


def test_a_segment_begins_with_the_edit_that_wrote_it(engine: Engine) -> None:
    done(engine, "made", WriteFile("w.py", WORKER))
    stop = "def stop(self):\n    return 2"
    done(engine, "beside", Edit(path="w.py", segment="A.run", action="after", content=stop))
    done(engine, "in it", Edit(path="w.py", find="return 2", content="return 3"))

    assert reasons(engine, "stop", "w.py") == ["in it", "beside"]
    assert reasons(engine, "A.stop", "w.py") == ["in it", "beside"]


def test_a_name_that_fits_two_has_the_edits_of_both(engine: Engine) -> None:
    done(engine, "made", WriteFile("w.py", WORKER))
    done(engine, "one", Edit(path="w.py", segment="A.run", part="body", content="return 5"))
    done(engine, "two", Edit(path="w.py", find="pass", content="return 6"))

    assert reasons(engine, "run", "w.py") == ["two", "one", "made"]
    assert reasons(engine, "B.run", "w.py") == ["two", "made"]
    assert reasons(engine, "C.run", "w.py") == []


def test_a_segment_ends_with_its_file_and_moves_along(engine: Engine) -> None:
    done(engine, "made", WriteFile("w.py", WORKER))
    done(engine, "moved", MoveFile("w.py", "v.py"))
    done(engine, "gone", DeleteFile("v.py"))

    assert reasons(engine, "A.run", "w.py") == ["made"]
    assert reasons(engine, "A.run", "v.py") == ["gone"]


def test_a_place_outside_every_segment_has_none() -> None:
    text = document("x\n\ndef f():\n    pass\n")

    assert segment_at("a.py", text, 0) == ""
    assert segment_at("a.py", text, 10) == "f"
    assert segment_at("a.py", document("def f():\n    pass\n" + "#" * 500_001), 3) == ""
