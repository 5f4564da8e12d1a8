"""Print the figures of the house: how large it is, and how much of it one call touches.

They gate nothing: `tests/test_house.py` holds the rules. `make house` prints them.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests import house
from tests.house import Source

ROOT = Path(__file__).parent.parent
_EDIT = """
import sys
from keyhole.surfaces.cli.main import main
code = main(["edit", "a.py", "--find", "1", "--content", "2"])
"""
_SEGMENT = """
import sys
from pathlib import Path
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller
desk = Desk(Workspaces.open([Path(".")], Allowed()), chosen(("native",)))
edit = {"segment": "f", "content": "def f():\\n    return 2\\n"}
said = desk.call("edit", {"path": "a.py", "edits": [edit]}, Caller("figures"))
code = int(said.refused)
"""
# A module is touched if one of its functions runs: to import it is not to need it.
_TRACED = """
import json, sys
touched = set()
def look(frame, event, _):
    name = frame.f_globals.get("__name__", "")
    if name.startswith("keyhole") and frame.f_code.co_name != "<module>":
        touched.add(name)
sys.setprofile(look)
{call}
sys.setprofile(None)
assert code == 0, code
sys.stderr.write(json.dumps(sorted(touched)))
"""


def main() -> None:
    """Print one figure a line."""
    package = house.sources(ROOT / "src" / "keyhole")
    functions = [size for source in package for size in _functions(source)]
    alone = list(_imported_once(package))
    for name, figure in (
        ("files", len(package)),
        ("lines", sum(source.text.count("\n") for source in package)),
        ("longest function", max(functions)),
        ("longest file", max(source.text.count("\n") for source in package)),
        ("modules with one importer in their directory", len(alone)),
        ("deferred imports", sum(_deferred(source) for source in package)),
        ("modules touched by `keyhole edit --find`", len(_touched(_EDIT))),
        ("modules touched by an MCP segment edit", len(_touched(_SEGMENT))),
    ):
        sys.stdout.write(f"{figure:7,}  {name}\n")
    sys.stdout.write("".join(f"         one importer: {each}\n" for each in alone))


def _functions(source: Source) -> Iterator[int]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _imported_once(package: list[Source]) -> Iterator[str]:
    """Yield the modules that one other module of their directory imports, and nobody else."""
    names = [source.name for source in package]
    importers: dict[str, set[str]] = {}
    for source in package:
        for found in house.imports(source, names, ast.walk(source.tree)):
            importers.setdefault(found.target.removeprefix("keyhole."), set()).add(source.name)
    for name, known in sorted(importers.items()):
        others = known - {name}
        if len(others) == 1 and name in names:
            (other,) = others
            if other.rpartition(".")[0] == name.rpartition(".")[0]:
                yield f"{name} (by {other.rpartition('.')[2]})"


def _deferred(source: Source) -> int:
    """Count the imports of our own modules that wait until a function is called."""
    return sum(
        isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("keyhole")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    )


def _touched(call: str) -> list[str]:
    """Return the modules of which a function runs in a call, in a process of its own."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
        places = {f"XDG_{kind}_HOME": f"{home}/{kind}" for kind in ("STATE", "CONFIG", "CACHE")}
        command = [sys.executable, "-c", _TRACED.format(call=call)]
        environment = {**os.environ, **places, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, encoding="utf-8", check=True
        )
    found: list[str] = json.loads(done.stderr.strip().split("\n")[-1])
    return found


if __name__ == "__main__":
    main()
