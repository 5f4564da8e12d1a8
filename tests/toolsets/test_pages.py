"""The pages of the dialects: each says what its tools take, and its worked call works."""

import json
import re
from collections.abc import Iterator
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


def worked(name: str) -> Iterator[tuple[str, dict[str, tuple[str, str]]]]:
    """Yield the worked calls of a page, each from its file on, under the name of the page."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    for each in re.split(r"^(?=```file )", text, flags=re.MULTILINE)[1:]:
        yield name, {kind: (word, body) for kind, word, body in BLOCK.findall(each)}


@pytest.mark.parametrize(("name", "page"), [each for name in SETS for each in worked(name)])
def test_the_worked_calls_of_a_page_work(
    desk: Desk, name: str, page: dict[str, tuple[str, str]]
) -> None:
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


def test_every_set_has_a_worked_call() -> None:
    assert [name for name in SETS if not list(worked(name))] == []


def test_every_set_has_a_page() -> None:
    listed = (PAGES / "README.md").read_text(encoding="utf-8")

    assert [name for name in SETS if f"({name}.md)" not in listed] == []
