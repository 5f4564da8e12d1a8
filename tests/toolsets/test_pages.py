"""The pages of the dialects: each says what its tools take, and its worked call works."""

import json
import re
from pathlib import Path

import pytest

from keyhole.toolsets import SETS, tools_of
from tests.toolsets.desk import Desk

PAGES = Path(__file__).parents[2] / "docs" / "dialects"
ID = re.compile(r"\b(\d+)-[0-9a-f]{4}\b")
BLOCK = re.compile(
    r"^```(file|call|answer|said|after)(?: (?:path|tool)=(\S+))?\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def blocks(name: str) -> dict[str, tuple[str, str]]:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    return {kind: (word, body) for kind, word, body in BLOCK.findall(text)}


@pytest.mark.parametrize("name", SETS)
def test_the_worked_call_of_a_page_works(desk: Desk, name: str) -> None:
    page = blocks(name)
    path, before = page["file"]
    desk.write(path, before)
    tool, given = page["call"]

    said = desk.call(tool, json.loads(given), name)

    wanted = json.loads(page["answer"][1])
    assert {field: said.data.get(field) for field in wanted} == wanted
    text = ID.sub(r"\1-XXXX", said.text)
    assert page.get("said", ("", f"{text}\n"))[1] == f"{text}\n"
    assert desk.read(page["after"][0]) == page["after"][1]


@pytest.mark.parametrize("name", SETS)
def test_a_page_names_every_tool_and_every_argument(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    wanted = {each for tool in tools_of(name) for each in (tool.name, *tool.arguments)}

    assert [each for each in sorted(wanted) if f"`{each}`" not in text and each not in text] == []


def test_every_set_has_a_page() -> None:
    listed = (PAGES / "README.md").read_text(encoding="utf-8")

    assert [name for name in SETS if f"({name}.md)" not in listed] == []
