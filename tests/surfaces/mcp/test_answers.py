import json

from mcp import types

from keyhole.surfaces.mcp.answers import answered, clean, listed
from keyhole.toolsets import tools_of
from keyhole.toolsets.base import ToolAnswer


def test_what_is_no_text_is_shown_as_such_everywhere_in_an_answer() -> None:
    said = {"a\ud800": ["\udcff", {"b": ("é", 1, None, True)}]}

    assert clean(said) == {"a\ufffd": ["\ufffd", {"b": ["é", 1, None, True]}]}
    assert json.dumps(clean(said)).isascii()


def test_an_answer_is_text_and_data_and_says_whether_it_is_a_refusal() -> None:
    answer = answered(ToolAnswer("no \udc80", {"ok": False}, refused=True))

    assert answer.is_error
    assert answer.structured_content == {"ok": False}
    assert answer.content == [types.TextContent(type="text", text="no \ufffd")]


def test_a_tool_that_promises_no_data_lists_no_schema_for_it() -> None:
    [tool] = tools_of("codex")

    [sent] = listed([tool]).tools

    assert sent.name == "apply_patch"
    assert (sent.output_schema is None) == (not tool.gives)
    assert sent.annotations is not None
    assert sent.annotations.destructive_hint
