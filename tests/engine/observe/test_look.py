import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, END, GONE, LOOK, PROMPT, Happening
from keyhole.disk import failpoints
from keyhole.edits.model.operations import Edit, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import EVERYBODY
from keyhole.fastclasses import replace
from keyhole.journal.model import Entry
from keyhole.journal.sqlite import SqliteJournal
from keyhole.refusals import Refused
from keyhole.workspace.tree import TreeOptions
from tests.scene import engine_at, put
from tests.storage.test_recover import Died, die_at
from tests.team import git

ME = Options(actor="agent")


def found(engine: Engine) -> list[tuple[str, list[str]]]:
    """Return what a look records: who, and which files."""
    return [
        (each.call.actor, [file.path for file in each.files])
        for each in engine.checkpoints.look().entries
    ]


def use(kind: str, tool: str = "Bash", session: str = "s", said: str = "") -> Happening:
    return Happening(kind, "host", session, "p", tool, f"{session}{tool}", said)


def a_moment_later(home: Path) -> None:
    """Wait until the clock of the disk goes on."""
    before = put(home, "clock", "").stat().st_ctime
    while put(home, "clock", "").stat().st_ctime <= before + 0.01:
        pass


def only(entries: tuple[Entry, ...]) -> Entry:
    [entry] = entries
    return entry


def test_what_a_person_did_is_a_transaction_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.engine.observe.record._IN_MEMORY", 5)  # texts are read again
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="one\ntwo\n", b_py="x\n", c_py="old\n") as engine:
        assert engine.checkpoints.look().is_first
        put(root, "a.py", "one\nTWO\n").chmod(0o755)
        (root / "b.py").rename(root / "d.py")
        (root / "c.py").unlink()

        entry = only(engine.checkpoints.look().entries)

        by_path = {file.path: file for file in entry.files}
        assert (entry.call.actor, entry.call.tool) == ("person", "observed")
        assert by_path.keys() == {"a.py", "b.py", "c.py", "d.py"}
        assert (by_path["d.py"].moved_from, by_path["b.py"].moved_to) == ("b.py", "d.py")
        assert by_path["a.py"].executable
        assert "-two\n+TWO\n" in (engine.show(entry.id).diffs or {})["a.py"]
        receipt = engine.undo(UndoRequest(id=entry.id), ME)
        assert receipt.ok, receipt.as_text()
        files = {each.name: each.read_text(encoding="utf-8") for each in root.iterdir()}
        assert files == {"a.py": "one\ntwo\n", "b.py": "x\n", "c.py": "old\n"}
        assert not os.access(root / "a.py", os.X_OK)
        assert found(engine) == []


def test_what_keyhole_did_is_not_told_twice(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="one\ntwo\n") as engine:
        found(engine)
        engine.edit([Edit(find="two", content="2")], ME, "a.py")

        assert found(engine) == []
        put(tmp_path / "root", "a.py", "1\n2\n")
        engine.edit([Edit(find="2", content="two")], ME, "a.py")
        put(tmp_path / "root", "a.py", "1\ntwo\n3\n")
        late = only(engine.checkpoints.look().entries)
        told = [past.entry for past in engine.history(HistoryRequest()).transactions]

        # What the second edit was made on has its entry right before it.
        assert [each.call.actor for each in told] == ["person", "agent", "person", "agent"]
        assert "-one\n+1\n" in (engine.show(told[2].id).diffs or {})["a.py"]
        assert (engine.show(late.id).diffs or {})["a.py"].endswith(" 1\n two\n+3\n")
        assert found(engine) == []


def test_what_others_did_before_the_first_edit_is_told_too(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="one\ntwo\n") as engine:
        found(engine)
        put(tmp_path / "root", "a.py", "1\ntwo\n")
        engine.edit([Edit(find="two", content="2")], ME, "a.py")

        assert found(engine) == []
        told = [past.entry for past in engine.history(HistoryRequest()).transactions]
        assert [each.call.actor for each in told] == ["agent", "person"]
        assert "-one\n+1\n" in (engine.show(told[1].id).diffs or {})["a.py"]


def test_a_file_that_somebody_made_or_removed_before_the_first_edit_can_be_gone_back(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, gone="1\n", **{".gitignore": "*.log\n"}) as engine:
        first = engine.checkpoints.look()
        put(root, "new", "1\n2\n"), put(root, "a.log", "1\n")
        (root / "gone").unlink()
        edits = [Edit(path=name, find="1", content="one") for name in ("new", "a.log")]
        assert engine.edit([*edits, WriteFile("gone", "back\n"), WriteFile("d/x", "x\n")], ME).ok
        told = [past.entry for past in engine.history(HistoryRequest()).transactions]

        assert [each.call.actor for each in told] == ["agent", "person"]
        assert {each.path for each in told[1].files} == {"new", "gone"}
        assert found(engine) == []
        back = UndoRequest(prompt=f"c{first.checkpoint}", session=EVERYBODY)
        assert engine.checkpoints.rewind(back, ME).ok
        assert not (root / "new").exists()
        assert (root / "gone").read_text(encoding="utf-8") == "1\n"


def test_a_first_look_tells_what_others_did_since_the_last_edit(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="one\n") as engine:
        engine.edit([Edit(find="one", content="two")], ME, "a.py")
        put(tmp_path / "root", "a.py", "three\n")

        entry = only(engine.checkpoints.look().entries)

        assert (engine.show(entry.id).diffs or {})["a.py"].endswith("-two\n+three\n")


def _harm_index(store: Path) -> None:
    (store / "git/index").write_bytes(b"DIRC")


def _harm_reference(store: Path) -> None:
    (store / "git/refs/heads/now").write_bytes(b"")


def _harm_objects(store: Path) -> None:
    for each in [each for each in (store / "git/objects").rglob("*") if each.is_file()]:
        each.chmod(0o600)
        each.write_bytes(b"")


def _harm_marks(store: Path) -> None:
    for each in store.glob("marks.db*"):
        each.write_bytes(b"no database" * 100)


@pytest.mark.parametrize("harm", [_harm_index, _harm_reference, _harm_objects, _harm_marks])
def test_a_store_that_a_power_cut_broke_is_begun_anew(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n", b_py="1\n") as engine:
        found(engine)
        put(root, "a.py", "2\n")
        found(engine)
        [store] = tmp_path.rglob("checkpoints")
        harm(store)
        put(root, "a.py", "3\n")

        assert found(engine) == [("person", ["a.py"])]
        put(root, "b.py", "2\n")
        assert found(engine) == [("person", ["b.py"])]


def test_tools_at_work_did_it_and_two_at_once_are_both_named(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n") as engine:
        look = engine.checkpoints.look
        look()
        look(use(BEFORE, said="sed -i s/1/2/ a.py"))
        put(root, "a.py", "2\n")
        alone = only(look(use(AFTER)).entries)
        look(use(BEFORE)), look(use(BEFORE, "Edit", "t"))
        put(root, "a.py", "3\n")
        both = only(look(use(AFTER)).entries)
        put(root, "a.py", "4\n")
        other = only(look(use(AFTER, "Edit", "t")).entries)
        put(root, "a.py", "5\n")
        nobody = only(look(use(END)).entries)

    assert (alone.call.actor, alone.call.reason) == ("host:Bash", "sed -i s/1/2/ a.py")
    assert (alone.call.details["prompt"], alone.call.details["host_session"]) == ("p", "s")
    assert both.call.actor == "one of host:Bash, host:Edit"
    assert (other.call.actor, nobody.call.actor) == ("host:Edit", "person")


def test_a_tool_that_names_its_file_changed_no_other(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n", b_py="1\n") as engine:
        look = engine.checkpoints.look
        look()
        look(replace(use(BEFORE, "Edit"), writes=(str(root / "a.py"),)))
        look(replace(use(BEFORE, "Read", "t"), writes=()))
        put(root, "a.py", "2\n"), put(root, "b.py", "2\n")

        told = found(engine)

    assert told == [("host:Edit", ["a.py"]), ("person", ["b.py"])]


def test_a_tool_whose_beginning_was_missed_may_have_met_a_person(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        engine.checkpoints.look()
        put(tmp_path / "root", "a.py", "2\n")

        entry = only(engine.checkpoints.look(use(AFTER)).entries)

    assert entry.call.actor == "one of host:Bash, person"
    assert entry.call.details["among"][1:] == [{"actor": "person"}]  # type: ignore[index]


def test_a_program_in_the_background_may_have_done_it_and_a_person_too(tmp_path: Path) -> None:
    root, both = tmp_path / "root", "one of host:Bash, person"
    with engine_at(tmp_path, a="1\n") as engine:
        found(engine)

        def changed(*happenings: Happening, then: Happening | None = None) -> list[str]:
            for each in happenings:
                engine.checkpoints.look(each)
            put(root, "a", f"{(root / 'a').read_text(encoding='utf-8')}more\n")
            return [each.call.actor for each in engine.checkpoints.look(then).entries]

        serve = use(AFTER)
        assert changed(use(BEFORE), replace(serve, goes_on=True)) == [both]
        assert changed(use(PROMPT)) == [both]
        other = use(AFTER, "Other", "t")
        assert changed(use(BEFORE, "Other", "t"), then=other) == ["host:Other"]
        assert changed(replace(use(LOOK), use="", ended=(serve.use,))) == ["person"]
        assert changed(use(BEFORE), replace(serve, goes_on=True), use(GONE)) == ["person"]


@pytest.mark.parametrize(
    ("host", "kind", "who"),
    [
        ("codex", BEFORE, "one of codex:Bash, person"),
        ("claude-code", BEFORE, "claude-code:Bash"),
        ("claude-code", END, "one of claude-code:Bash, person"),
    ],
)
def test_a_tool_whose_end_nobody_told_of_may_have_been_refused(
    tmp_path: Path, host: str, kind: str, who: str
) -> None:
    with engine_at(tmp_path, a="1\n") as engine:
        look = engine.checkpoints.look
        look()
        look(Happening(BEFORE, host, "s", "p", "Bash", "one"))
        put(tmp_path / "root", "a", "2\n")
        other = only(look(Happening(kind, host, "s", "p", "Edit", "two", writes=("b",))).entries)
        put(tmp_path / "root", "a", "3\n")
        own = only(look(Happening(AFTER, host, "s", "p", "Bash", "one")).entries)

    assert other.call.actor == who
    assert own.call.actor == (f"{host}:Bash" if kind == BEFORE else f"one of {host}:Bash, person")


def test_a_tool_that_is_silent_for_long_stands_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, begun = tmp_path / "root", time.time()
    with engine_at(tmp_path, a="1\n") as engine:
        look = engine.checkpoints.look
        look(), look(use(BEFORE)), look(replace(use(BEFORE, "Edit"), writes=("a",)))
        monkeypatch.setattr(time, "time", lambda: begun + 1000)
        put(root, "a", "2\n")
        assert found(engine) == [("one of host:Bash, person", ["a"])]
        look(use(BEFORE, session="t"))
        put(root, "a", "3\n")
        entry = only(look(use(AFTER, session="t")).entries)
        put(root, "a", "4\n")
        late = only(look(use(AFTER)).entries)

    assert entry.call.details["host_session"] == "t"
    assert late.call.actor == "host:Bash"


def test_what_was_put_back_to_the_last_look_is_told_too(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="one\n", b_py="1\n") as engine:
        put(root, ".gitignore", "out\n")
        found(engine)
        engine.edit([Edit(find="one", content="two")], ME, "a.py")
        engine.write(WriteFile("new.py", "n\n"), ME), engine.write(WriteFile("out", "o\n"), ME)
        put(root, "a.py", "one\n")
        (root / "new.py").unlink()

        assert found(engine) == [("person", ["a.py", "new.py"])]
        assert found(engine) == []


def test_a_move_that_took_the_mode_gives_it_back(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n", c_py="3\n") as engine:
        (root / "a.py").chmod(0o755)
        found(engine)
        (root / "a.py").chmod(0o644)
        (root / "a.py").rename(root / "b.py")
        (root / "c.py").chmod(0o755)
        first = only(engine.checkpoints.look().entries)
        (root / "c.py").chmod(0o644)
        found(engine)
        (root / "c.py").rename(root / "d.py")
        found(engine)

        assert engine.undo(UndoRequest(to=first.id), ME).ok
        assert os.access(root / "c.py", os.X_OK)
        assert engine.undo(UndoRequest(id=first.id), ME).ok
        assert os.access(root / "a.py", os.X_OK)
        assert not os.access(root / "c.py", os.X_OK)


def test_a_mode_that_was_lost_before_an_edit_comes_back(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n2\n") as engine:
        file = tmp_path / "root" / "a.py"
        file.chmod(0o755)
        found(engine)
        first = engine.edit([Edit(find="1", content="one")], ME, "a.py")
        put(tmp_path / "root", "a.py", "one\n2\n3\n").chmod(0o644)
        assert engine.edit([Edit(find="2", content="two")], ME, "a.py").ok
        assert found(engine) == []

        assert engine.undo(UndoRequest(to=first.transaction), ME).ok
        assert os.access(file, os.X_OK)
        assert file.read_text(encoding="utf-8") == "one\n2\n"


def test_a_mode_that_was_given_before_an_edit_is_told_before_it(tmp_path: Path) -> None:
    file = tmp_path / "root" / "a.py"
    with engine_at(tmp_path, a_py="1\n") as engine:
        engine.edit([Edit(find="1", content="2")], ME, "a.py")
        first = engine.checkpoints.look()
        file.chmod(0o755)
        assert engine.edit([Edit(find="2", content="3")], ME, "a.py").ok

        assert found(engine) == []
        told = [past.entry.call.actor for past in engine.history(HistoryRequest()).transactions]
        assert told == ["agent", "person", "agent"]
        back = UndoRequest(prompt=f"c{first.checkpoint}", session=EVERYBODY)
        assert engine.checkpoints.rewind(back, ME).ok
        assert file.read_text(encoding="utf-8") == "2\n"
        assert not os.access(file, os.X_OK)


def test_a_change_of_many_files_is_read_a_few_times_by_the_next_look(tmp_path: Path) -> None:
    names, asked = [f"f{number}" for number in range(30)], list[str]()
    with engine_at(tmp_path, **dict.fromkeys(names, "1\n")) as engine:
        found(engine)
        for name in names:
            put(tmp_path / "root", name, "2\n")
        found(engine)
        journal = engine._tree.journal
        assert isinstance(journal, SqliteJournal)
        journal.connection.db.set_trace_callback(asked.append)
        assert found(engine) == []
        journal.connection.db.set_trace_callback(None)
        assert engine.edit([Edit(path=name, find="2", content="3") for name in names], ME).ok
        assert found(engine) == []

    assert 0 < sum("e.body" in each for each in asked) < len(names)


def test_what_git_did_is_one_transaction_of_git(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n", b_py="1\n") as engine:
        git(root, "init", "-q"), git(root, "add", "."), git(root, "commit", "-qm", "x")
        git(root, "checkout", "-qb", "side")
        put(root, "a.py", "2\n"), put(root, "b.py", "2\n")
        git(root, "commit", "-qam", "y")
        found(engine)
        put(root, "a.py", "3\n"), git(root, "commit", "-qam", "z")
        assert found(engine) == [("person", ["a.py"])]
        git(root, "checkout", "-q", "main")

        entry = only(engine.checkpoints.look().entries)

        assert (entry.call.actor, entry.call.details["git"]) == ("git", True)
        assert {file.path for file in entry.files} == {"a.py", "b.py"}


def test_what_is_large_or_secret_is_listed_and_not_kept(tmp_path: Path) -> None:
    with engine_at(tmp_path) as opened:
        opened.close()
    options = TreeOptions(max_bytes=100)
    engine = Engine.open(tmp_path / "root", tmp_path / "state", options)
    try:
        root = tmp_path / "root"
        put(root, "a", "x"), put(root, "big", "x" * 200), put(root, ".env", "KEY=hidden")
        engine.checkpoints.look()
        put(root, "big", "y" * 300), put(root, ".env", "KEY=hidden2"), put(root, "a", "z" * 200)

        seen = engine.checkpoints.look()

        assert {each.path: each.why for each in seen.listed} == {
            "a": "large",
            "big": "large",
            ".env": "secret",
        }
        gone = only(seen.entries)
        assert [(each.path, each.after) for each in gone.files] == [("a", None)]
        put(root, "a", "small again")
        back = only(engine.checkpoints.look().entries)
        assert [(each.path, each.before) for each in back.files] == [("a", None)]
    finally:
        engine.close()
    kept = b"".join(each.read_bytes() for each in (tmp_path / "state").rglob("*") if each.is_file())
    assert b"hidden" not in kept


def test_a_file_that_comes_into_view_was_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path) as engine:
        put(root, ".gitignore", "build\n"), put(root, "build/out", "x")
        found(engine)
        monkeypatch.setattr("keyhole.engine.observe.record.CLOCKS", -60.0)
        put(root, ".gitignore", "")

        assert found(engine) == [("person", [".gitignore"])]


def test_a_new_file_is_told_of_though_the_clock_went_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    with engine_at(tmp_path, a="1\n") as engine:
        monkeypatch.setattr(time, "time", lambda: now + 3600)
        engine.checkpoints.look()
        monkeypatch.undo()
        put(tmp_path / "root", "b", "1\n")

        assert found(engine) == [("person", ["b"])]


def test_a_directory_that_is_moved_is_told_with_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path) as engine:
        put(root, "d/s/a", "1\n"), put(root, "e/b", "2\n"), put(tmp_path, "away/c", "3\n")
        a_moment_later(tmp_path)
        found(engine)
        monkeypatch.setattr("keyhole.engine.observe.record.CLOCKS", 0.0)
        a_moment_later(tmp_path)
        (root / "d").rename(root / "f"), (root / "e").rename(root / "g")
        (tmp_path / "away").rename(root / "in")
        put(root, "f/s/a", "one\n"), put(root, "g/new", "")

        entry = only(engine.checkpoints.look().entries)

        gone, came = ["d/s/a", "e/b"], ["f/s/a", "g/b", "g/new", "in/c"]
        assert [file.path for file in entry.files] == [*gone, *came]
        assert {file.moved_from for file in entry.files} == {"", "e/b"}
        assert engine.undo(UndoRequest(id=entry.id), ME).ok
        files = [str(each.relative_to(root)) for each in root.rglob("*") if each.is_file()]
        assert sorted(files) == ["d/s/a", "e/b"]


def test_the_files_of_a_repository_that_ended_were_not_made(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path) as engine:
        put(root, "s/a", "1\n")
        git(root / "s", "init", "-q")
        found(engine)
        (root / "s/.git").rename(tmp_path / "away")
        put(root, "s/a", "2\n")

        assert found(engine) == []


def test_a_link_in_the_place_of_a_directory_stands_in_no_looks_way(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n") as engine:
        put(root, "d/a", "1\n"), put(root, "c/a", "2\n")
        found(engine)
        (root / "d").rename(tmp_path / "away")
        (root / "d").symlink_to("c")

        entry = only(engine.checkpoints.look().entries)
        assert [file.path for file in entry.files] == ["d/a"]
        [refusal] = engine.undo(UndoRequest(id=entry.id), ME).refusals
        assert refusal.code == "path-denied"
        assert refusal.headline == "`d/a` leads through a symbolic link by now"
        assert (root / "c/a").read_bytes() == b"2\n"
        put(root, "a.py", "2\n")
        assert found(engine) == [("person", ["a.py"])]


def test_bytes_that_are_no_text_come_back(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with engine_at(tmp_path) as engine:
        old, new = b"\0\xff\xfe" * 40, b"\xff\xd8\0" * 50
        put(root, "b.bin", old), put(root, "l.txt", "é\n".encode("latin-1"))
        found(engine)
        put(root, "b.bin", new), put(root, "l.txt", "ü\r\n".encode("utf-16"))
        entry = only(engine.checkpoints.look().entries)

        assert engine.undo(UndoRequest(id=entry.id), ME).ok
        assert (root / "b.bin").read_bytes() == old
        assert (root / "l.txt").read_bytes() == "é\n".encode("latin-1")


def test_what_starts_looks_where_somebody_observes_and_nowhere_else(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        engine.checkpoints.observe()
        began = engine.checkpoints.is_observed
        found(engine)
        put(tmp_path / "root", "a.py", "2\n")
        engine.checkpoints.observe()

        assert not began
        assert engine.history(HistoryRequest()).transactions[0].entry.call.actor == "person"


class Killed(BaseException):
    """Stands for the end of the process."""


STEPS = ("looked", "look-staged", "look-recorded", "look-kept")


@pytest.mark.parametrize("step", STEPS)
def test_a_look_that_is_killed_is_made_good_by_the_next(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []

    def reach(name: str) -> None:
        reached.append(name)
        if name == step:
            raise Killed

    root = tmp_path / "root"
    with engine_at(tmp_path, a_py="1\n", b_py="1\n") as engine:
        found(engine)
        put(root, "a.py", "2\n")
        (root / "b.py").unlink()
        with monkeypatch.context() as patched:
            patched.setattr(failpoints, "reach", reach)
            with pytest.raises(Killed):
                engine.checkpoints.look(use(PROMPT, ""))
        engine.checkpoints.look()
        told = [
            (past.entry.call.actor, [file.path for file in past.entry.files])
            for past in engine.history(HistoryRequest()).transactions
        ]

    assert reached[-1] == step
    assert told == [("person", ["a.py", "b.py"])]


def test_a_commit_that_was_killed_is_made_good_before_a_look(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        found(engine)
        with pytest.raises(Died), failpoints.watch(die_at("intended")):
            engine.edit([Edit(find="1", content="2")], ME, "a.py")
        was_pending = engine._tree.journal.pending()

        assert was_pending
        assert found(engine) == []
        assert not engine._tree.journal.pending()


def test_a_read_only_workspace_is_not_looked_at(tmp_path: Path) -> None:
    with engine_at(tmp_path) as opened:
        opened.close()
    engine = Engine.open(tmp_path / "root", tmp_path / "state", TreeOptions(read_only=True))
    with pytest.raises(Refused):
        engine.checkpoints.look()
    engine.close()


@pytest.fixture(name="gitless")
def _gitless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    def hide() -> None:
        monkeypatch.setenv("PATH", str(tmp_path))

    return hide


def test_without_git_nothing_is_observed_and_edits_go_on(
    tmp_path: Path, gitless: Callable[[], None]
) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        gitless()

        with pytest.raises(Refused, match="cannot be observed"):
            engine.checkpoints.look()
        assert engine.edit([Edit(find="1", content="2")], ME, "a.py").ok


def test_what_others_did_to_a_notebook_is_told_and_undone_cell_by_cell(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": [%s], '
    one, two = (cell + '"source": ["%s"]}' for _ in range(2))
    out = '{"output_type": "stream", "name": "stdout", "text": ["%s"]}'
    form = f'{{"cells": [{one}, {two}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 4}}\n'
    root = tmp_path / "root"
    with engine_at(tmp_path) as engine:
        file = put(root, "a.ipynb", form % (out % "A", "x = 1", out % "B", "y = 1"))
        found(engine)
        assert engine.edit([Edit(find="y = 1", content="y = 2")], ME, "a.ipynb").ok
        put(root, "a.ipynb", form % (out % "C", "x = 3", out % "B", "y = 2"))
        late = only(engine.checkpoints.look().entries)
        assert "-x = 1\n+x = 3\n" in (engine.show(late.id).diffs or {})["a.ipynb"]

        receipt = engine.undo(UndoRequest(), ME)
        assert receipt.ok, receipt.as_text()
        assert file.read_text(encoding="utf-8") == form % (out % "C", "x = 3", out % "B", "y = 1")
        assert engine.undo(UndoRequest(id=receipt.transaction), ME).ok
        assert engine.undo(UndoRequest(id=late.id), ME).ok
        assert file.read_text(encoding="utf-8") == form % (out % "A", "x = 1", out % "B", "y = 2")
