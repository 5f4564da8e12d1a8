"""The tool `history` says what is missing from its list."""

import pytest

from keyhole.engine.history import recall
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.base import Caller
from tests.surfaces.mcp.host import written


def test_a_search_that_ran_out_of_time_says_how_far_it_came(
    workspaces: Workspaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = written(workspaces, 0, "a.txt")
    monkeypatch.setattr(recall, "_SEGMENT_SECONDS", -1.0)

    said = Desk(workspaces, chosen(())).call("history", {"segment": "nowhere"}, Caller())

    told = f"looked no further back than {name}; name the file to see more"
    assert (said.data["note"], said.text) == (told, f"note: {told}\nno transactions")
