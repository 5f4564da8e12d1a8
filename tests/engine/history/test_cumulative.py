"""Many transactions as one diff: judged by what was there, by git, and by the undo."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.changes import Changes, ChangesRequest, unified_of
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.refusals import Refused
from tests.scene import engine_at, put


def edit(engine: Engine, path: str, old: str, new: str, task: str = "") -> str:
    options = Options(task=task, actor="a", on_conflict="warn")
    receipt = engine.edit([Edit(find=old, content=new, reason=f"{old} to {new}")], options, path)
    assert receipt.ok, receipt.as_text()
    return receipt.transaction


def diff(engine: Engine, **wanted: str) -> Changes:
    return engine.review.diff(ChangesRequest(**wanted))


def before(found: Changes, path: str) -> str:
    [file] = [each for each in found.files if each.path == path]
    return file.before.text if file.before else ""


def test_edits_of_a_task_are_one_diff_with_their_reasons(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 31))
    with engine_at(tmp_path, a_txt=text) as engine:
        edit(engine, "a.txt", "line 3\n", "three\n", "words")
        edit(engine, "a.txt", "line 20\n", "twenty\n", "other")
        edit(engine, "a.txt", "three\n", "THREE\n", "words")
        found = diff(engine, task="words")

        assert before(found, "a.txt") == text.replace("line 20\n", "twenty\n")
        assert [each.reason for each in found.files[0].reasons] == [
            "line 3\n to three\n",
            "three\n to THREE\n",
        ]
        assert (found.added, found.removed) == (1, 1)


def test_the_reasons_of_a_notebook_count_lines_in_the_cell(tmp_path: Path) -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
        for source in ("a = 1\nb = 2", "c = 3\nd = 4\ne = 5")
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    with engine_at(tmp_path) as engine:
        put(tmp_path / "root", "a.ipynb", text)
        edit(engine, "a.ipynb", "d = 4\ne = 5", "d = 44\ne = 55")
        edit(engine, "a.ipynb", "b = 2", "")
        found = diff(engine)

    rows = found.as_text().split("\n")
    assert [row.partition("`, ")[2].partition(":")[0] for row in rows[2:4]] == [
        "line 2 of `cell#1`",
        "lines 2-3 of `cell#2`",
    ]
    data = found.as_data()["files"]
    assert isinstance(data, list)
    assert [each["lines"] for each in data[0]["reasons"]] == [[2, 2], [2, 3]]


def test_what_was_taken_back_is_no_change(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\n") as engine:
        edit(engine, "a.txt", "one", "uno", "t")
        edit(engine, "a.txt", "two", "dos", "u")
        assert engine.undo(UndoRequest(task="t"), Options(actor="someone")).ok

        assert diff(engine, task="t").files == ()
        assert before(diff(engine), "a.txt") == "one\ntwo\n"
        assert before(diff(engine, task="u"), "a.txt") == "one\ntwo\n"


def test_a_file_that_came_moved_and_went_is_followed(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n", b_txt="b\n") as engine:
        options = Options(actor="a")
        assert engine.write(DeleteFile("b.txt"), options).ok
        assert engine.write(MoveFile("a.txt", "b.txt"), options).ok
        edit(engine, "b.txt", "one", "uno")
        assert engine.write(WriteFile("new.txt", "n\n"), options).ok
        assert engine.write(WriteFile("gone.txt", "g\n"), options).ok
        assert engine.write(DeleteFile("gone.txt"), options).ok
        found = diff(engine)

        assert [(each.comparison.path, each.path) for each in found.files] == [
            ("b.txt", "b.txt"),
            ("a.txt", "b.txt"),
            ("new.txt", "new.txt"),
        ]
        assert "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n" in found.as_text()


def test_each_file_says_who_did_what_where_and_of_many_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.engine.history.changes._MOST_TOLD", 2)
    with engine_at(tmp_path, a_txt="1\n2\n3\n4\n5\n6\n7\n") as engine:
        names = [edit(engine, "a.txt", *pair) for pair in (("2\n", ""), ("5", "5\n5"), ("7", "s"))]
        rows = diff(engine).as_text().split("\n")

    assert rows[:5] == [
        "1 file, +2 -2, in 3 transactions",
        "a.txt  +2 -2",
        f"  {names[0]} a, behind line 1: 2 to",
        f"  {names[1]} a, line 5: 5 to 5 5",
        "  and 1 more in the history of the file",
    ]


def test_what_costs_too_much_is_left_out_with_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine_at(tmp_path, a_txt="1\n2\n") as engine:
        last = [edit(engine, "a.txt", "1", "one"), edit(engine, "a.txt", "2", "two")][-1]
        monkeypatch.setattr("keyhole.engine.history.cumulative._MOST_COST", 0)
        [file] = diff(engine).files
        monkeypatch.setattr("keyhole.engine.history.cumulative._PAGE", 1)
        paged = diff(engine)
        monkeypatch.setattr("keyhole.engine.history.cumulative.MOST", 1)
        few = diff(engine)

    note = "Too much happened to this file to tell the reason of each hunk."
    assert (file.reasons, file.note) == ((), note)
    assert (len(paged.found.entries), paged.found.note) == (2, "")
    assert [each.id for each in few.found.entries] == [last]
    assert few.found.note == f"looked no further back than {last}: a diff reads 1 transactions"


def test_what_an_outsider_wrote_belongs_to_nobody(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="1\n2\n3\n4\n5\n") as engine:
        edit(engine, "a.txt", "1\n", "one\n")
        put(tmp_path / "root", "a.txt", "one\n2\n3\n4\nfive\n")
        edit(engine, "a.txt", "3\n", "three\n")
        found = diff(engine)

        assert before(found, "a.txt") == "1\n2\n3\n4\nfive\n"
        assert (found.added, found.removed) == (2, 2)


def test_a_point_that_is_none_is_refused(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="1\n") as engine:
        edit(engine, "a.txt", "1", "2")
        for since, said in (("soon", "`since` is 'soon'"), ("99", "no transaction '99'")):
            with pytest.raises(Refused) as refused:
                diff(engine, since=since)
            assert said in str(refused.value.refusals[0].headline)
        with pytest.raises(Refused, match="no commit"):
            diff(engine, since="HEAD")


def git(root: Path, *words: str, given: str = "") -> str:
    who = ("-c", "user.name=n", "-c", "user.email=e")
    done = subprocess.run(
        ["git", *who, *words],
        cwd=root,
        input=given,
        encoding="utf-8",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_since_the_last_commit_it_is_what_git_says_of_the_files_and_applies(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="1\n2\n3\n", b_txt="b\n") as engine:
        root = tmp_path / "root"
        git(root, "init", "-q")
        edit(engine, "a.txt", "1", "one")
        git(root, "add", ".")
        git(root, "commit", "-qm", "first")
        assert diff(engine, since="HEAD").files == ()
        edit(engine, "a.txt", "3", "three")
        assert engine.write(MoveFile("b.txt", "c d.txt"), Options()).ok
        edit(engine, "c d.txt", "b", "see")
        found = diff(engine, since="HEAD")

        assert before(found, "a.txt") == "one\n2\n3\n"
        patch = "\n".join([*found.as_rows(), ""])
        git(root, "apply", "-R", given=patch)
        assert git(root, "status", "--porcelain") == ""
        assert [each.path for each in found.files] == ["a.txt", "c d.txt"]


def test_what_others_committed_with_an_edit_is_no_change_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine_at(tmp_path, a_txt="1\n2\n3\n", b_txt="b\n", c_txt="c\n") as engine:
        root = tmp_path / "root"
        git(root, "init", "-q")
        edit(engine, "a.txt", "1", "one")
        last = edit(engine, "b.txt", "b", "bee")
        put(root, "a.txt", "one\n2\n3\nmore\n")
        git(root, "add", "a.txt")
        monkeypatch.setenv("GIT_COMMITTER_DATE", "4000000000 +0000")
        git(root, "commit", "-qm", "first")
        found = diff(engine, since="HEAD")
        assert engine.write(MoveFile("c.txt", "d.txt"), Options()).ok
        put(root, "d.txt", "c\nmore\n")
        git(root, "add", "d.txt")
        monkeypatch.setenv("GIT_COMMITTER_DATE", "1000000000 +0000")  # a clock that is behind
        git(root, "commit", "-qm", "second")
        late = diff(engine, since="HEAD")

    assert "d.txt" not in {each.path for each in late.files}
    assert [(each.path, each.before) for each in found.files] == [("b.txt", None)]
    assert [each.transaction for each in found.files[0].reasons] == [last]


def played(base: Path, seed: int) -> int:
    """Let two tasks edit lines of their own at random, and compare each with its own undo."""
    chance = random.Random(seed)
    rows = [f"row {number}" for number in range(40)]
    with engine_at(base, a_txt="\n".join(rows) + "\n") as engine:
        for step in range(30):
            task = chance.choice(["even", "odd"])
            number = chance.randrange(task == "odd", 40, 2)
            has = next(r for r in engine.document("a.txt").text.split("\n") if _is(r, number))
            new = chance.choice([f"row {number} v{step}", f"row {number}\nmore {task} {step}"])
            edit(engine, "a.txt", f"{has}\n", f"{new}\n", task)
            if chance.random() < 0.2:
                engine.undo(UndoRequest(), Options(actor="a"))
        for task in ("even", "odd"):
            ahead = engine.undo(UndoRequest(task=task), Options(dry_run=True))
            if ahead.ok:
                wanted = ahead.files[0].plan.after
                assert wanted is not None
                assert before(diff(engine, task=task), "a.txt") == wanted.text, (seed, task)
    return 1


def _is(row: str, number: int) -> bool:
    return row == f"row {number}" or row.startswith(f"row {number} v")


def test_a_task_alone_is_what_its_undo_would_remove(tmp_path: Path) -> None:
    ran = 0
    for seed in range(6):
        base = tmp_path / str(seed)
        base.mkdir()
        ran += played(base, seed)

    assert ran == 6


def test_the_unified_diff_of_each_file_is_that_of_its_two_texts(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="1\n") as engine:
        edit(engine, "a.txt", "1", "2")
        [file] = diff(engine).files

        assert unified_of(file).endswith("@@ -1 +1 @@\n-1\n+2\n")
