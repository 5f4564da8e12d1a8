"""What an engine costs: its start, an edit, and what a model has to read."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

from edit_suite.case import Call, Case
from edit_suite.engines.base import Engine, Server
from edit_suite.engines.generic import Generic
from edit_suite.place import Place

STARTS, EDITS, LINES = 3, 20, 1000
_NAME = "numbers.py"
# What hosts hand to a model of a tool; the rest of the list is for hosts and people.
_READ = ("name", "description", "inputSchema")


def measure(engine: Engine) -> dict[str, Any]:
    """Return milliseconds of a start and of an edit, and the texts of the tools and an answer.

    What else a machine does only adds to a time: the fastest start and the first quartile count.
    """
    starts, root = [], Path()
    with tempfile.TemporaryDirectory(prefix="edit-suite-") as scratch:
        for number in range(STARTS):
            root = Path(scratch).resolve() / f"run-{number}" / "root"
            root.mkdir(parents=True)
            started = time.perf_counter()
            engine.open(root)
            starts.append(time.perf_counter() - started)
            if number < STARTS - 1:
                engine.close()
        call = _call(engine)  # some know their tools once they are open
        times, answer = _edits(engine, call, Place(root, "case")) if call else ([], "")
        engine.close()
    server = engine.server if isinstance(engine, Generic) else engine
    listed = server.tools if isinstance(server, Server) else []
    tools = [{name: tool.get(name) for name in _READ} for tool in listed]
    return {
        "start_ms": round(1000 * min(starts), 1) if isinstance(server, Server) else None,
        "edit_ms": round(1000 * quantiles(times)[0], 1) if times else None,
        "tools": json.dumps(tools, ensure_ascii=False) if tools else "",
        "answer": answer,
    }


def _call(engine: Engine) -> str:
    """Return the verb to measure: a quote if it can be said, else a diff."""
    for verb in ("replace_text", "apply_diff"):
        case = Case("m", "m", "exact", (_edit(verb, 0),), {_NAME: b""}, ({_NAME: b""},))
        if engine.offers(case):
            return verb
    return ""


def _edit(verb: str, number: int) -> Call:
    line, old, new = 500 + number, f"value_{500 + number} = 0", f"value_{500 + number} = 1"
    if verb == "replace_text":
        return Call(verb, _NAME, {"old": old, "new": new, "whole_lines": True})
    above, below = f" value_{line - 1} = {int(number > 0)}\n", f" value_{line + 1} = 0\n"
    span = f"@@ -{line - 1},3 +{line - 1},3 @@"
    hunk = f"{span}\n{above}-{old}\n+{new}\n{below}"
    diff = f"--- a/{_NAME}\n+++ b/{_NAME}\n{hunk}"
    return Call(verb, _NAME, {"diff": diff})


def _edits(engine: Engine, verb: str, place: Place) -> tuple[list[float], str]:
    """Edit one line after another of a file of a thousand."""
    place.home.mkdir(parents=True)
    text = "".join(f"value_{number} = 0\n" for number in range(1, LINES + 1))
    (place.home / _NAME).write_text(text, encoding="utf-8")
    times, answer = [], ""
    for number in range(EDITS):
        started = time.perf_counter()
        said = engine.call(_edit(verb, number), place)
        times.append(time.perf_counter() - started)
        if said.refused:
            return [], said.text
        answer = said.text.partition('\n{"')[0]
    return times, answer
