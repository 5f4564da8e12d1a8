"""Sessions as Markdown: the calls of one client, each with the answer in both of its forms.

A file begins with the files of the workspace, blocks ```file NAME, with `crlf` for those line ends.
Each call is a heading that says what the client wants, a block ```call TOOL with the arguments, and
the answer as ```text and ```data. Ids and times differ from run to run, so they stand as `3-ID`,
SESSION and TIME. To write the answers anew: python -m tests.session_cases FILE
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import NATIVE
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller
from tests.scene import put

_BLOCK = re.compile(r"^(````?)(\w+) ?([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"\b(\d+)-[0-9a-f]{4}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_SESSION = "session-0123abcd"


@dataclass(frozen=True, slots=True)
class Call:
    """What a client asks, and what it heard."""

    title: str
    tool: str
    given: Any
    text: str = ""
    data: Any = None


@dataclass(frozen=True, slots=True)
class Session:
    """A file of calls: how it begins, the files, the calls."""

    head: str
    files: dict[str, str]
    calls: tuple[Call, ...]


def parse(markdown: str) -> Session:
    """Read a file of calls."""
    head, *sections = re.split(r"^## (?=\d+\. )", markdown, flags=re.MULTILINE)
    files = {}
    for _, _, words, body in _BLOCK.findall(head):
        name, *ends = words.split()
        files[name] = body.replace("\n", "\r\n") if ends == ["crlf"] else body
    return Session(head, files, tuple(map(_call, sections)))


def _call(section: str) -> Call:
    blocks = {kind: (word, body) for _, kind, word, body in _BLOCK.findall(section)}
    tool, given = blocks["call"]
    text, data = (blocks.get(kind, ("", ""))[1] for kind in ("text", "data"))
    title = section.split("\n", maxsplit=1)[0].split(". ", 1)[1]
    return Call(title, tool, json.loads(given), text.rstrip("\n"), json.loads(data or "null"))


def answers(session: Session, root: Path) -> Iterator[tuple[str, Any]]:
    """Make the calls one after the other, and yield what was heard."""
    for path, body in session.files.items():
        put(root, path, body)
    workspaces = Workspaces.open([root], Allowed())
    desk = Desk(workspaces, {tool.name: tool for tool in NATIVE})
    known: dict[str, str] = {}
    try:
        for call in session.calls:
            given = _spelled(json.dumps(call.given), known)
            caller = Caller("agent", _SESSION, shrink="refuse", session=_SESSION)
            said = desk.call(call.tool, json.loads(given), caller)
            data = json.dumps(dict(said.data), ensure_ascii=False)
            known |= {f"{found[1]}-ID": found[0] for found in _ID.finditer(data)}
            yield _plain(said.text), json.loads(_plain(data))
    finally:
        workspaces.close()


def _spelled(given: str, known: dict[str, str]) -> str:
    """Return arguments with the ids that earlier answers gave."""
    for name, found in known.items():
        given = given.replace(f'"{name}"', f'"{found}"')
    return given


def _plain(text: str) -> str:
    text = _TIME.sub("TIME", _ID.sub(r"\1-ID", text))
    return text.replace(_SESSION, "SESSION")


def written(session: Session, root: Path) -> str:
    """Return the file with the answers as they come out."""
    parts = [session.head.rstrip("\n") + "\n"]
    for number, (call, (text, data)) in enumerate(
        zip(session.calls, answers(session, root), strict=True), 1
    ):
        fence = "````" if "```" in text else "```"
        blocks = (
            (f"call {call.tool}", json.dumps(call.given, ensure_ascii=False)),
            ("text", text),
            ("data", json.dumps(data, ensure_ascii=False)),
        )
        body = "\n\n".join(f"{fence}{kind}\n{each}\n{fence}" for kind, each in blocks)
        parts.append(f"## {number}. {call.title}\n\n{body}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    file = Path(sys.argv[1])
    with TemporaryDirectory() as base:
        (Path(base) / "root").mkdir()
        made = written(parse(file.read_text(encoding="utf-8")), Path(base) / "root")
    file.write_text(made, encoding="utf-8")
