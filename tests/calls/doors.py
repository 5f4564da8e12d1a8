"""The doors that calls come through: a real server over standard input, and the command line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from keyhole import Workspace
from keyhole.surfaces.cli.main import dispatch
from tests.calls.cases import Call, Case
from tests.surfaces.mcp.host import HELLO, KEYHOLE

_TOOLS = "native,safe-edit,text,text-files,codex,claude,edit_article,edit_file,patch_file"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a caller gets: data and text, and whether it was refused."""

    data: Mapping[str, object]
    text: str
    refused: bool

    @property
    def tries(self) -> Call | None:
        """The corrected call that a refusal carries."""
        refusals = self.data.get("refusals")
        first = refusals[0] if isinstance(refusals, list) and refusals else self.data
        found = first.get("try")
        return found if isinstance(found, dict) else None


class Door(Protocol):
    """A way to make calls on one root."""

    root: Path

    def send(self, case: Case, call: Call) -> Answer:
        """Make a call."""

    def entry(self, path: str) -> object:
        """Return what the journal has of the last transaction on a file, without its id."""


@dataclass(slots=True)
class _Root:
    """A root with a state of its own, and a look into its journal."""

    root: Path
    workspace: Workspace = field(init=False)

    def __post_init__(self) -> None:
        self.workspace = Workspace(self.root)

    def entry(self, path: str) -> object:
        """Return what the journal has of the last transaction on a file, without its id."""
        found = self.workspace.history(path, limit=1).transactions
        if not found:
            return None
        call = found[0].entry.call
        return (
            # A session's own task is another one in every server.
            "" if call.task == call.details.get("session") else call.task,
            call.reason,
            [
                (each.path, edit.reason)
                for each in found[0].entry.draft.files
                for edit in each.edits
            ],
        )


@dataclass(slots=True)
class Server(_Root):
    """The real server in a process of its own."""

    process: subprocess.Popen[bytes] = field(init=False)
    asked: int = 1

    def __post_init__(self) -> None:
        _Root.__post_init__(self)
        command = [KEYHOLE, "mcp", "--root", str(self.root), "--tools", _TOOLS]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=dict(os.environ))
        self._ask(HELLO)
        self._tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _tell(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _ask(self, message: Mapping[str, object]) -> Mapping[str, object]:
        assert self.process.stdout
        self._tell(message)
        while True:
            answer: dict[str, object] = json.loads(self.process.stdout.readline())
            if answer.get("id") == message["id"]:
                result = answer["result"]
                assert isinstance(result, dict), answer
                return result

    def send(self, case: Case, call: Call) -> Answer:
        """Make a call."""
        self.asked += 1
        params = {"name": case.tool, "arguments": call}
        asked = {"jsonrpc": "2.0", "id": self.asked, "method": "tools/call", "params": params}
        result = self._ask(asked)
        data, content = result["structuredContent"], result["content"]
        assert isinstance(data, dict)
        assert isinstance(content, list)
        return Answer(data, content[0]["text"], bool(result["isError"]))

    def close(self) -> None:
        """End the server."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(600)  # what a busy machine takes is not what is counted here
        self.process.stdout.close()
        self.workspace.close()


@dataclass(slots=True)
class Command(_Root):
    """`keyhole call`, in this process, or `alone` in one of its own."""

    alone: bool = False

    def send(self, case: Case, call: Call) -> Answer:
        """Make a call, with its arguments in a file."""
        request = self.root.parent / "call.json"
        request.write_text(json.dumps(call), encoding="utf-8")
        words = ["call", case.tool, "--tools", case.tools, "--request", str(request)]
        words += ["--root", str(self.root), "--json"]
        if self.alone:
            done = subprocess.run([KEYHOLE, *words], capture_output=True, check=False)
            return Answer(json.loads(done.stdout), "", done.returncode == 1)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = dispatch(words)
        return Answer(json.loads(said.getvalue()), "", code == 1)

    def close(self) -> None:
        """Let go of the journal."""
        self.workspace.close()


@contextlib.contextmanager
def opened(kind: str, base: Path) -> Iterator[Door]:
    """Open a door on a new root below a directory."""
    root = (base / "root").resolve()
    root.mkdir(parents=True)
    door = Server(root) if kind == "MCP" else Command(root, alone=kind == "keyhole, alone")
    try:
        yield door
    finally:
        door.close()
