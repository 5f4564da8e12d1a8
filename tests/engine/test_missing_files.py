from pathlib import Path

import pytest

from keyhole import Edit, Refused, Workspace
from tests.scene import put


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for path in ("app.py", "src/worker.py", "docs/guide.md"):
        put(tmp_path / "root", path, "one\n")
    return Workspace(tmp_path / "root")


def near(workspace: Workspace, path: str) -> tuple[str, ...]:
    with pytest.raises(Refused) as read:
        workspace.read(path)
    edited = workspace.edit(Edit(find="one", content="two"), path=path)
    [refusal], [again] = read.value.refusals, edited.refusals
    assert refusal.code == again.code == "no-file"
    assert refusal.suggestions == again.suggestions
    return refusal.suggestions


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("aap.py", ("app.py",)),
        ("App.py", ("app.py",)),
        ("src/Worker.py", ("src/worker.py",)),
        ("worker.py", ("src/worker.py",)),
        ("src/guide.md", ("docs/guide.md",)),
        ("sorces/worker.py", ("src/worker.py",)),
        ("nowhere/at/all/worker.py", ("src/worker.py",)),
        ("project/src/worker.py", ("src/worker.py",)),
        ("project/app.py", ("app.py",)),
        ("nothing.like.it", ()),
        ("nowhere/nothing.like.it", ()),
    ],
)
def test_a_path_that_leads_nowhere_names_the_nearest(
    workspace: Workspace, path: str, meant: tuple[str, ...]
) -> None:
    assert near(workspace, path) == meant


def test_a_full_path_is_answered_with_full_paths(workspace: Workspace) -> None:
    assert near(workspace, f"{workspace.root}/aap.py") == (f"{workspace.root}/app.py",)
    assert near(workspace, f"{workspace.root}/s/worker.py") == (f"{workspace.root}/src/worker.py",)


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("search", {"query": "one", "path": "sorces/worker.py"}, ["src/worker.py"]),
        ("search", {"query": "one", "path": "aap.py"}, ["app.py"]),
        ("outline", {"path": "nested"}, ["deep/nested"]),
        ("outline", {"path": "Deep/nested/"}, ["deep/nested", "deep/nested/x.md"]),
        ("search", {"query": "one", "path": "dep/nested"}, ["deep/nested", "deep/nested/x.md"]),
    ],
)
def test_a_directory_that_is_not_there_is_said_as_it_was_asked_for(
    workspace: Workspace, tool: str, given: dict[str, object], meant: list[str]
) -> None:
    put(workspace.root, "deep/nested/x.md", "one\n")

    said = workspace.call(tool, given)

    [refusal] = said.data["refusals"]  # type: ignore[misc]
    assert refusal["message"] == f"there is no file {given['path']}"  # type: ignore[has-type]
    assert refusal["suggestions"] == meant  # type: ignore[has-type]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_file", {"path": "aap.py"}),
        ("edit_file", {"path": "aap.py", "old_content": "one", "new_content": "two"}),
        ("str_replace_based_edit_tool", {"command": "view", "path": "aap.py"}),
        ("safe_edit_file", {"path": "aap.py", "search": "one", "replace": "two"}),
        ("TextInspect", {"filePath": "docs/gude.md"}),
        ("TextReplace", {"filePath": "docs/gude.md", "oldText": "one", "newText": "two"}),
        (
            "edit_article",
            {
                "path": "docs/gude.md",
                "edits": [{"old_string": "one", "new_string": "2", "reason": "r"}],
            },
        ),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: aap.py\n-one\n+two\n*** End Patch"},
        ),
    ],
)
def test_every_interface_names_the_nearest(
    workspace: Workspace, tool: str, given: dict[str, object]
) -> None:
    sets = ("surgical",) if tool == "read_file" else ()

    said = workspace.call(tool, given, *sets)

    assert said.refused
    assert ("docs/guide.md" if "md" in str(given) else "app.py") in said.text
