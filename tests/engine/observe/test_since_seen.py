from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.checkpoints.happenings import AFTER, BEFORE, PROMPT, Happening
from keyhole.edits.model.operations import DeleteFile, Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest, Shape
from tests.scene import engine_at, put

LINES = "".join(f"line {number}\n" for number in range(1, 31))
ACTOR = "claude-code 2.1"
ME, OTHER = Options(actor=ACTOR), Options(actor="codex")


@pytest.fixture(name="engine")
def _engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, app_py=LINES) as engine:
        engine.checkpoints.look()
        yield engine


def read(engine: Engine) -> tuple[str, ...]:
    return engine.read("app.py", ReadRequest(), ACTOR).warnings


def edited(engine: Engine, old: str, new: str, who: Options = ME) -> Receipt:
    receipt = engine.edit([Edit(find=f"{old}\n", content=f"{new}\n")], who, "app.py")
    assert receipt.ok, receipt.as_text()
    return receipt


def told(receipt: Receipt) -> list[str]:
    return [each for file in receipt.files for each in file.plan.warnings]


def save(engine: Engine, old: str, new: str) -> None:
    path = Path(engine.root, "app.py")
    text = path.read_text(encoding="utf-8")
    assert f"{old}\n" in text
    path.write_text(text.replace(f"{old}\n", f"{new}\n" if new else ""), encoding="utf-8")


def shell(engine: Engine, old: str, new: str, host: str, session: str) -> None:
    """Change a file by a tool of a host, with its hooks around it."""
    look = engine.checkpoints.look
    look(Happening(BEFORE, host, session, "p", "Bash", "u", "sed"))
    save(engine, old, new)
    look(Happening(AFTER, host, session, "p", "Bash", "u", "sed"))


def test_what_a_person_did_is_in_the_next_read_and_only_there(engine: Engine) -> None:
    assert read(engine) == ()
    save(engine, "line 10", "ten\nten and a half")
    save(engine, "line 20", "twenty")

    reading = engine.read("app.py", ReadRequest(lines="1-3"), ACTOR)

    said = "a person changed lines 10-11, 21 of app.py since you read it"
    assert reading.warnings == (said,)
    assert reading.as_data()["warnings"] == [said]
    assert reading.as_text().split("\n")[1] == f"warning: {said}"
    assert read(engine) == ()


def test_what_a_person_did_is_in_the_next_receipt_and_only_there(engine: Engine) -> None:
    read(engine)
    save(engine, "line 10", "ten")

    receipt = edited(engine, "line 5", "five\nand a half")

    # The lines are those that the file has with the edit.
    said = "a person changed line 11 of app.py since you read it"
    assert told(receipt) == [said]
    assert said in receipt.as_text()
    assert said in receipt.as_text("lean")
    assert "ten" in Path(engine.root, "app.py").read_text(encoding="utf-8").split("\n")[10]
    assert not told(edited(engine, "line 6", "six"))
    assert read(engine) == ()


def test_what_was_changed_since_an_own_edit_says_so(engine: Engine) -> None:
    edited(engine, "line 5", "five")
    save(engine, "line 10", "")

    said = "a person took away what was behind line 9 of app.py since you edited it"
    assert engine.outline("app.py", Shape(), ACTOR).as_data()["warnings"] == [said]


def test_a_rehearsal_tells_and_does_not_count_as_told(engine: Engine) -> None:
    read(engine)
    save(engine, "line 10", "ten")
    rehearsal = Options(actor=ACTOR, dry_run=True)

    assert told(edited(engine, "line 5", "five", rehearsal)) == told(edited(engine, "line 5", "5"))


def test_ones_own_session_is_no_news_and_other_sessions_are(engine: Engine) -> None:
    look = engine.checkpoints.look
    look(Happening(PROMPT, "claude-code", "mine", "p"))
    read(engine)
    shell(engine, "line 2", "two", "claude-code", "mine")
    assert read(engine) == ()
    shell(engine, "line 4", "four", "claude-code", "mine")
    shell(engine, "line 3", "three\nand a half", "codex", "theirs")
    shell(engine, "line 6", "six", "claude-code", "mine")
    save(engine, "line 8", "eight")

    assert read(engine) == (
        "codex:Bash changed lines 3-4 of app.py since you read it",
        "a person changed line 9 of app.py since you read it",
    )


def test_of_two_sessions_of_a_host_each_is_told_of_the_other(engine: Engine) -> None:
    read(engine)
    shell(engine, "line 2", "two", "claude-code", "one")
    shell(engine, "line 4", "four", "claude-code", "other")
    # A call of ours is a tool at work, too, and says whose the caller is.
    ours = ("claude-code", "one", "p", "mcp__keyhole__read", "k")
    engine.checkpoints.look(Happening(BEFORE, *ours))
    save(engine, "line 6", "six")

    assert read(engine) == (
        "claude-code:Bash changed line 4 of app.py since you read it",
        "a person changed line 6 of app.py since you read it",
    )


def test_other_agents_that_edit_with_keyhole_are_told_of(engine: Engine) -> None:
    read(engine)
    edited(engine, "line 3", "three", OTHER)
    edited(engine, "line 5", "five")

    assert read(engine) == ()
    edited(engine, "line 7", "seven", OTHER)
    edited(engine, "line 8", "eight", OTHER)
    assert read(engine) == ("codex changed lines 7-8 of app.py since you read it",)


def test_a_file_that_is_again_as_it_was_is_no_news(engine: Engine) -> None:
    read(engine)
    save(engine, "line 10", "ten")
    engine.checkpoints.look()
    save(engine, "ten", "line 10")

    assert read(engine) == ()


def test_whoever_never_saw_the_file_is_told_nothing(engine: Engine) -> None:
    save(engine, "line 10", "ten")
    engine.checkpoints.look()

    assert not told(edited(engine, "line 5", "five"))


def test_whoever_took_a_file_away_is_told_nothing_of_the_next_one(engine: Engine) -> None:
    assert engine.write(DeleteFile("app.py"), ME).ok
    put(Path(engine.root), "app.py", "new\n")

    assert read(engine) == ()


def test_what_another_process_saw_and_did_is_known(tmp_path: Path, engine: Engine) -> None:
    read(engine)
    save(engine, "line 10", "ten")

    with engine_at(tmp_path) as later:
        assert read(later) == ("a person changed line 10 of app.py since you read it",)


def test_many_places_are_counted(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    read(engine)
    for number in range(1, 30, 2):
        save(engine, f"line {number}", f"LINE {number}")

    [said] = read(engine)

    assert said.startswith("a person changed lines 1, 3, 5, 7, 9 and 10 more places of app.py")
    monkeypatch.setattr("keyhole.engine.observe.since_seen._MOST_SPANS", 2)
    for number in (2, 12, 22):
        save(engine, f"line {number}", f"LINE {number}")
    assert read(engine) == ("a person changed lines 2, 12-22 of app.py since you read it",)


def test_where_nobody_observes_nothing_is_said(tmp_path: Path) -> None:
    with engine_at(tmp_path, app_py=LINES) as engine:
        read(engine)
        put(tmp_path / "root", "app.py", "other\n")

        assert read(engine) == ()


def test_a_file_where_a_directory_was_has_a_history_of_its_own(engine: Engine) -> None:
    put(Path(engine.root), "d/x.py", "x\n")
    assert engine.edit([Edit(lines="1", content="y")], ME, "d/x.py").ok
    Path(engine.root, "d/x.py").unlink()
    Path(engine.root, "d").rmdir()
    put(Path(engine.root), "d", "a file\n")

    assert engine.edit([Edit(lines="1", content="still a file")], ME, "d").ok
    assert engine.read("d", ReadRequest(), "codex").warnings == ()
