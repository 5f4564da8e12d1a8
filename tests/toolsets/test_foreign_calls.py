"""Calls as other hosts' models send them: they land, or come with a call that does."""

import json
from collections.abc import Mapping

import pytest

from keyhole.toolsets.base import ToolAnswer
from tests.toolsets.desk import Data, Desk

APP = (
    "import os\n\n\nclass Worker:\n    def f(self):\n        retries = 3\n        return retries\n"
)
DONE = APP.replace("retries = 3", "retries = 5")
ALL = APP.replace("retries", "tries")
PATH = "src/app.py"
ONE = {"find": "retries = 3", "content": "retries = 5"}
OLD = {"old_string": "retries = 3", "new_string": "retries = 5"}
LINE = "        retries = 5"
DIFF = "@@ -6,1 +6,1 @@\n-        retries = 3\n+        retries = 5\n"
PATCH = f"*** Begin Patch\n*** Update File: {PATH}\n{DIFF}*** End Patch"
CLAUDE = "str_replace_based_edit_tool"


@pytest.fixture(autouse=True)
def _files(desk: Desk) -> None:
    desk.write(PATH, APP)
    desk.write("guide.md", "# Guide\n\n## Install\n\nRun it.\n")


def edit(**one: object) -> dict[str, object]:
    return {"path": PATH, "edits": [one]}


LANDING: list[tuple[str, dict[str, object]]] = [
    ("edit", {"file_path": PATH, "instruction": "more", **OLD}),
    ("edit", {"file_path": PATH, "instruction": "more", **OLD, "expected_replacements": 1}),
    ("edit", {"file_path": PATH, **OLD, "allow_multiple": False}),
    ("edit", {"TargetFile": PATH, "TargetContent": "retries = 3", "ReplacementContent": LINE[8:]}),
    ("edit", edit(find="retries = 3", replacement="retries = 5")),
    ("edit", edit(find="retries = 3", replace_with="retries = 5")),
    ("edit", edit(find="retries = 3", text="retries = 5")),
    ("edit", edit(**ONE, action="REPLACE", match="Exact", occurrence="First")),
    ("edit", edit(**ONE, occurrence=1.0, regex=0)),
    ("edit", edit(**ONE, type="replace")),
    ("edit", {"command": "str_replace", "path": PATH, **OLD}),
    ("edit", edit(find=r"retries = \d", content="retries = 5", use_regex=True)),
    ("edit", edit(find=r"retries = \d", content="retries = 5", is_regex="yes")),
    *(("edit", edit(lines=each, content=LINE)) for each in ("6:6", "6..6", "6,6", "lines 6-6")),
    *(("edit", edit(lines=each, content=LINE)) for each in ("6–6", "#L6", "L6-L6", "6 to 6", [6])),
    ("edit", edit(lines={"from": 6, "to": 6}, content=LINE)),
    ("edit", edit(lines={"first": 6, "last": 6}, content=LINE)),
    ("edit", edit(line=6, content=LINE)),
    ("edit", edit(line_number="6", content=LINE)),
    ("edit", edit(line_range=[6, 6], content=LINE)),
    ("edit", edit(range={"start": 6, "end": 6}, content=LINE)),
    ("edit", {"path": PATH, "changes": [ONE]}),
    ("edit", {"path": PATH, "replacements": [{"old": "retries = 3", "new": "retries = 5"}]}),
    ("edit", {"files": [{"path": PATH, "edits": [ONE]}]}),
    ("edit", {"edits": [{"path": PATH, "edits": [ONE]}]}),
    ("edit", {"path": PATH, "edits": {"1": ONE}}),
    ("edit", {"path": PATH, "edits": [{}, ONE, None]}),
    ("edit", {"path": PATH, "edits": f"```json\n{json.dumps([ONE])}\n```"}),
    ("edit", {"path": PATH, "edits": str([ONE])}),
    ("edit", {"path": [PATH], "edits": [ONE]}),
    ("edit", {"paths": [PATH], "edits": [ONE]}),
    ("edit", {"relative_path": PATH, "edits": [ONE], "dry_run": 0, "preview": "no"}),
    ("edit", {"uri": "file://$ROOT/src/app.py", "edits": [ONE]}),
    ("edit", {"path": PATH, "edits": [ONE], "expected_hash": "null", "mode": "Strict"}),
    ("patch", {"patchText": PATCH}),
    ("patch", {"path": PATH, "content": DIFF}),
    (CLAUDE, {"command": "Str_Replace", "path": PATH, **OLD}),
    ("apply_patch", {"patch_text": PATCH}),
    ("edit_file", {"path": PATH, "edits": [{"oldText": "retries = 3", "newText": "retries = 5"}]}),
]
EVERYWHERE: list[tuple[str, dict[str, object]]] = [
    ("edit", {"file_path": PATH, "old_string": "retries", "new_string": "tries", name: True})
    for name in ("allow_multiple", "replaceAll", "all", "global")
]
WITH_TRY: list[tuple[str, dict[str, object]]] = [
    ("edit", {"path": f"/{PATH}", "edits": [ONE]}),
    ("edit", {"path": f"@{PATH}", "edits": [ONE]}),
    ("edit", {"path": f"a/{PATH}", "edits": [ONE]}),
    ("edit", {"path": f" {PATH} ", "edits": [ONE]}),
    ("edit", {"path": f"`{PATH}`", "edits": [ONE]}),
    ("edit", {"path": "src\\app.py", "edits": [ONE]}),
    ("edit", edit(find=["retries = 3"], content=["retries = 5"])),
    ("edit", {"path": PATH, "edits": [ONE], "security_risk": "LOW"}),
    ("edit", {"path": PATH, "edits": [ONE], "task_progress": "- [x] all"}),
    ("patch", {"patch": PATCH.split("\n")}),
    ("patch", {"patch": PATCH, "fuzz": 2}),
]


def sent(desk: Desk, tool: str, call: Mapping[str, object]) -> ToolAnswer:
    given = json.loads(json.dumps(call).replace("$ROOT", str(desk.root)))
    return desk.workspace.call(tool, given)


@pytest.mark.parametrize(("tool", "call"), LANDING, ids=str)
def test_a_call_in_another_tools_words_lands(desk: Desk, tool: str, call: Data) -> None:
    answer = sent(desk, tool, call)

    assert not answer.refused, answer.text
    assert desk.read(PATH) == DONE
    assert answer.data["healed"]


@pytest.mark.parametrize(("tool", "call"), EVERYWHERE, ids=str)
def test_all_places_are_meant_by_any_name(desk: Desk, tool: str, call: Data) -> None:
    assert not sent(desk, tool, call).refused
    assert desk.read(PATH) == ALL


@pytest.mark.parametrize(("tool", "call"), WITH_TRY, ids=str)
def test_what_would_be_guessed_or_dropped_comes_with_a_try(
    desk: Desk, tool: str, call: Data
) -> None:
    answer = sent(desk, tool, call)
    assert answer.refused
    assert desk.read(PATH) == APP
    [first, *_] = answer.data["refusals"]  # type: ignore[misc]

    assert not sent(desk, tool, first["try"]).refused  # type: ignore[has-type]
    assert desk.read(PATH) == DONE


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        ({"offset": 2, "limit": 3}, [2, 5]),
        ({"offset": 0, "limit": 2000}, [1, 7]),
        ({"limit": 5}, [1, 5]),
    ],
    ids=str,
)
def test_lines_by_offset_and_limit_come_with_a_try(desk: Desk, call: Data, lines: Data) -> None:
    [refusal] = sent(desk, "read", {"file_path": PATH, **call}).data["refusals"]  # type: ignore[misc]

    assert sent(desk, "read", refusal["try"]).data["lines"] == lines  # type: ignore[has-type]


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        ("read", {"path": PATH, "view_range": [2, -1]}),
        ("read", {"path": PATH, "symbol": "Worker.f"}),
        ("outline", {"path": PATH, "kinds": "class, method", "max_depth": 1}),
        ("outline", {"directory": "src"}),
        ("search", {"pattern": "retries", "include": "*.py", "max_results": 2}),
        ("search", {"query": ["retries"], "context_lines": "1"}),
        ("write", {"source": "guide.md", "destination": "moved.md"}),
        ("write", {"old_path": "guide.md", "new_path": "moved.md"}),
        ("write", {"TargetFile": "new.md", "CodeContent": "# N\n"}),
        ("write", {"path": "new.md", "contents": "# N\n", "delete": "no"}),
        ("scaffold", {"template_id": "design"}),
        ("insert_at", {"path": PATH, "line_number": 1, "text": "import re\n"}),
        ("TextReplace", {"path": "guide.md", "edits": {"oldText": "Run it.", "newText": "Go."}}),
        ("edit_section", {"path": "guide.md", "heading": "Install", "content": "Go."}),
    ],
    ids=str,
)
def test_other_tools_take_other_words_too(desk: Desk, tool: str, call: Data) -> None:
    answer = sent(desk, tool, call)

    assert not answer.refused, answer.text
    assert answer.data["healed"]


@pytest.mark.parametrize("call", [{"path": PATH}, {"steps": 3}, {"all": True}], ids=str)
def test_an_undo_of_who_knows_what_is_not_taken_for_the_last_one(desk: Desk, call: Data) -> None:
    sent(desk, "edit", edit(**ONE))
    answer = sent(desk, "undo", call)

    assert answer.refused
    assert "try" not in str(answer.data)


def test_an_expression_is_not_searched_for_as_text(desk: Desk) -> None:
    [refusal] = sent(desk, "search", {"pattern": r"retries\s*="}).data["refusals"]  # type: ignore[misc]

    assert refusal["try"]["regex"] is True  # type: ignore[has-type]


@pytest.mark.parametrize(
    "edits", ["[{'find': 'a', 'find': 'b', 'content': 'c'}]", "[{'find': open('x')}]"]
)
def test_pythons_notation_is_only_read(desk: Desk, edits: str) -> None:
    assert sent(desk, "edit", {"path": PATH, "edits": edits}).refused
