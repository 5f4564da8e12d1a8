from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, PROMPT, Happening
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import AGENTS, EVERYBODY
from keyhole.journal.model import Retention
from keyhole.refusals import Refused
from tests.scene import engine_at, put
from tests.team import git

LINES = "".join(f"line {number}\n" for number in range(1, 30))
ME, USER = Options(actor="agent", tool="mcp edit"), Options(actor="cli:me", tool="cli rewind")


def prompted(name: str, session: str = "s") -> Happening:
    return Happening(PROMPT, "host", session, name, said=f"please {name}")


def shell(engine: Engine, change: tuple[Path, str], session: str = "s") -> None:
    """Change a file by a tool of a host, with its hooks around it."""
    look, (path, text) = engine.checkpoints.look, change
    look(Happening(BEFORE, "host", session, "p", "Bash", "u", "sed"))
    path.write_text(text, encoding="utf-8")
    look(Happening(AFTER, "host", session, "p", "Bash", "u", "sed"))


def edit(engine: Engine, old: str, new: str) -> None:
    assert engine.edit([Edit(find=old, content=new)], ME, "a.py").ok


@pytest.fixture(name="past")
def _past(tmp_path: Path) -> tuple[Path, Path]:
    """Two prompts of one session with a shell, an edit, and a person who saves beside them."""
    with engine_at(tmp_path, a_py=LINES, b_py="b\n") as engine:
        root = tmp_path / "root"
        a, b = root / "a.py", root / "b.py"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("first"))
        shell(engine, (b, "b one\n"))
        engine.checkpoints.look(prompted("second"))
        shell(engine, (a, LINES.replace("line 2\n", "LINE 2\n")))
        a.write_text(
            a.read_text(encoding="utf-8").replace("line 12\n", "person 12\n"), encoding="utf-8"
        )
        edit(engine, "line 20", "LINE 20")
        shell(engine, (root / "new.py", "n\n"), "t")
    return a, b


def rewound(base: Path, point: str, session: str = "") -> tuple[bool, dict[str, str]]:
    with engine_at(base) as engine:
        wish = UndoRequest(prompt=point, session=session)
        ahead = engine.checkpoints.rewind(wish, Options(dry_run=True, actor="cli:me"))
        receipt = engine.checkpoints.rewind(wish, USER)
        assert (receipt.ok, receipt.seal) == (ahead.ok, ahead.seal)
        files = {each.name: each.read_text(encoding="utf-8") for each in (base / "root").iterdir()}
        return receipt.ok, files


PERSON = LINES.replace("line 12\n", "person 12\n")


@pytest.mark.usefixtures("past")
def test_what_a_session_did_goes_and_what_people_did_stays(tmp_path: Path) -> None:
    # Nobody told whose the edit of keyhole was.
    with_edit = PERSON.replace("line 20\n", "LINE 20\n")

    assert rewound(tmp_path, "second") == (
        True,
        {"a.py": with_edit, "b.py": "b one\n", "new.py": "n\n"},
    )


@pytest.mark.usefixtures("past")
def test_what_all_agents_did_goes(tmp_path: Path) -> None:
    assert rewound(tmp_path, "first", AGENTS) == (True, {"a.py": PERSON, "b.py": "b\n"})


@pytest.mark.usefixtures("past")
def test_exactly_is_the_tree_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "root" / "late.py").write_text("not seen yet\n", encoding="utf-8")

    assert rewound(tmp_path, "second", EVERYBODY) == (True, {"a.py": LINES, "b.py": "b one\n"})


def test_a_rewind_can_be_undone(tmp_path: Path, past: tuple[Path, Path]) -> None:
    a, b = past
    before = a.read_text(encoding="utf-8"), b.read_text(encoding="utf-8")
    with engine_at(tmp_path) as engine:
        done = engine.checkpoints.rewind(UndoRequest(prompt="first", session=EVERYBODY), USER)
        assert done.ok, done.as_text()
        assert engine.undo(UndoRequest(), USER).ok
        assert engine.undo(UndoRequest(redo=True), USER).ok
        assert not (tmp_path / "root" / "new.py").exists()
        assert engine.undo(UndoRequest(id=done.transaction), USER).ok

    assert (a.read_text(encoding="utf-8"), b.read_text(encoding="utf-8")) == before
    assert (tmp_path / "root" / "new.py").read_text(encoding="utf-8") == "n\n"


def test_lines_that_a_person_changed_since_are_not_taken_back(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        a = tmp_path / "root" / "a.py"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (a, "agent\n"))
        a.write_text("agent and person\n", encoding="utf-8")

        receipt = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert [each.code for each in receipt.refusals] == ["undo-conflict"]
        assert a.read_text(encoding="utf-8") == "agent and person\n"


def test_files_that_agents_may_not_write_are_put_back_by_a_person(tmp_path: Path) -> None:
    with engine_at(tmp_path) as engine:
        put(tmp_path / "root", ".mcp.json", "{}\n")
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (tmp_path / "root" / ".mcp.json", "evil\n"))

        assert engine.checkpoints.rewind(UndoRequest(prompt="only"), USER).ok
        assert (tmp_path / "root" / ".mcp.json").read_text(encoding="utf-8") == "{}\n"
        assert not engine.undo(UndoRequest(), USER).ok


def test_what_came_before_the_first_prompt_is_no_part_of_it(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        edit(engine, "1", "2")
        engine.checkpoints.look(prompted("only"))
        edit(engine, "2", "3")
        edit(engine, "3", "4")
        later, between, _ = past = engine.history(HistoryRequest()).transactions

        [group] = engine.checkpoints.by_prompt(past, 9)
        assert group.done == (later, between)
        engine._tree.journal.tidy(Retention(seconds=0.0), now=4e9)
        [refusal] = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER).refusals
        assert refusal.headline == (
            "the journal no longer keeps what was done right after that point"
        )


@pytest.mark.usefixtures("past")
@pytest.mark.parametrize(
    ("point", "session"), [("nowhere", ""), ("c999", ""), ("1w", ""), ("first", "other")]
)
def test_a_point_that_leads_nowhere_is_refused(tmp_path: Path, point: str, session: str) -> None:
    with engine_at(tmp_path) as engine:
        receipt = engine.checkpoints.rewind(UndoRequest(prompt=point, session=session), USER)

    assert [each.code for each in receipt.refusals] == ["nothing-to-undo"]


def test_a_workspace_that_nobody_observes_says_so(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        receipt = engine.checkpoints.rewind(UndoRequest(prompt="p"), USER)

    assert [each.code for each in receipt.refusals] == ["nothing-to-undo"]


@pytest.fixture(name="both")
def _both(tmp_path: Path) -> Iterator[tuple[Engine, Path]]:
    """A prompt for which an agent changed two files, and a person its line in one of them."""
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "a.py", LINES.replace("line 5\n", "agent 5\n")))
        shell(engine, (root / "b.py", LINES.replace("line 7\n", "agent 7\n")))
        put(root, "a.py", LINES.replace("line 5\n", "agent and person 5\n"))
        yield engine, root


def test_a_refused_rewind_says_how_to_take_back_the_rest(both: tuple[Engine, Path]) -> None:
    engine, root = both

    [refusal] = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER).refusals

    assert str(refusal.help).endswith("or take back the rest, and leave these: `partly`")
    assert "agent 7" in (root / "b.py").read_text(encoding="utf-8")


def test_the_rest_goes_and_what_stands_is_named(both: tuple[Engine, Path]) -> None:
    engine, root = both
    wish = UndoRequest(prompt="only", partly=True)

    ahead = engine.checkpoints.rewind(wish, Options(dry_run=True, actor="cli:me"))
    done = engine.checkpoints.rewind(wish, USER)

    assert [str(each).partition(" changed ")[0] for each in done.warnings] == [
        "left as it is: transaction 3-" + done.warnings[0].partition("3-")[2][:4]
    ]
    assert (ahead.warnings, ahead.seal) == (done.warnings, done.seal)
    assert (root / "b.py").read_text(encoding="utf-8") == LINES
    assert "agent and person 5" in (root / "a.py").read_text(encoding="utf-8")
    assert engine.undo(UndoRequest(), USER).ok
    assert "agent 7" in (root / "b.py").read_text(encoding="utf-8")


def test_a_rewind_of_nothing_but_clashes_is_refused(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        a = tmp_path / "root" / "a.py"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (a, "agent\n"))
        a.write_text("agent and person\n", encoding="utf-8")

        receipt = engine.checkpoints.rewind(UndoRequest(prompt="only", partly=True), USER)

        assert [each.code for each in receipt.refusals] == ["undo-conflict"]


def test_only_a_rewind_takes_back_a_part() -> None:
    with pytest.raises(Refused, match="it needs `prompt` beside it"):
        UndoRequest(id="1-aaaa", partly=True)


@pytest.mark.parametrize("others", ["", "agent's file moved", LINES])
def test_what_others_took_away_or_put_back_is_no_conflict(tmp_path: Path, others: str) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root = tmp_path / "root"
        a, new = root / "a.py", root / "new.py"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (a, LINES.replace("line 5\n", "agent 5\n").replace("line 9\n", "9\nmore\n")))
        shell(engine, (root / "b.py", "agent\n"))
        shell(engine, (new, "agent's\n"))
        if others.startswith("agent"):
            new.rename(root / "moved.py")
        elif others:
            put(root, "a.py", LINES.replace("line 12\n", "person 12\n"))
        else:
            a.unlink()

        receipt = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert receipt.ok, receipt.as_text()
        assert sorted(each.name for each in root.iterdir()) == (["a.py"] if others else []) + [
            "b.py"
        ]
        assert (root / "b.py").read_text(encoding="utf-8") == LINES


def test_what_git_did_is_a_conflict_with_nobody(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "a.py", LINES.replace("line 5\n", "agent 5\n")))
        shell(engine, (root / "b.py", LINES.replace("line 7\n", "agent 7\n")))
        look = engine.checkpoints.look
        look(Happening(BEFORE, "host", "t", "p", "Bash", "g", "git checkout other"))
        put(root, "a.py", LINES.replace("line 5\n", "of another branch\n"))
        look(Happening(AFTER, "host", "t", "p", "Bash", "g", "git checkout other"))

        receipt = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert receipt.ok, receipt.as_text()
        assert "of another branch" in (root / "a.py").read_text(encoding="utf-8")
        assert (root / "b.py").read_text(encoding="utf-8") == LINES


def test_what_leads_through_a_link_by_now_stands_and_the_rest_goes(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES) as engine:
        root = tmp_path / "root"
        put(root, "d/x.py", LINES)
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "a.py", LINES.replace("line 5\n", "agent 5\n")))
        shell(engine, (root / "d/x.py", LINES.replace("line 7\n", "agent 7\n")))
        (root / "d").rename(root / "e")
        (root / "d").symlink_to("e")

        whole = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)
        done = engine.checkpoints.rewind(UndoRequest(prompt="only", partly=True), USER)

        assert [each.code for each in whole.refusals] == ["path-denied"]
        assert done.ok, done.as_text()
        assert [str(each) for each in done.warnings] == ["not kept (link), and left as it is: d"]
        assert (root / "a.py").read_text(encoding="utf-8") == LINES


def test_a_rewind_of_nothing_but_links_names_them(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES) as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "a.py", LINES.replace("line 5\n", "agent 5\n")))
        (root / "a.py").rename(root / "b.py")
        (root / "a.py").symlink_to("b.py")

        whole = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)
        rest = engine.checkpoints.rewind(UndoRequest(prompt="only", partly=True), USER)
        exact = engine.checkpoints.rewind(UndoRequest(prompt="only", session=EVERYBODY), USER)

    said = [[each.headline for each in one.refusals] for one in (whole, rest, exact)]
    assert said == [["`a.py` leads through a symbolic link by now"]] * 3
    ways = [str(one.refusals[0].help).count("`partly`") for one in (whole, rest, exact)]
    assert ways == [1, 0, 0]


def test_what_may_have_been_taken_away_by_the_same_hand_stays_back(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root, look = tmp_path / "root", engine.checkpoints.look
        mine = LINES.replace("line 5\n", "person 5\n")
        look()
        look(prompted("only"))
        put(root, "a.py", mine)
        look(Happening(BEFORE, "host", "t", "p", "Bash", "v", "make"))
        look(Happening(BEFORE, "host", "s", "only", "Bash", "u", "git stash"))
        put(root, "a.py", LINES)
        look(Happening(AFTER, "host", "s", "only", "Bash", "u", "git stash"))
        look(Happening(AFTER, "host", "t", "p", "Bash", "v", "make"))
        shell(engine, (root / "a.py", mine))
        shell(engine, (root / "b.py", "agent\n"))

        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)
        [no] = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER).refusals

        assert str(no.headline).endswith("found in a.py, by host:Bash")
        assert done.ok, done.as_text()
        assert [str(each) for each in done.warnings] == [f"left as it is: {no.headline}"]
        assert (root / "a.py").read_text(encoding="utf-8") == mine
        assert (root / "b.py").read_text(encoding="utf-8") == LINES


def test_so_do_lines_that_git_merged_into_what_came_since(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root, look = tmp_path / "root", engine.checkpoints.look
        look()
        look(prompted("only"))
        put(root, "a.py", LINES.replace("line 5\n", "person 5\n"))
        look(Happening(BEFORE, "host", "t", "p", "Bash", "v", "make"))
        look(Happening(BEFORE, "host", "s", "only", "Bash", "u", "git stash"))
        put(root, "a.py", LINES)
        look(Happening(AFTER, "host", "s", "only", "Bash", "u", "git stash"))
        look(Happening(AFTER, "host", "t", "p", "Bash", "v", "make"))
        put(root, "a.py", LINES.replace("line 9\n", "person 9\n"))
        look(Happening(BEFORE, "host", "s", "only", "Bash", "w", "git stash pop"))
        both = LINES.replace("line 9\n", "person 9\n").replace("line 5\n", "person 5\n")
        put(root, "a.py", both)
        look(Happening(AFTER, "host", "s", "only", "Bash", "w", "git stash pop"))
        shell(engine, (root / "b.py", "agent\n"))

        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert done.ok, done.as_text()
        assert (root / "a.py").read_text(encoding="utf-8") == both
        assert (root / "b.py").read_text(encoding="utf-8") == LINES


def test_a_file_that_others_took_away_and_brought_back_is_theirs(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES) as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "new.py", "new\n"))
        shell(engine, (root / "a.py", LINES.replace("line 5\n", "agent 5\n")))
        (root / "new.py").unlink()
        engine.checkpoints.look()
        shell(engine, (root / "new.py", "new\n"), "t")

        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert done.ok, done.as_text()
        assert (root / "new.py").read_text(encoding="utf-8") == "new\n"
        assert (root / "a.py").read_text(encoding="utf-8") == LINES


def test_lines_that_others_took_away_and_brought_back_are_theirs(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root = tmp_path / "root"
        more = LINES.replace("line 5\n", "line 5\nmore\n")
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "a.py", more))
        shell(engine, (root / "b.py", more))
        put(root, "a.py", LINES)
        engine.checkpoints.look()
        shell(engine, (root / "a.py", more), "t")

        done = engine.checkpoints.rewind(UndoRequest(prompt="only", partly=True), USER)

        assert done.ok, done.as_text()
        assert (root / "a.py").read_text(encoding="utf-8") == more
        assert (root / "b.py").read_text(encoding="utf-8") == LINES


def test_of_a_file_that_a_session_made_lines_of_others_are_left(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES) as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        shell(engine, (root / "new.py", "one\ntwo\nthree\n"))
        shell(engine, (root / "alone.py", "one\ntwo\n"))
        put(root, "new.py", "one\nperson\ntwo\nTHREE\n")
        put(root, "alone.py", "one\n")

        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert (done.ok, done.warnings) == (True, ()), done.as_text()
        assert (root / "new.py").read_text(encoding="utf-8") == "person\nTHREE\n"
        assert not (root / "alone.py").exists()
        assert engine.undo(UndoRequest(), USER).ok
        assert (root / "new.py").read_text(encoding="utf-8") == "one\nperson\ntwo\nTHREE\n"


@pytest.mark.parametrize("moves", [False, True])
def test_what_others_put_in_the_place_of_a_file_stands(tmp_path: Path, *, moves: bool) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(prompted("only"))
        engine.checkpoints.look(Happening(BEFORE, "host", "s", "p", "Bash", "u", "mv"))
        if moves:
            (root / "a.py").rename(root / "c.py")
        else:
            (root / "a.py").unlink()
        engine.checkpoints.look(Happening(AFTER, "host", "s", "p", "Bash", "u", "mv"))
        put(root, "a.py", "all new\n")
        shell(engine, (root / "b.py", "agent\n"))

        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        [left] = done.warnings
        assert str(left).startswith("left as it is: another a.py is there, where the undo of ")
        assert (root / "a.py").read_text(encoding="utf-8") == "all new\n"
        assert (root / "b.py").read_text(encoding="utf-8") == LINES
        assert (root / "c.py").exists() == moves


def test_a_stash_that_came_back_is_a_conflict_with_nobody(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES) as engine:
        root, look = tmp_path / "root", engine.checkpoints.look
        git(root, "init", "-q"), git(root, "add", "."), git(root, "commit", "-qm", "x")
        look()
        look(prompted("only"))
        shell(engine, (root / "a.py", LINES.replace("line 5\n", "agent 5\n")))
        one = engine.history(HistoryRequest()).transactions[0].entry.id
        git(root, "stash", "-q")
        assert [each.call.actor for each in look().entries] == ["git"]
        git(root, "stash", "pop", "-q")
        assert [each.call.actor for each in look().entries] == ["git"]

        ahead = engine.undo(UndoRequest(id=one), Options(actor="cli:me", dry_run=True))
        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert ahead.ok, ahead.as_text()
        assert done.ok, done.as_text()
        assert (root / "a.py").read_text(encoding="utf-8") == LINES


def test_what_a_sessions_own_git_did_below_others_stands(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py=LINES, b_py=LINES) as engine:
        root, look = tmp_path / "root", engine.checkpoints.look
        look()
        look(prompted("only"))
        git = Happening(BEFORE, "host", "s", "p", "Bash", "u", "git checkout side")
        look(git)
        put(root, "a.py", LINES.replace("line 5\n", "side 5\n"))
        look(Happening(AFTER, "host", "s", "p", "Bash", "u", "git checkout side"))
        put(root, "a.py", LINES.replace("line 5\n", "side 5 of a person\n"))
        shell(engine, (root / "b.py", "agent\n"))

        done = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)

        assert done.ok, done.as_text()
        assert [str(each)[:16] for each in done.warnings] == ["left as it is: t"]
        assert "side 5 of a person\n" in (root / "a.py").read_text(encoding="utf-8")
        assert (root / "b.py").read_text(encoding="utf-8") == LINES
