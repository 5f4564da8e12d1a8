"""What a host shows of a tool at first: its name and 160 characters of its description."""

import re

import pytest

from keyhole import toolsets
from keyhole.toolsets.base import Tool

TOOLS = [(name, tool) for name in ("native", *toolsets.SETS) for tool in toolsets.tools_of(name)]
NAMED = pytest.mark.parametrize(
    "tool", [tool for _, tool in TOOLS], ids=[f"{name}-{tool.name}" for name, tool in TOOLS]
)
SHOWN = 160
WHEN = re.compile(r"\bUse (this|it)?.*?\b(when|to|for|before|after|first|instead)\b")


def whole_sentences(about: str) -> str:
    """The sentences that end within what is shown; an example is none."""
    prose = about.partition(" Example: ")[0]
    ends = [end.end() for end in re.finditer(r"\.(?= |$)", prose) if end.end() <= SHOWN]
    return prose[: ends[-1]] if ends else ""


@NAMED
def test_whole_sentences_say_at_once_when_to_use_a_tool(tool: Tool) -> None:
    assert WHEN.search(whole_sentences(tool.about)), tool.about[:SHOWN]


@NAMED
def test_a_tool_has_a_title_that_says_more_than_its_name(tool: Tool) -> None:
    assert tool.title
    assert tool.title != tool.name


@pytest.mark.parametrize(
    "about",
    [
        "Change places of files. Example: {}",
        f"Use it to change {'very ' * 40}old files. Example: {{}}",
        "Change files, Example: use it to {}",
    ],
)
def test_a_description_that_begins_with_something_else_is_caught(about: str) -> None:
    assert not WHEN.search(whole_sentences(about))
