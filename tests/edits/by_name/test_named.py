from pathlib import Path

import pytest

from keyhole import Edit, Workspace
from tests.case_files import Case, cases_of
from tests.edits import segment_calls
from tests.test_cases import check_case

CASES = cases_of(Path(__file__).parents[2] / "cases" / "named")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file} {case.title}")
def test_the_case_comes_out_as_written(case: Case) -> None:
    check_case(case)


def test_every_case_is_run() -> None:
    assert len(CASES) == 314


@pytest.mark.parametrize("action", ["before", "after", "prepend", "append"])
def test_nothing_added_is_nothing_changed(action: str) -> None:
    placed = segment_calls.placed(
        "m.py", "def f():\n    pass\n", segment="f", action=action, content="\n"
    )

    assert placed.changes == ()
    assert placed.span == (0, 18)


@pytest.mark.parametrize(
    ("part", "content", "written"),
    [
        ("whole", "def f(self)\n    return 2\n", "    def f(self)\n        return 2\n"),
        (
            "whole",
            "def f(self) -> dict[str, int]  # a: b\n        return 2\n",
            "    def f(self) -> dict[str, int]  # a: b\n        return 2\n",
        ),
        (
            "body",
            "if 1:\n    x = 1\nelse\n    y\n",
            "    def f(self):\n        if 1:\n            x = 1\n        else\n            y\n",
        ),
        (
            "body",
            "for x in {1: 2}\nprint(x)\n",
            "    def f(self):\n        for x in {1: 2}\n        print(x)\n",
        ),
    ],
)
def test_a_missing_colon_is_a_syntax_error_and_written_if_that_is_asked_for(
    part: str,
    content: str,
    written: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    before = "class A:\n    def f(self):\n        return 1\n"
    (root / "a.py").write_text(before, encoding="utf-8")
    edit = Edit(path="a.py", segment="A.f", content=content, part=part)
    with Workspace(root) as workspace:
        [refusal] = workspace.edit(edit).refusals
        receipt = workspace.edit(edit, mode="interactive")

    assert refusal.code == "syntax-broken"
    assert refusal.headline.endswith("expected ':'")
    assert receipt.ok
    assert (root / "a.py").read_text(encoding="utf-8") == "class A:\n" + written
