"""Patches on a real tree: one transaction, everything or nothing, journalled and undoable."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole import Edit, Workspace

MODE = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
BOTH = f"{MODE}--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-true\n+false\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "root").mkdir()
    with Workspace(tmp_path / "root") as made:
        yield made


def put(workspace: Workspace, path: str, data: bytes, mode: int = 0o644) -> Path:
    file = workspace.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    file.chmod(mode)
    return file


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def tree_of(workspace: Workspace) -> dict[str, tuple[bytes, int]]:
    files = [path for path in workspace.root.rglob("*") if path.is_file()]
    return {
        path.relative_to(workspace.root).as_posix(): (path.read_bytes(), mode_of(path))
        for path in files
    }


@pytest.mark.parametrize("patch", [MODE, BOTH], ids=["alone", "with-text"])
def test_a_mode_is_changed_undone_and_changed_again(workspace: Workspace, patch: str) -> None:
    put(workspace, "run.sh", b"true\n", 0o640)
    before = tree_of(workspace)

    done = workspace.patch(patch)
    after = tree_of(workspace)
    undone = workspace.undo(done.transaction)

    assert after["run.sh"][1] == 0o750
    assert tree_of(workspace) == before
    assert workspace.undo(undone.transaction).ok
    assert tree_of(workspace) == after


def test_a_mode_is_told_of_in_text_in_data_and_in_the_history(workspace: Workspace) -> None:
    put(workspace, "run.sh", b"true\n")

    done = workspace.patch(MODE)

    assert "  edit 0: made a program, mode 100755" in done.as_text().split("\n")
    data = done.as_data("full")["files"]
    assert isinstance(data, list)
    assert (data[0]["executable"], data[0]["diff"]) == (True, MODE)
    assert workspace.show(done.transaction).diffs == {"run.sh": MODE}


def test_a_dry_run_tells_of_a_mode_and_gives_none(workspace: Workspace) -> None:
    file = put(workspace, "run.sh", b"true\n")

    assert workspace.patch(MODE, dry_run=True).outcome == "verified"
    assert mode_of(file) == 0o644


def test_a_mode_that_is_so_already_is_no_transaction(workspace: Workspace) -> None:
    put(workspace, "run.sh", b"true\n", 0o755)

    done = workspace.patch(MODE)

    assert (done.outcome, done.transaction) == ("already-applied", "")


def test_a_program_is_made_no_program_again(workspace: Workspace) -> None:
    file = put(workspace, "run.sh", b"true\n", 0o755)

    workspace.patch("diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n")

    assert mode_of(file) == 0o644


def test_a_move_may_change_text_and_mode_and_all_comes_back(workspace: Workspace) -> None:
    put(workspace, "a.sh", b"one\ntwo\n", 0o640)
    before = tree_of(workspace)
    patch = (
        "diff --git a/a.sh b/b.sh\nold mode 100644\nnew mode 100755\nrename from a.sh\n"
        "rename to b.sh\n--- a/a.sh\n+++ b/b.sh\n@@ -2 +2 @@\n-two\n+2\n"
    )

    done = workspace.patch(patch)

    assert tree_of(workspace) == {"b.sh": (b"one\n2\n", 0o750)}
    assert workspace.undo(done.transaction).ok
    assert tree_of(workspace) == before


def test_a_copy_is_a_new_file_with_the_mode_of_the_old(workspace: Workspace) -> None:
    put(workspace, "a.sh", b"one\ntwo\n", 0o755)
    patch = (
        "diff --git a/a.sh b/b.sh\ncopy from a.sh\ncopy to b.sh\n"
        "--- a/a.sh\n+++ b/b.sh\n@@ -5,2 +5,2 @@\n one\n-two\n+2\n"
    )

    done = workspace.patch(patch)

    assert tree_of(workspace)["b.sh"] == (b"one\n2\n", 0o755)
    assert [line for line in done.as_text().split("\n") if "note" in line] == [
        "  note: copied from a.sh",
        "  note: hunk 1: line 1, matched exact",
        "  note: hunk 1: the hunk is for line 5, and stands at line 1",
    ]
    assert workspace.undo(done.transaction).ok
    assert list(tree_of(workspace)) == ["a.sh"]


def test_offsets_tolerances_and_wrong_counts_are_told_per_hunk(workspace: Workspace) -> None:
    put(workspace, "a.txt", b"zero\nthe first line\nthe second line  \nthree\nfour\nfive\n")
    patch = (
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-the first line\n+1\n the second line\n"
        "@@ -5,9 +5 @@\n-four\n+4\n five\n"
    )

    done = workspace.patch(patch)

    files = done.as_data()["files"]
    assert isinstance(files, list)
    assert [(edit["matched"], edit["notes"]) for edit in files[0]["edits"]] == [
        ("whitespace", ["the hunk is for line 1, and stands at line 2"]),
        ("exact", ["the counts of the hunk at line 7 of the patch are wrong"]),
    ]
    assert done.as_text().count("  note: ") == 2
    assert "matched whitespace" in done.as_text()


def test_one_failing_hunk_refuses_all_files_and_every_failing_one_is_told(
    workspace: Workspace,
) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        put(workspace, name, b"one\ntwo\nthree\n")
    before = tree_of(workspace)
    good = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"
    bad = "@@ -2 +2 @@\n-zwei\n+2\n@@ -3 +3 @@\n-three\n+3\n@@ -9 +9 @@\n-neun\n+9\n"
    moved = (
        "diff --git a/c.txt b/d.txt\nrename from c.txt\nrename to d.txt\n--- a/c.txt\n+++ b/d.txt\n"
    )
    gone = "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-x\n+y\n"

    refused = workspace.patch(f"{good}--- a/b.txt\n+++ b/b.txt\n{bad}{moved}{bad}{gone}")

    assert [(each.code, each.path, each.edit) for each in refused.refusals] == [
        ("not-found", "b.txt", 1),
        ("not-found", "b.txt", 3),
        ("not-found", "c.txt", 4),
        ("not-found", "c.txt", 4),
        ("no-file", "none.txt", 5),
    ]
    assert [each.headline for each in refused.refusals[2:4]] == [
        "hunk 1: the hunk is not in c.txt",
        "hunk 3: the hunk is not in c.txt",
    ]
    assert tree_of(workspace) == before


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../out.txt", "path-denied"),
        ("/etc/passwd", "path-denied"),
        ("sub/../../out.txt", "path-denied"),
        (".git/config", "protected-path"),
        (".GIT/hooks/pre-commit", "protected-path"),
        ("link/out.txt", "path-denied"),
    ],
)
@pytest.mark.parametrize("way", ["create", "change", "delete", "rename-to", "rename-from", "copy"])
def test_a_path_that_leaves_the_tree_is_refused_however_it_comes(
    workspace: Workspace, tmp_path: Path, path: str, code: str, way: str
) -> None:
    put(workspace, "a.txt", b"one\n")
    (tmp_path / "out.txt").write_bytes(b"one\n")
    (workspace.root / "link").symlink_to(tmp_path)
    hunk = "@@ -1 +1 @@\n-one\n+1\n"
    patches = {
        "create": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n",
        "change": f"--- a/{path}\n+++ b/{path}\n{hunk}",
        "delete": f"--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
        "rename-to": f"diff --git a/a.txt b/{path}\nrename from a.txt\nrename to {path}\n",
        "rename-from": f"diff --git a/{path} b/b.txt\nrename from {path}\nrename to b.txt\n",
        "copy": f"diff --git a/a.txt b/{path}\ncopy from a.txt\ncopy to {path}\n",
    }

    refused = workspace.patch(patches[way])

    assert {each.code for each in refused.refusals} <= {code, "no-file"}
    assert refused.refusals
    assert (tmp_path / "out.txt").read_bytes() == b"one\n"
    assert tree_of(workspace)["a.txt"] == (b"one\n", 0o644)


def test_a_link_and_a_file_behind_it_in_one_patch_are_refused(workspace: Workspace) -> None:
    patch = (
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/tmp\n"
        "\\ No newline at end of file\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+x\n"
    )

    assert [each.code for each in workspace.patch(patch).refusals] == ["bad-patch"]
    assert tree_of(workspace) == {}


def test_a_patch_holds_the_bytes_of_files_in_other_encodings(workspace: Workspace) -> None:
    put(workspace, "plain.txt", b"caf\xe9\ntwo\n")
    put(workspace, "declared.py", b"# coding: latin-1\nx = '\xe9'\n")
    patch = (
        b"--- a/plain.txt\n+++ b/plain.txt\n@@ -1,2 +1,2 @@\n-caf\xe9\n+\xe9t\xe9\n two\n"
        b"--- a/declared.py\n+++ b/declared.py\n@@ -2 +2 @@\n-x = '\xe9'\n+x = '\xe8'\n"
        b"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+\xe9\n"
    )

    done = workspace.patch(patch)

    assert done.ok, done.as_text()
    assert {name: data for name, (data, _) in tree_of(workspace).items()} == {
        "plain.txt": b"\xe9t\xe9\ntwo\n",
        "declared.py": b"# coding: latin-1\nx = '\xe8'\n",
        "new.txt": b"\xe9\n",
    }
    gone = b"--- a/declared.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-# coding: latin-1\n-x = '\xe8'\n"
    assert workspace.patch(gone).ok


def test_half_a_pair_in_a_text_is_refused_and_is_no_byte(workspace: Workspace) -> None:
    put(workspace, "a.txt", b"one\n")

    refused = workspace.patch("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+\udce9\n")

    assert [each.code for each in refused.refusals] == ["bad-request"]
    assert tree_of(workspace)["a.txt"][0] == b"one\n"


def test_an_undo_tells_of_the_mode_it_gives_back(workspace: Workspace) -> None:
    put(workspace, "run.sh", b"true\n")
    done = workspace.patch(MODE)

    undone = workspace.undo(done.transaction)

    assert "  no program any more, mode 100644" in undone.as_text().split("\n")


def test_every_path_that_is_denied_is_told(workspace: Workspace) -> None:
    hunk = "@@ -1 +1 @@\n-one\n+1\n"
    patch = "".join(f"--- a/{path}\n+++ b/{path}\n{hunk}" for path in ("../x", "ok.txt", "/etc/x"))

    refused = workspace.patch(patch)

    assert [(each.code, each.edit) for each in refused.refusals] == [
        ("path-denied", 0),
        ("path-denied", 2),
    ]


def test_an_edit_below_a_mode_is_undone_and_the_mode_stays(workspace: Workspace) -> None:
    file = put(workspace, "run.sh", b"true\n")
    edited = workspace.patch("--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-true\n+false\n")
    moded = workspace.patch(MODE)

    assert workspace.undo(edited.transaction).ok
    assert (file.read_bytes(), mode_of(file)) == (b"true\n", 0o755)
    assert workspace.undo(moded.transaction).ok
    assert (file.read_bytes(), mode_of(file)) == (b"true\n", 0o644)


def renamed(old: str, new: str, extra: str = "") -> str:
    return (
        f"diff --git a/{old} b/{new}\n{extra}similarity index 90%\nrename from {old}\n"
        f"rename to {new}\n"
    )


DELETED_B = (
    "diff --git a/b b/b\ndeleted file mode 100755\n--- a/b\n+++ /dev/null\n@@ -1,2 +0,0 @@\n"
    "-b1\n-b2\n"
)
NEW_B = "diff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+n\n"
TO_PROGRAM = "old mode 100644\nnew mode 100755\n"
EDITED_A = "--- a/a\n+++ b/b\n@@ -1,2 +1,2 @@\n-a1\n+A1\n a2\n"
A, B, C = (b"a1\na2\n", 0o640), (b"b1\nb2\n", 0o711), (b"c\n", 0o604)


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (renamed("a", "b") + renamed("b", "a"), {"a": B, "b": A, "c": C}),
        (
            renamed("a", "b", TO_PROGRAM) + EDITED_A + renamed("b", "a"),
            {"a": B, "b": (b"A1\na2\n", 0o750), "c": C},
        ),
        (renamed("a", "b") + renamed("b", "d"), {"b": A, "d": B, "c": C}),
        (renamed("b", "c") + renamed("c", "d") + renamed("a", "b"), {"b": A, "c": B, "d": C}),
        (renamed("a", "b") + renamed("b", "c") + renamed("c", "a"), {"a": C, "b": A, "c": B}),
        (DELETED_B + renamed("a", "b"), {"b": A, "c": C}),
        (DELETED_B + NEW_B, {"a": A, "b": (b"n\n", 0o600), "c": C}),
        (renamed("b", "d") + NEW_B, {"a": A, "b": (b"n\n", 0o600), "c": C, "d": B}),
    ],
    ids=["swap", "swap-edited", "chain", "chain-of-3", "cycle", "onto-deleted", "anew", "away"],
)
def test_files_take_each_others_names_in_one_transaction_and_all_comes_back(
    workspace: Workspace, patch: str, expected: dict[str, tuple[bytes, int]]
) -> None:
    before = {"a": A, "b": B, "c": C}
    for name, (data, mode) in before.items():
        put(workspace, name, data, mode)

    done = workspace.patch(patch)
    found = tree_of(workspace)
    undone = workspace.undo(done.transaction)

    assert done.ok, done.as_text()
    assert {name: data for name, (data, _) in found.items()} == {
        name: data for name, (data, _) in expected.items()
    }
    moved = {name for name in expected if expected[name][0] != b"n\n"}
    assert {name: found[name] for name in moved} == {name: expected[name] for name in moved}
    assert tree_of(workspace) == before
    assert workspace.undo(undone.transaction).ok
    assert tree_of(workspace) == found


def test_an_exchange_of_names_is_told_of_and_undone_only_as_a_whole(workspace: Workspace) -> None:
    put(workspace, "a", b"a1\n")
    put(workspace, "b", b"b1\n")

    done = workspace.patch(renamed("a", "b") + renamed("b", "c"))
    refused = workspace.undo(done.transaction, edit=0)

    assert "  its text was that of a" in done.as_text().split("\n")
    assert [each.code for each in refused.refusals] == ["undo-conflict"]
    assert refused.refusals[0].help == f"undo transaction {done.transaction} as a whole"


def test_an_older_edit_of_a_name_that_another_file_has_now_is_not_undone_there(
    workspace: Workspace,
) -> None:
    put(workspace, "a", b"same\none\nsame\n")
    put(workspace, "b", b"same\ntwo\nother\n")
    older = workspace.edit([Edit(path="a", find="one", content="two")])
    exchanged = workspace.patch(renamed("a", "b") + renamed("b", "a"))
    before = tree_of(workspace)

    refused = workspace.undo(older.transaction)
    assert [each.help for each in refused.refusals] == [
        f"undo {exchanged.transaction} first, or edit the place by hand"
    ]
    assert tree_of(workspace) == before
    assert workspace.undo(exchanged.transaction).ok
    assert workspace.undo(older.transaction).ok
    assert tree_of(workspace)["a"][0] == b"same\none\nsame\n"


def test_a_file_cannot_be_a_directory_in_the_same_call(workspace: Workspace) -> None:
    put(workspace, "x", b"one\n")

    refused = workspace.patch(renamed("x", "x/y"))

    assert [each.headline for each in refused.refusals] == [
        "x cannot be a file and hold x/y in one call"
    ]


@pytest.mark.parametrize("patch", [MODE, BOTH], ids=["alone", "with-text"])
def test_a_mode_is_undone_alone_by_the_number_of_its_edit(workspace: Workspace, patch: str) -> None:
    put(workspace, "run.sh", b"true\n", 0o604)
    done = workspace.patch(patch)
    text = tree_of(workspace)["run.sh"][0]
    (mode,) = [edit for edit in done.files[0].plan.edits if edit.is_mode]

    undone = workspace.undo(done.transaction, edit=mode.index)

    assert undone.ok, undone.as_text()
    assert tree_of(workspace) == {"run.sh": (text, 0o604)}
    assert workspace.undo(undone.transaction).ok
    assert tree_of(workspace) == {"run.sh": (text, 0o705)}


def test_a_text_is_undone_alone_below_its_mode_and_then_the_mode(workspace: Workspace) -> None:
    put(workspace, "run.sh", b"true\n")
    done = workspace.patch(BOTH)

    assert workspace.undo(done.transaction, edit=0).ok
    assert tree_of(workspace) == {"run.sh": (b"true\n", 0o755)}
    assert workspace.undo(done.transaction, edit=1).ok
    assert tree_of(workspace) == {"run.sh": (b"true\n", 0o644)}
    again = workspace.undo(done.transaction)
    assert [each.code for each in again.refusals] == ["nothing-to-undo"]


PLAIN = "--- f.orig\t2026-01-01\n+++ f\t2026-01-02\n@@ -1 +1 @@\n-one\n+1\n"


def test_of_two_names_the_one_that_is_there_is_meant(workspace: Workspace) -> None:
    put(workspace, "f.orig", b"one\n")

    assert workspace.patch(PLAIN).ok
    assert tree_of(workspace) == {"f.orig": (b"1\n", 0o644)}
    put(workspace, "f", b"one\n")
    assert workspace.patch(PLAIN).ok
    assert tree_of(workspace)["f"] == (b"1\n", 0o644)


def test_a_path_that_is_given_is_meant_whatever_else_is_there(workspace: Workspace) -> None:
    put(workspace, "f", b"one\n")
    put(workspace, "other", b"one\n")

    assert workspace.patch(PLAIN, path="other").ok
    assert tree_of(workspace) == {"f": (b"one\n", 0o644), "other": (b"1\n", 0o644)}


def test_a_task_that_skips_conflicts_makes_no_half_of_an_exchange(workspace: Workspace) -> None:
    put(workspace, "a", b"a1\n")
    put(workspace, "b", b"b1\n")
    put(workspace, "c", b"c1\n")
    with Workspace(workspace.root, actor="another") as another:
        another.edit([Edit(path="a", find="a1", content="a2")], task="first")
    hunk = "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-c1\n+c2\n"

    exchange = renamed("a", "b") + renamed("b", "a")
    done = workspace.patch(exchange + hunk, task="second", on_conflict="skip")

    assert done.ok, done.as_text()
    files = {name: data for name, (data, _) in tree_of(workspace).items()}
    assert files == {"a": b"a2\n", "b": b"b1\n", "c": b"c2\n"}
