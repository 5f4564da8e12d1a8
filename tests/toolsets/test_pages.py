"""The pages of the dialects: each says what its tools take, and its worked call works."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.toolsets import SETS, tools_of
from tests.toolsets.desk import Desk

PAGES = Path(__file__).parents[2] / "docs" / "dialects"
NAMES = ("native", *SETS)
# What an agent can name, by how the addresses of the worked calls look.
SEGMENTS = {
    "native": {
        *("run", "Worker.process", "Point", "imports", "Guide::Install", "frontmatter.title"),
        *("web.port", ".cart", "content", "cell#1"),
    },
    "safe-edit": {
        *("python_function", "python_method", "python_class", "markdown_section"),
        "template_block",
    },
    "text": {"lines", "heading", "beforeHeading", "appendToSection", "codeBlock"},
    "sections": {"edit_section", "create_section", "delete_section"},
}
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


@pytest.mark.parametrize(("name", "page"), [each for name in NAMES for each in worked(name)])
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


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_every_tool_and_every_argument(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    wanted = {each for tool in tools_of(name) for each in (tool.name, *tool.arguments)}

    assert [each for each in sorted(wanted) if f"`{each}`" not in text and each not in text] == []


@pytest.mark.parametrize("name", SEGMENTS)
def test_a_page_has_an_example_of_each_segment_type(name: str) -> None:
    calls = [each["call"] for _, each in worked(name)]
    said = {tool for tool, _ in calls} | {
        word for _, given in calls for word in _words(json.loads(given))
    }

    assert sorted(SEGMENTS[name] - said) == []


def _words(given: object) -> Iterator[str]:
    """Yield the keys and the texts of a call, however deep."""
    if isinstance(given, dict):
        for key, value in given.items():
            yield key
            yield from _words(value)
    elif isinstance(given, list):
        for each in given:
            yield from _words(each)
    else:
        yield str(given)


def test_every_set_has_a_worked_call() -> None:
    assert [name for name in NAMES if not list(worked(name))] == []


def test_every_set_has_a_page() -> None:
    listed = (PAGES / "README.md").read_text(encoding="utf-8")

    assert [name for name in NAMES if f"({name}.md)" not in listed] == []
