"""Durability is the user's choice: kills are survived either way, and what is chosen is said."""

import os
from multiprocessing import get_context
from pathlib import Path

import pytest

from keyhole.disk import failpoints, kernel
from keyhole.edits.model.operations import Edit
from keyhole.engine.opening import open_place
from keyhole.engine.options import Options
from keyhole.journal.model import Query
from keyhole.refusals import Refused
from tests.surfaces.mcp.host import Host, data, engine_of

SAID = "durability is `process`: edits survive a kill, and a power cut may take them back"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("config", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    (tmp_path / "config" / "keyhole").mkdir(parents=True)
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.txt").write_text("1\n", encoding="utf-8")
    return tmp_path / "root"


def chosen(root: Path, word: str) -> None:
    file = root.parent / "config" / "keyhole" / "config.toml"
    file.write_text(f'durability = "{word}"\n', encoding="utf-8")


def edit(number: int) -> Edit:
    return Edit(find=f"{number}", content=f"{number + 1}")


def flushes(root: Path, monkeypatch: pytest.MonkeyPatch, durability: str = "") -> tuple[int, str]:
    """How often the second of two edits waits for the disk, and how far the journal does."""
    flushed: list[int] = []
    engine = open_place(root, durability=durability).engine
    engine.edit([edit(1)], Options(), "a.txt")
    with monkeypatch.context() as patched:
        patched.setattr(kernel, "flush", flushed.append)
        assert engine.edit([edit(2)], Options(), "a.txt").ok
    db = engine._tree.journal.connection.db  # type: ignore[attr-defined]
    level = db.execute("PRAGMA synchronous").fetchone()[0]
    engine.close()
    return len(flushed), {1: "NORMAL", 2: "FULL"}[level]


def test_an_edit_waits_for_the_disk_unless_the_user_says_otherwise(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert flushes(root, monkeypatch) == (2, "FULL")


def test_the_users_file_says_that_an_edit_need_not_wait(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen(root, "process")

    assert flushes(root, monkeypatch) == (0, "NORMAL")


def test_the_caller_overrules_the_users_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen(root, "process")

    assert flushes(root, monkeypatch, "full") == (2, "FULL")


def test_a_repository_does_not_say_it(root: Path) -> None:
    (root / "keyhole.toml").write_text('durability = "process"\n', encoding="utf-8")

    with pytest.raises(Refused, match="sets `durability`, which only the user may set"):
        open_place(root)


def test_a_word_that_is_none_is_refused(root: Path) -> None:
    chosen(root, "none")

    with pytest.raises(Refused, match="which is not full or process"):
        open_place(root)


def test_the_first_receipt_says_it_and_no_other(root: Path) -> None:
    engine = open_place(root, durability="process").engine
    said = [engine.edit([edit(number)], Options(), "a.txt").warnings for number in (1, 2, 3)]
    engine.close()
    engine = open_place(root).engine
    said.append(engine.edit([edit(4)], Options(), "a.txt").warnings)
    engine.close()

    assert said == [(SAID,), (), (), ()]


@pytest.mark.parametrize(
    ("flags", "word"), [((), "full"), (("--durability", "process"), "process")]
)
def test_a_client_is_told_of_it(host: Host, flags: tuple[str, ...], word: str) -> None:
    host.write("a.txt", "1\n")
    call = {"path": "a.txt", "edits": [{"find": "1", "content": "2"}]}

    async def work(client: object) -> list[str]:
        answer = await client.call_tool("edit", call)  # type: ignore[attr-defined]
        return list(data(answer).get("warnings", []))

    assert host.run(work, *flags) == ([] if word == "full" else [SAID])


def test_doctor_tells_of_a_running_server_that_was_given_the_flag(host: Host) -> None:
    call = {"path": "a.txt", "edits": [{"find": "1", "content": "2"}]}

    async def work(client: object) -> list[str]:
        host.write("a.txt", "1\n")
        assert data(await client.call_tool("edit", call))  # type: ignore[attr-defined]
        return warnings()

    def warnings() -> list[str]:
        with engine_of(host) as engine:
            return [str(each) for each in engine.administration.doctor("1").warnings]

    told = [host.run(work), host.run(work, "--durability", "process"), warnings()]

    assert told == [[], [f"1 running server: {SAID}"], []]


def _edits_to_their_end(root: Path, point: str, turn: int) -> None:
    """Edit in a process of its own that is killed at the `turn`-th time a point is reached."""
    process = get_context("spawn").Process(target=_dies, args=(root, point, turn))
    process.start()
    process.join()


def _dies(root: Path, point: str, turn: int) -> None:
    seen = [0]

    def kill(name: str) -> None:
        seen[0] += name == point
        if seen[0] == turn:
            os.kill(os.getpid(), 9)

    engine = open_place(root, durability="process").engine
    with failpoints.watch(kill):
        engine.edit([edit(1)], Options(), "a.txt")
    os._exit(0)


@pytest.mark.parametrize("point", ["staged", "intended", "temp-flushed", "alone"])
def test_a_kill_leaves_the_file_old_or_new_and_the_journal_knows_which(
    root: Path, point: str
) -> None:
    _edits_to_their_end(root, point, 1)
    engine = open_place(root).engine
    entries = [entry.outcome for entry in engine._tree.journal.entries(Query())]
    engine.close()

    text = (root / "a.txt").read_text(encoding="utf-8")
    assert (text, [each for each in entries if each == "applied"]) in [
        ("1\n", []),
        ("2\n", ["applied"]),
    ]
    assert sorted(path.name for path in root.iterdir()) == ["a.txt"]
