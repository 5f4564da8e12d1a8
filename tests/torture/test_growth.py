"""Growth: four times the input takes about four times the time and the memory, with every tool.

A call that would take more is refused by a budget that it names. What is planted is caught.
"""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from keyhole import toolsets
from keyhole.surfaces.mcp.tools import NATIVE
from tests.torture.growth import cases
from tests.torture.planted.growth import CASES, PLANTED
from tests.torture.start import PERCENT, REPORTS, stride
from tests.torture.trace import python

pytestmark = pytest.mark.torture

# How long a call is let grow, in processor milliseconds; the longer, the plainer its growth.
TARGET = 200 if PERCENT else 12
EVERY = stride(40)


def grown(tmp_path: Path, *words: str) -> dict[str, dict[str, str]]:
    """Run the harness where no coverage is measured."""
    plain = {name: text for name, text in os.environ.items() if not name.startswith("COV_")}
    home = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("STATE", "CONFIG", "CACHE")}
    command = python("tests.torture.growth", *words)
    done = subprocess.run(
        command, env={**plain, **home, "HOME": str(tmp_path)}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def test_every_tool_of_every_set_is_made_to_grow() -> None:
    called = {(call.tools, call.tool) for call in (case.made(8).call for case in cases())}
    there = {("native", tool.name) for tool in NATIVE}
    there |= {(name, tool.name) for name in toolsets.SETS for tool in toolsets.tools_of(name)}

    assert called == there
    assert max(Counter(case.name for case in cases()).values()) == 1


def test_no_call_grows_faster_than_its_input(tmp_path: Path) -> None:
    found = grown(tmp_path, str(TARGET), str(EVERY))

    REPORTS.append(f"growth: {len(found['cases'])} cases up to {TARGET} ms, none grows faster")
    assert len(found["cases"]) == len(range(0, len(list(cases())), EVERY)) >= 400 // EVERY
    assert found["faults"] == {}


# One planted fault shows in every run that growth is seen; the others take longer.
@pytest.mark.parametrize("planted", PLANTED if PERCENT else ["anchors read"])
def test_work_that_grows_with_the_square_is_caught(tmp_path: Path, planted: str) -> None:
    found = grown(tmp_path, "100", "1", "--plant", planted, CASES[planted])

    assert list(found["faults"]) == [CASES[planted]]
