import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What the command line must not pay for before it needs it.
HEAVY = [
    "ast_grep_py",
    "jinja2",
    "mcp",
    "pydantic",
    "pyromark",
    "rapidfuzz",
    "re2",
    "rich",
    "sqlite3",
    "starlette",
]

# Runs the command line as its script would, then says what it loaded.
PROBE = """
import json, sys
{before}
from keyhole.surfaces.cli.main import run
sys.argv[0] = "keyhole"
try:
    code = run()
except SystemExit as stop:
    code = stop.code
loaded = [name for name in {heavy} if name in sys.modules]
print(json.dumps([code or 0, loaded]), file=sys.stderr)
"""


def start(*arguments: str, before: str = "") -> tuple[int, list[str]]:
    code = PROBE.format(before=before, heavy=HEAVY)
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    exit_code, loaded = json.loads(done.stderr)
    return exit_code, loaded


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]], ids=" ".join)
def test_the_command_line_starts_light(arguments: list[str]) -> None:
    assert start(*arguments) == (0, [])


def test_a_command_loads_the_engine_and_nothing_heavier_than_the_journal() -> None:
    assert start("edit", "--help") == (0, ["sqlite3"])


def test_a_heavy_start_is_caught() -> None:
    assert start("--version", before="import sqlite3, rich") == (0, ["rich", "sqlite3"])


# What the front loads until a client has the list of tools, and what its engine does for a call.
FRONT = """
import json, sys
from keyhole.__main__ import run
from keyhole.surfaces.mcp.front import relay

taken = relay.Relay._say
def say(self, data):
    taken(self, data)
    if b'"tools":[' in data:
        sys.stderr.write(json.dumps(sorted(sys.modules)))
        sys.stderr.flush()
relay.Relay._say = say
run()
"""


def test_the_front_lists_tools_with_the_standard_library_and_nothing_of_ours(
    tmp_path: Path,
) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO}
    asked = [("initialize", hello), ("tools/list", {})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
        for name, (method, params) in enumerate(asked)
    ]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(
        [sys.executable, "-c", FRONT, "mcp", "--root", str(tmp_path)],
        input="\n".join(lines) + "\n",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    loaded = json.loads(done.stderr)

    ours = [name for name in loaded if name.split(".")[0] == "keyhole"]
    front = "keyhole.surfaces.mcp.front"
    parents = {front.rsplit(".", up)[0] for up in range(4)}
    assert [name for name in ours if name not in parents and not name.startswith(front)] == [
        "keyhole.__main__"
    ]
    assert {name.split(".")[0] for name in loaded} <= {
        *sys.stdlib_module_names,
        *("keyhole", "__main__", "sitecustomize", "a1_coverage", "coverage"),
    }


INFO = {"name": "raw", "version": "1"}

# Runs commands of one workspace one after the other, and says which modules of sharing each met.
UNSHARED = """
import json, os, sys
os.chdir(sys.argv[1])
from keyhole.surfaces.cli.main import run
sys.argv = ["keyhole", *sys.argv[2:]]
try:
    run()
except SystemExit:
    pass
rooms = ("keyhole.sharing", "keyhole.engine.sharing")
loaded = [name for name in sys.modules if name.startswith(rooms)]
print(json.dumps(sorted(loaded)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["undo"], ["history"], ["show", "1"], ["stats"], ["read", "a.txt"]], ids=" ".join
)
def test_a_workspace_alone_loads_nothing_of_sharing(tmp_path: Path, arguments: list[str]) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}

    def keyhole(*words: str) -> tuple[int, list[str]]:
        command = [sys.executable, "-c", UNSHARED, str(root), *words]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", check=False, env={**os.environ, **home}
        )
        return done.returncode, json.loads(done.stderr.splitlines()[-1])

    assert keyhole("edit", "a.txt", "--find", "one", "--content", "two") == (0, [])
    assert keyhole(*arguments) == (0, [])
