"""A language server and a plain client of it: what it says of a rename, as it says it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from urllib.parse import quote, unquote

from keyhole.language_servers.positions import ProtocolLines
from keyhole.segments.literals import quoted_in

_PATIENCE = 200.0
_LANGUAGES = {
    ".py": "python",
    ".ts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".go": "go",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
}
_COMMANDS = {
    "python": ["pyright-langserver", "--stdio"],
    "script": ["typescript-language-server", "--stdio"],
    "go": ["gopls"],
    "c": ["clangd", "--background-index=false", "--clang-tidy=false", "--log=error"],
    "cpp": ["clangd", "--background-index=false", "--clang-tidy=false", "--log=error"],
}
# Those that answer before they have read what is open: they tell of each file when they have.
_WAITED_FOR = frozenset({"c", "cpp"})
Texts = dict[str, bytes]
# Where each change of a file starts and ends, and what it puts there.
Changes = set[tuple[int, int, str]]
Edits = dict[str, Changes]


@dataclass(frozen=True)
class Named:
    """A symbol that is renamed: its file, its address, its name's offset."""

    path: str
    segment: str
    name: str
    start: int


@dataclass
class Judge:
    """A language server and a plain client of it, on a copy of a package that stays as it is."""

    process: subprocess.Popen[bytes]
    root: Path
    family: str = "python"
    number: int = 0
    # Read by a thread: a server that cannot write does not read either.
    messages: SimpleQueue[dict[str, object]] = field(default_factory=SimpleQueue)

    def listen(self) -> None:
        """Read all that the server says."""
        with suppress(ValueError, OSError):
            while True:
                self.messages.put(self._received())

    def ask(self, method: str, params: object) -> object:
        """Return the result of a request, None if there is an error instead."""
        self.number += 1
        self._send(id=self.number, method=method, params=params)
        while True:
            message = self.messages.get(timeout=_PATIENCE)
            if "method" in message and "id" in message:
                items = message.get("params") or {}
                many = len(items.get("items", ())) if isinstance(items, dict) else 0
                self._send(id=message["id"], result=[None] * many if many else None)
            elif message.get("id") == self.number:
                return message.get("result")

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send(method=method, params=params)

    def uri(self, path: str) -> str:
        """Return the address of a file."""
        return "file://" + quote(str(self.root / path))

    def edits(self, symbols: list[Named], to: str, before: Texts) -> Edits | None:
        """Return what the server changes in which files, None if it does not rename."""
        edits: dict[str, list[dict[str, object]]] = {}
        for symbol in symbols:
            found = self._asked(symbol, to, before)
            if not isinstance(found, dict):
                return None
            for uri, some in (found.get("changes") or {}).items():
                edits.setdefault(uri, []).extend(some)
            for change in found.get("documentChanges") or ():
                edits.setdefault(change["textDocument"]["uri"], []).extend(change["edits"])
        changes: Edits = {}
        for uri, some in edits.items():
            name = os.path.relpath(unquote(uri.removeprefix("file://")), self.root)
            if name not in before:
                return None
            changes[name] = _changes(before[name], some) - self._in_comments(before[name], some)
        return changes

    def _in_comments(self, data: bytes, some: list[dict[str, object]]) -> Changes:
        """Return what gopls changes in comments, which keyhole does only if it is asked to."""
        if self.family != "go":
            return set()
        spans = quoted_in("go", data.decode(), ("comment",))
        changes = _changes(data, some)
        return {each for each in changes if any(low <= each[0] < high for low, high in spans)}

    def _asked(self, symbol: Named, to: str, before: Texts) -> object:
        # tsserver renames what imports a default export only where that is open.
        shown = [path for path, data in before.items() if symbol.name.encode() in data]
        for path in shown:
            language = "cpp" if self.family == "cpp" else _LANGUAGES[Path(path).suffix]
            item = {"uri": self.uri(path), "languageId": language, "version": 1}
            text = {**item, "text": before[path].decode()}
            self.tell("textDocument/didOpen", {"textDocument": text})
        if self.family in _WAITED_FOR:
            self._wait({self.uri(path) for path in shown})
        line, column = ProtocolLines(before[symbol.path].decode()).position(symbol.start)
        place = {"line": line, "character": column}
        document = {"uri": self.uri(symbol.path)}
        asked = {"textDocument": document, "position": place, "newName": to}
        found = self.ask("textDocument/rename", asked)
        for path in shown:
            self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})
        return found

    def _wait(self, unread: set[str]) -> None:
        while unread:
            message = self.messages.get(timeout=_PATIENCE)
            told = message.get("params")
            if message.get("method") == "textDocument/publishDiagnostics" and isinstance(
                told, dict
            ):
                unread.discard(told["uri"])

    def _send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin, "BUG: every stream is a pipe"
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _received(self) -> dict[str, object]:
        assert self.process.stdout, "BUG: every stream is a pipe"
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name == b"Content-Length" else size
        message: dict[str, object] = json.loads(self.process.stdout.read(size))
        return message


def _changes(data: bytes, edits: list[dict[str, object]]) -> Changes:
    lines = ProtocolLines(data.decode())
    changes = set()
    for edit in edits:
        where = json.loads(json.dumps(edit["range"]))
        ends = [lines.offset(each["line"], each["character"]) for each in where.values()]
        changes.add((min(map(_sure, ends)), max(map(_sure, ends)), str(edit["newText"])))
    return changes


def edited(before: Texts, edits: Edits) -> Texts:
    """Return the files with the changes made."""
    after = dict(before)
    for path, changes in edits.items():
        text = before[path].decode()
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        after[path] = text.encode()
    return after


def _sure(offset: int | None) -> int:
    assert offset is not None, "the server knows its own text"
    return offset


@contextmanager
def judge_of(family: str, root: Path, environment: Mapping[str, str]) -> Iterator[Judge]:
    """Start a server for a copy of a package, and end it."""
    process = subprocess.Popen(
        _COMMANDS[family],
        cwd=root,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    judge = Judge(process, root, family)
    Thread(target=judge.listen, daemon=True).start()
    try:
        folder = {"uri": judge.uri("").rstrip("/"), "name": root.name}
        can = {"workspace": {"configuration": True, "workspaceFolders": True}}
        given = {"processId": os.getpid(), "rootUri": folder["uri"], "capabilities": can}
        judge.ask("initialize", {**given, "workspaceFolders": [folder]})
        judge.tell("initialized", {})
        yield judge
    finally:
        process.kill()
        process.wait()
