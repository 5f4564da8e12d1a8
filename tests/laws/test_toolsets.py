"""Laws of the tool sets: whatever JSON a call brings, the answer is an answer."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole.engine.facade import Engine
from keyhole.toolsets import SETS, Caller, Tool, call, tools_of

TOOLS = [(name, tool) for name in SETS for tool in tools_of(name)]
FILES = {"a.md": "# A\n\none\n\n```py\nx = 1\n```\n", "a.py": "def f():\n    return 1\n"}

WORDS = st.sampled_from(
    ["a.md", "a.py", "nope.md", "../x.md", "", ".", "one", "f", "# A", "strict", "replace", "all"]
)
NUMBERS = st.integers(-3, 12) | st.sampled_from([10**20, -(10**20), 1.5])
LEAVES = st.none() | st.booleans() | NUMBERS | WORDS | st.text(max_size=8)
KEYS = st.sampled_from(
    [
        *("start_line", "end_line", "new_content", "at_line", "content", "segment_type"),
        *("segment_name", "indentation_strategy", "explicit_indent", "lines", "heading"),
        *("codeBlock", "index", "start", "end", "old_string", "new_string", "reason", "text"),
    ]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as base:
        root = Path(base) / "root"
        root.mkdir()
        opened = Engine.open(root, Path(base) / "state")
        yield opened
        opened.close()


def arguments(tool: Tool) -> st.SearchStrategy[dict[str, object]]:
    """Calls with some of a tool's arguments, each of any shape; those it needs mostly there."""
    wanted = tool.takes.get("required", [])
    assert isinstance(wanted, list)
    likely = {name: _likely(name) for name in tool.arguments}
    return st.fixed_dictionaries(
        {name: likely[name] for name in wanted},
        optional={name: each for name, each in likely.items() if name not in wanted},
    )


def _likely(name: str) -> st.SearchStrategy[Any]:
    """Values that get far: a file that is there, words for what takes words; else anything."""
    if name in {"path", "filePath"}:
        return st.sampled_from(["a.md", "a.md", "a.py", "a.py", "nope.md", "../x.md", 3])
    if name == "target":
        lines = st.fixed_dictionaries({"start": NUMBERS}, optional={"end": NUMBERS})
        blocks = st.fixed_dictionaries({"index": NUMBERS})
        kinds = [("lines", lines), ("codeBlock", blocks), ("heading", WORDS)]
        return st.one_of(*(st.fixed_dictionaries({key: each}) for key, each in kinds), VALUES)
    return WORDS | VALUES


@pytest.mark.parametrize(("owner", "tool"), TOOLS, ids=[f"{o}-{t.name}" for o, t in TOOLS])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(data=st.data())
def test_whatever_a_call_brings_the_answer_is_an_answer(
    engine: Engine, owner: str, tool: Tool, data: st.DataObject
) -> None:
    for path, body in FILES.items():
        (Path(engine.root) / path).write_bytes(body.encode())
    before = _files(engine)

    said = call(tool, lambda _: engine, data.draw(arguments(tool)), Caller("tester"))

    assert said.text
    assert isinstance(said.data, Mapping)
    if said.refused or not tool.writes:
        assert _files(engine) == before, owner


def _files(engine: Engine) -> dict[str, bytes]:
    root = Path(engine.root)
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}
