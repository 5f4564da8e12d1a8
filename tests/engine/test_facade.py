"""What doors ask the engine beside its walks: of its files, its past, and its name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest
from keyhole.refusals import Refused
from tests.scene import engine_at

ME, OTHER = Options(actor="me"), Options(actor="other")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        yield engine


def edited(engine: Engine, old: str, new: str, options: Options = ME) -> str:
    receipt = engine.edit([Edit(find=old, content=new)], options, "a.txt")
    assert receipt.ok, receipt.as_text()
    return receipt.transaction


def test_a_document_is_the_version_that_is_named_where_it_is_known(engine: Engine) -> None:
    first = engine.read("a.txt", ReadRequest(), "me").hash
    edited(engine, "one", "two")

    assert engine.document("a.txt").rows == ("two",)
    assert engine.document("a.txt", first, "me").rows == ("one",)
    assert engine.document("a.txt", "0" * 16, "me").rows == ("two",)
    with pytest.raises(Refused) as error:
        engine.document("none.txt")
    assert error.value.refusals[0].code == "no-file"


def test_the_last_edit_is_the_caller_s_own_and_not_undone(engine: Engine) -> None:
    first = edited(engine, "one", "two")
    second = edited(engine, "two", "three")
    edited(engine, "three", "four\nfive", OTHER)
    assert engine.last_edit("./a.txt", "me") == second

    edited(engine, "four\nfive", "three", OTHER)
    assert engine.undo(UndoRequest(id=second), ME).ok

    assert engine.last_edit("a.txt", "me") == first
    assert engine.last_edit("a.txt", "nobody") == ""


def test_the_last_edit_is_found_behind_more_than_a_page_of_undone_ones(engine: Engine) -> None:
    first = edited(engine, "one", "two")
    for _ in range(26):
        assert engine.undo(UndoRequest(id=edited(engine, "two", "three")), ME).ok

    assert engine.last_edit("a.txt", "me") == first


def test_news_are_what_was_done_since_the_last_look(engine: Engine) -> None:
    edited(engine, "one", "two")
    first = engine.news(None, 0.0, 10)
    nothing = engine.news(first.newest, 0.0, 10)
    name = edited(engine, "two", "three")
    later = engine.news(first.newest, 0.0, 10)

    assert len(first.transactions) == 1
    assert nothing.transactions == ()
    assert [past.entry.id for past in later.transactions] == [name]
    assert later.newest > nothing.newest == first.newest


def test_an_engine_knows_its_transactions_and_proposals(engine: Engine) -> None:
    name = edited(engine, "one", "two")
    proposed = edited(engine, "two", "three", Options(actor="me", propose=True))

    assert [engine.knows(each) for each in (name, proposed, "9-abcd")] == [True, True, False]


def test_a_refusal_s_offer_names_its_file(engine: Engine) -> None:
    edited(engine, "one", "one two\nthree")
    receipt = engine.edit([Edit(find="two\nthree", content="2\n3")], ME, "a.txt")
    (candidate, *_) = receipt.refusals[0].candidates

    assert engine.offered(candidate.accept) == "a.txt"
    assert engine.offered("000000000000") == ""


def test_the_root_holds_paths_in_either_spelling(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    engine = Engine.open(tmp_path / "link", tmp_path / "state")

    held = [engine.holds(f"{tmp_path}/{name}") for name in ("real/a", "link/a", "other/a")]
    engine.close()

    assert held == [True, True, False]
    assert engine.root == str(tmp_path / "real")


@pytest.mark.parametrize(
    ("edit", "restored"),
    [
        (Edit(find="two\n", content="2\n"), "one\ntwo\nthree\n"),
        (Edit(lines="2", action="after", content="more"), "one\ntwo\nthree\n"),
        (Edit(lines="2", action="delete"), "one\ntwo\nthree\n"),
        (Edit(find="one\n", content="1\n"), "one\ntwo\nTHREE\n"),
    ],
)
def test_an_undo_of_what_somebody_put_back_is_no_conflict(
    tmp_path: Path, edit: Edit, restored: str
) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\nthree\n") as engine:
        done = engine.edit([edit], ME, "a.txt")
        Path(engine.root, "a.txt").write_text(restored, encoding="utf-8")

        receipt = engine.undo(UndoRequest(id=done.transaction), ME)

        warning = f"the files are already as they were before {done.transaction}"
        assert (receipt.outcome, receipt.warnings) == ("unchanged", (warning,))
        assert Path(engine.root, "a.txt").read_text(encoding="utf-8") == restored


def test_an_undo_takes_back_the_rest_of_what_somebody_put_back(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\nthree\nfour\nfive\n") as engine:
        edits = [Edit(find="one\n", content="1\n"), Edit(find="five\n", content="5\n")]
        done = engine.edit(edits, ME, "a.txt")
        assert engine.edit(
            [Edit(find="1\n", content="one\n")], Options(on_conflict="force"), "a.txt"
        ).ok

        receipt = engine.undo(UndoRequest(id=done.transaction), ME)

        [file] = receipt.files
        assert file.plan.warnings == (
            f"some lines are already as they were before {done.transaction}",
        )
        text = Path(engine.root, "a.txt").read_text(encoding="utf-8")
        assert text == "one\ntwo\nthree\nfour\nfive\n"
        again = engine.undo(UndoRequest(id=done.transaction), ME)
        assert [each.code for each in again.refusals] == ["nothing-to-undo"]


def test_an_undo_of_what_was_changed_once_more_is_a_conflict(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\nthree\n") as engine:
        done = engine.edit([Edit(find="two\n", content="2\n")], ME, "a.txt")
        Path(engine.root, "a.txt").write_text("one\ntwo!\nthree\n", encoding="utf-8")

        receipt = engine.undo(UndoRequest(id=done.transaction), ME)

        assert [each.code for each in receipt.refusals] == ["undo-conflict"]
