"""Where edits are only proposed, no set of tools says that anything was done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.engine.facade import Engine
from keyhole.toolsets import Caller, call, tool_named
from keyhole.workspace.tree import TreeOptions
from tests.scene import put
from tests.toolsets.desk import Data

TEXT = "# T\n\nhello\n\n## A\n\nalpha\n"
CHANGE = {"oldString": "hello", "newString": "hi"}
AT_END = {"appendToSection": "A"}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    put(tmp_path / "root", "a.md", TEXT)
    engine = Engine.open(tmp_path / "root", tmp_path / "state", TreeOptions(propose=True))
    yield engine
    engine.close()


def asked(engine: Engine, tool_set: str, tool: str, **arguments: object) -> Data:
    said = call(tool_named(tool, (tool_set,)), lambda _: engine, arguments, Caller("agent"))
    assert not said.refused, said.text
    assert sorted(each.name for each in Path(engine.root).iterdir()) == ["a.md"]
    assert engine._tree.read("a.md").text == TEXT
    return said.data


@pytest.mark.parametrize(
    ("tool_set", "tool", "arguments", "output"),
    [
        (
            "surgical",
            "edit_file",
            {"path": "a.md", "old_content": "hello", "new_content": "hi"},
            "Edited a.md: 1 place at line 3, 7 -> 7 lines",
        ),
        ("surgical", "write_file", {"path": "b.md", "content": "b\n"}, "Created b.md, 1 line"),
        (
            "article",
            "edit_article",
            {
                "path": "a.md",
                "edits": [{"old_string": "hello", "new_string": "hi", "reason": "short"}],
            },
            "Applied 1 edit to a.md",
        ),
        (
            "sections",
            "edit_section",
            {"path": "a.md", "section_title": "A", "content": "beta"},
            "Edited 'A', a.md",
        ),
    ],
)
def test_an_output_says_that_it_is_a_proposal(
    engine: Engine, tool_set: str, tool: str, arguments: dict[str, object], output: str
) -> None:
    data = asked(engine, tool_set, tool, **arguments)

    path = str(arguments["path"])
    now = engine._tree.read(path).hash if engine._tree.exists(path) else ""
    assert data["output"] == f"Proposed, not written yet: {output}"
    assert data["hash"] == now
    assert not data.get("appliedEdits")


@pytest.mark.parametrize(
    ("tool_set", "tool", "arguments"),
    [
        ("text", "TextReplace", {"oldText": "hello", "newText": "hi"}),
        ("text", "TextPatch", {"operation": "insert", "target": AT_END, "content": "more"}),
        ("text-files", "TextEdit", {"edits": [CHANGE]}),
        ("text-files", "TextCreate", {"content": "new\n", "overwrite": True}),
    ],
)
def test_a_status_and_a_hash_are_those_of_the_file_as_it_stands(
    engine: Engine, tool_set: str, tool: str, arguments: dict[str, object]
) -> None:
    data = asked(engine, tool_set, tool, filePath="a.md", **arguments)

    assert (data["status"], data["fileHash"]) == ("unchanged", engine._tree.read("a.md").hash)
    assert "nothing is written yet: a person decides" in data["note"]
    assert "File now has" not in data["note"]


def test_a_new_file_is_not_said_to_be_there(engine: Engine) -> None:
    data = asked(engine, "text-files", "TextCreate", filePath="b.md", content="b\n")

    assert (data["created"], data["fileHash"]) == (False, "")
