"""What answers cost a model to read, in bytes: the share of `make sizes` without a tokenizer."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.mcp_tokens import FILE, SAMPLES, questions
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import NATIVE
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller
from tests.scene import put

# As text and as data. `make sizes` counts the same answers in tokens.
MOST = {
    "outline of 40 lines": (190, 390),
    "edit of one line": (130, 225),
    "write of a new file": (55, 145),
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    put(tmp_path / "root", FILE, (SAMPLES / f"{FILE}.sample").read_bytes())
    workspaces = Workspaces.open([tmp_path / "root"], Allowed())
    yield Desk(workspaces, {tool.name: tool for tool in NATIVE})
    workspaces.close()


@pytest.mark.parametrize("name", MOST)
def test_an_answer_costs_little_in_either_form(desk: Desk, name: str) -> None:
    [asked] = [one for one in questions() if one.name == name]

    said = desk.call(asked.tool, asked.given, Caller())

    data = json.dumps(said.data, separators=(",", ":"), ensure_ascii=False)
    assert not said.refused
    sizes = (len(said.text.encode()), len(data.encode()))
    assert all(size <= most for size, most in zip(sizes, MOST[name], strict=True)), sizes
