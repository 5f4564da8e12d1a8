"""The library's own promises: a call returns a receipt, whatever was passed for edits."""

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from keyhole import Edit, Receipt, Refused, Workspace
from keyhole.edits.model.operations import WriteFile


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\ntwo\n")
    return root


@pytest.mark.parametrize("edits", ["a.txt", [{"find": "one", "content": "1"}], 3, ["a.txt", None]])
def test_what_is_no_edit_is_refused_in_words(here: Path, edits: object) -> None:
    with Workspace(here) as workspace:
        receipt = workspace.edit(cast("Edit", edits), path="a.txt")

    assert [refusal.code for refusal in receipt.refusals] == ["bad-request"]
    assert "no edit" in receipt.refusals[0].headline
    assert "Edit(" in receipt.refusals[0].help
    assert (here / "a.txt").read_bytes() == b"one\ntwo\n"


def test_one_edit_several_and_any_iterable_are_taken(here: Path) -> None:
    with Workspace(here) as workspace:
        assert workspace.edit(Edit(find="one", content="1"), path="a.txt").ok
        assert workspace.edit((Edit(find=text, content="x") for text in "1"), path="a.txt").ok
        assert workspace.preview([Edit(find="two", content="2")], path="a.txt").ok

    assert (here / "a.txt").read_bytes() == b"x\ntwo\n"


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.edit(Edit(find="one", content="1"), path="a.txt", mode="bold"),
        lambda w: w.patch("@@ @@\n-one\n+1\n", path="a.txt", mode="bold"),
        lambda w: w.write("b.txt", "new\n", mode="bold"),
        lambda w: w.scaffold("design", "b.md", mode="bold"),
        lambda w: w.undo(mode="bold"),
    ],
    ids=["edit", "patch", "write", "scaffold", "undo"],
)
def test_an_option_that_means_nothing_is_refused_in_a_receipt_by_every_call(
    here: Path, call: Callable[[Workspace], Receipt]
) -> None:
    with Workspace(here) as workspace:
        receipt = call(workspace)

    assert [refusal.headline for refusal in receipt.refusals] == [
        "`mode` is 'bold'; it is one of strict, interactive, verify_only"
    ]


def test_a_path_may_be_one_of_pathlib(here: Path) -> None:
    with Workspace(here) as workspace:
        path = here / "a.txt"

        assert workspace.edit(Edit(find="one", content="1"), path=path).ok
        assert workspace.read(Path("a.txt")).as_data()["total_lines"] == 2
        assert len(workspace.history(path).transactions) == 1
        assert workspace.write(path, move_to=Path("b.txt")).ok
        assert workspace.search("two", Path()).as_data()["total"] == 1

    assert (here / "b.txt").read_bytes() == b"1\ntwo\n"


def test_the_history_is_asked_as_over_the_tool(here: Path) -> None:
    (here / "a.py").write_bytes(b"def f():\n    return 1\n")
    with Workspace(here, actor="ann") as workspace:
        workspace.edit(Edit(segment="f", part="body", content="return 2"), path="a.py", reason="f")
        workspace.edit(Edit(find="one", content="1"), path="a.txt", reason="one")

        def reasons(segment: str = "", actor: str | None = None, since: str = "") -> list[str]:
            found = workspace.history(segment=segment, actor=actor, since=since).transactions
            return [past.entry.call.reason for past in found]

        assert reasons(segment="f") == ["f"]
        assert reasons(actor="ann", since="1h") == ["one", "f"]
        assert reasons(actor="bob") == []
        assert reasons(since="2999-01-01") == []
        with pytest.raises(Refused, match="since"):
            reasons(since="lately")


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.edit(Edit(find="one", content="1"), path=5),
        lambda w: w.patch(5),
        lambda w: w.write(None, "new\n"),
        lambda w: w.scaffold(None, "b.md"),
        lambda w: w.undo(5),
        lambda w: w.undo(task=b"t"),
    ],
    ids=["edit", "patch", "write", "scaffold", "undo", "task"],
)
def test_an_argument_of_another_type_is_refused_in_a_receipt(
    here: Path, call: Callable[[Workspace], Receipt]
) -> None:
    with Workspace(here) as workspace:
        receipt = call(workspace)

    assert [refusal.code for refusal in receipt.refusals] == ["bad-request"]


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.read(None),
        lambda w: w.outline(query=5),
        lambda w: w.search(5),
        lambda w: w.search("x", limit="9"),
        lambda w: w.history(limit=-1),
        lambda w: w.history(task="\ud83d"),
        lambda w: w.show(1),
        lambda w: w.schema(b"a"),
        lambda w: w.templates(5),
        lambda w: w.call("apply_patch", None),
        lambda _: Workspace(None),  # type: ignore[arg-type]
        lambda w: Workspace(w.root, read_only="yes"),  # type: ignore[arg-type]
    ],
)
def test_a_question_of_another_type_is_refused(
    here: Path, call: Callable[[Workspace], object]
) -> None:
    with Workspace(here) as workspace, pytest.raises(Refused, match="bad-request"):
        call(workspace)


def test_one_workspace_serves_many_threads(here: Path) -> None:
    def carried_out(number: int) -> bool:
        added = Edit(action="append", content=f"{number}\n")
        written = workspace.write(f"{number}.txt", "x\n")
        past = workspace.history(f"{number}.txt").transactions
        return workspace.edit(added, path="a.txt").ok and written.ok and len(past) == 1

    with Workspace(here) as workspace, ThreadPoolExecutor(8) as pool:
        done = list(pool.map(carried_out, range(40)))

    lines = (here / "a.txt").read_text(encoding="utf-8").split("\n")
    assert all(done)
    assert sorted(lines[2:-1], key=int) == [str(number) for number in range(40)]


def test_without_a_root_it_is_found_from_the_current_directory_upwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo" / "src").mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "repo" / "src")

    with Workspace() as workspace:
        assert workspace.root == tmp_path / "repo"


def test_the_home_directory_is_no_workspace_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(Refused, match="path-denied"):
        Workspace()
    with Workspace(tmp_path) as named:
        assert named.root == tmp_path


def test_a_receipt_is_true_if_it_is_ok_and_check_raises_what_it_says(here: Path) -> None:
    with Workspace(here) as workspace:
        done = workspace.edit(Edit(find="one", content="1"), path="a.txt")
        refused = workspace.edit(Edit(find="<three>", content="3"), path="a.txt")

    assert done
    assert done.check() is done
    assert str(done) == done.as_text()
    assert not refused
    with pytest.raises(Refused, match="not-found"):
        refused.check()


def test_a_notebook_shows_the_diff_and_no_markup_of_a_file(here: Path) -> None:
    with Workspace(here) as workspace:
        shown = workspace.edit(Edit(find="one", content="<b>"), path="a.txt")._repr_html_()

    assert '<span style="color:#1a7f4b">+&lt;b&gt;</span>' in shown
    assert "<b>" not in shown


def test_a_misspelt_option_is_a_type_error(here: Path) -> None:
    with Workspace(here) as workspace, pytest.raises(TypeError, match="did you mean 'reason'"):
        workspace.edit(Edit(find="one", content="1"), path="a.txt", resaon="why")  # type: ignore[call-arg]

    assert (here / "a.txt").read_bytes() == b"one\ntwo\n"


def test_an_edit_has_a_signature(here: Path) -> None:  # noqa: ARG001
    parameters = inspect.signature(Edit).parameters

    assert list(parameters)[:3] == ["path", "segment", "find"]
    assert parameters["match"].default == "tolerant"


def test_the_library_looks_back_and_forward(here: Path) -> None:
    with Workspace(here) as workspace:
        workspace.edit(Edit(find="one", content="1", reason="digit"), path="a.txt", task="t")
        workspace.undo()
        assert workspace.redo().ok
        assert workspace.edit(Edit(find="two", content="2"), path="a.txt", propose=True)

        assert [each.name for each in workspace.tasks().tasks] == ["t"]
        assert len(workspace.proposals().proposals) == 1
        assert workspace.proposals(decided=True).as_data() == workspace.proposals().as_data()
        assert workspace.stats(since="1h").as_data()["undos"] == 2
        assert workspace.check("a.txt").as_data()
        reasons = [each.reason for each in workspace.diff(task="t").files[0].reasons]
        assert reasons[0] == "digit"
        assert reasons[1].startswith("takes back 2-")
    assert (here / "a.txt").read_bytes() == b"1\ntwo\n"


def test_the_library_changes_many_files_at_once(here: Path) -> None:
    (here / "a.py").write_bytes(b"def load():\n    return 1\n")
    (here / "b.py").write_bytes(b"from a import load\n\nload()\n")
    with Workspace(here) as workspace:
        uses = workspace.references("a.py", "load").as_text()
        renamed = workspace.rename("a.py", "load", "read")
        swept = workspace.sweep(Edit(find="read", content="get"), "*.py", expected_count=3)
        refused = workspace.sweep(cast("Edit", WriteFile("a.py", "")), "*.py")

    assert uses.split("\n") == [
        "a.py:1:5: def load():  [load]",
        "b.py:1:15: from a import load  [imports]",
        "b.py:3:1: load()",
    ]
    assert (renamed.ok, swept.ok) == (True, True)
    assert (here / "a.py").read_bytes() == b"def get():\n    return 1\n"
    assert (here / "b.py").read_bytes() == b"from a import get\n\nget()\n"
    assert "a WriteFile that is no edit" in refused.refusals[0].headline


def test_the_library_has_what_the_tools_have(here: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: b.md\n+# B\n*** End Patch\n"
    with Workspace(here) as workspace:
        added = workspace.call("apply_patch", {"input": patch}, "codex")
        assert "design" in workspace.templates().as_text()
        assert workspace.schema("b.md").as_data()["language"] == "markdown"
        assert workspace.tracker().check_conflicts("b.md", (1, 1), "t") == []
        with pytest.raises(Refused, match="shares no journal"):
            workspace.conflicts()

    assert not added.refused
    assert (here / "b.md").read_bytes() == b"# B\n"


def test_threads_share_a_workspace_and_no_edit_is_lost(here: Path) -> None:
    rows = [f"row {number}" for number in range(40)]
    (here / "b.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    with Workspace(here) as workspace:

        def edit(number: int) -> Receipt:
            change = Edit(find=f"row {number}\n", content=f"done {number}\n")
            return workspace.edit(change, path="b.txt")

        with ThreadPoolExecutor(8) as pool:
            receipts = list(pool.map(edit, range(40)))

    assert all(receipts)
    wanted = "".join(f"done {number}\n" for number in range(40))
    assert (here / "b.txt").read_text(encoding="utf-8") == wanted
