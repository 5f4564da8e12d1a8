from pathlib import Path

import pytest

from keyhole import Edit, Workspace
from tests.scene import put

TWICE = "a = 1\nb = 2\na = 1\nb = 2\n"
RUN = "    def run(self):\n        return 1\n"
CODE = f"class A:\n{RUN}\n\nclass B:\n{RUN}"
DIFF = "--- a/x.py\n+++ b/x.py\n@@\n-a = 1\n+a = 5\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Workspace(put(tmp_path, "root/x.py", TWICE).parent)


def accepted(workspace: Workspace, number: int, edit: Edit | str) -> str:
    """Return the file after one of the places that a refusal shows was accepted."""
    is_patch = isinstance(edit, str)
    refused = workspace.patch(edit) if is_patch else workspace.edit(edit, path="x.py")  # type: ignore[arg-type]
    [refusal] = refused.refusals
    assert refusal.code == "ambiguous"
    done = workspace.edit(Edit(accept=refusal.candidates[number].accept))
    assert done.ok, done.as_text()
    return (workspace.root / "x.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("edit", "second"),
    [
        (Edit(find="a = 1", content="a = 5"), "a = 1\nb = 2\na = 5\nb = 2\n"),
        (Edit(find="a = 1  \n", content="a = 5\n"), "a = 1\nb = 2\na = 5\nb = 2\n"),
        (Edit(find="a = 1\n", action="after", content="c = 3\n"), f"{TWICE[:-6]}c = 3\nb = 2\n"),
        (Edit(find=r"a = (\d)", regex=True, content=r"a = -\1"), "a = 1\nb = 2\na = -1\nb = 2\n"),
        (Edit(pattern="a = $X", content="a = f($X)"), "a = 1\nb = 2\na = f(1)\nb = 2\n"),
        (DIFF, "a = 1\nb = 2\na = 5\nb = 2\n"),
    ],
    ids=str,
)
def test_the_second_of_two_places_is_accepted(
    workspace: Workspace, edit: Edit | str, second: str
) -> None:
    assert accepted(workspace, 1, edit) == second


def test_the_second_of_two_segments_is_accepted(workspace: Workspace) -> None:
    put(workspace.root, "x.py", CODE)

    now = accepted(workspace, 1, Edit(segment="run", content="def run(self):\n    return 2\n"))

    assert now == CODE[: CODE.index("class B")] + CODE[CODE.index("class B") :].replace("1", "2")


def test_two_places_on_one_line_are_not_told_apart(workspace: Workspace) -> None:
    put(workspace.root, "x.py", "f(a, a)\n")

    refused = workspace.edit(Edit(find="a", content="b", match="exact"), path="x.py")

    assert [each.accept for each in refused.refusals[0].candidates] == [""]


def test_an_ambiguous_end_offers_nothing(workspace: Workspace) -> None:
    put(workspace.root, "x.py", "start\nend\nend\n")

    refused = workspace.edit(Edit(find="start", until="end", content="x"), path="x.py")

    [refusal] = refused.refusals
    assert refusal.code == "ambiguous"
    assert not any(each.accept for each in refusal.candidates)
