"""What is refused names files as the caller did; the journal goes by the file's one name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit, MoveFile, Operation, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.options import Options
from keyhole.journal.model import Query
from tests.scene import engine_at


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_py="a = 1\n", b_md="# One\n") as made:
        yield made


BAD = {
    "not-found": Edit(find="absent", content="x"),
    "syntax-broken": Edit(find="1", content="("),
    "no-file": Edit(path="none.py", find="1", content="2"),
}


@pytest.mark.parametrize("code", BAD)
@pytest.mark.parametrize("spelling", ["./{}", "{root}/{}"])
def test_a_refusal_names_the_file_as_the_caller_did(
    engine: Engine, code: str, spelling: str
) -> None:
    edit = BAD[code]
    given = spelling.format(edit.path or "a.py", root=engine.root)

    [refusal] = engine.edit([Edit(given, find=edit.find, content=edit.content)], Options()).refusals

    assert (refusal.code, refusal.path) == (code, given)
    assert refusal.headline.count(given) == 1


def test_what_is_quoted_is_not_taken_for_the_name_of_the_file(engine: Engine) -> None:
    [refusal] = engine.edit([Edit("./b.md", segment="b.md", content="x")], Options()).refusals

    assert (refusal.path, refusal.headline) == ("./b.md", "no segment `b.md`")


def test_a_protected_file_is_named_as_the_caller_did(engine: Engine) -> None:
    edit = Edit("./keyhole.toml", find="a", content="b")

    [refusal] = engine.edit([edit], Options()).refusals

    assert (refusal.code, refusal.path) == ("protected-path", "./keyhole.toml")


def test_a_candidate_can_be_accepted_whatever_its_file_was_called(engine: Engine) -> None:
    given = f"{engine.root}/c.py"
    assert engine.write(WriteFile("c.py", "def other():\n    return 1\n"), Options()).ok
    typo = Edit(given, find="def othr():\n    return 1", content="def othr():\n    return 2")

    [refusal] = engine.edit([typo], Options()).refusals
    receipt = engine.edit([Edit(accept=refusal.candidates[0].accept)], Options())

    assert refusal.path == given
    assert receipt.outcome == "applied"


def test_a_candidate_that_is_not_kept_any_more_is_refused(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.candidates._KEPT", 1)
    assert engine.write(WriteFile("c.py", "def other():\n    return 1\n"), Options()).ok
    typo = Edit(find="def othr():\n    return 1", content="def othr():\n    return 2")
    beside = Edit(find="def other", content="def others")

    [refused] = engine.edit([typo, beside], Options(), "c.py").refusals
    accepts = [*(each.accept for each in refused.candidates), "0" * 12]
    found = [engine.edit([Edit(accept=each)], Options()).refusals for each in accepts]

    assert [(each.code, each.edit) for [each] in found] == [("not-found", 0)] * 2


@pytest.mark.parametrize("spelling", ["a.py", "./a.py", "{root}/a.py", ".", "{root}"])
def test_the_history_of_a_file_or_directory_takes_every_spelling(
    engine: Engine, spelling: str
) -> None:
    assert engine.edit([Edit("a.py", find="1", content="2")], Options()).ok

    found = engine.history(HistoryRequest(path=spelling.format(root=engine.root)))

    assert len(found.transactions) == 1


def test_a_refused_call_is_remembered_by_the_name_that_edits_of_the_file_go_by(
    engine: Engine,
) -> None:
    given = f"{engine.root}/a.py"
    engine.edit([Edit(given, find="absent", content="x")], Options(actor="me"))
    engine.edit([BAD["not-found"]], Options(actor="me"), "./a.py")
    engine.edit([Edit("a.py", find="1", content="2")], Options(actor="me"))

    attempts = engine._tree.journal.attempts(Query())
    figures = engine.stats().as_data()

    assert [each.path for each in attempts] == ["a.py", "a.py"]
    assert figures["refusals_until_done"] == {"2": 1}


def test_a_refused_call_for_no_file_of_the_tree_is_remembered_as_it_was_given(
    engine: Engine,
) -> None:
    engine.edit([Edit("../a.py", find="absent", content="x")], Options())

    assert [each.path for each in engine._tree.journal.attempts(Query())] == ["../a.py"]


@pytest.mark.parametrize(
    "operation",
    [WriteFile("new/", "x\n"), MoveFile("a.py", "new/"), Edit("a.py/", find="1", content="2")],
)
def test_a_name_that_ends_as_directories_do_is_that_of_no_file(
    engine: Engine, operation: Operation
) -> None:
    run = engine.edit([operation], Options()) if isinstance(operation, Edit) else None
    receipt = run or engine.write(operation, Options())  # type: ignore[arg-type] # both are writes

    [refusal] = receipt.refusals
    assert (refusal.code, refusal.help) == ("no-file", "name a file in it")
    assert sorted(path.name for path in Path(engine.root).iterdir()) == ["a.py", "b.md"]
