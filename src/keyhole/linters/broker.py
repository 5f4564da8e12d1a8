"""The broker: a process outside the fence that runs linters for a process inside of it.

It is forked before the fence and knows the linters as they were configured then. What comes over
the line names one of them, paths below the root and texts; no word of a command comes that way.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import select
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from keyhole.fastclasses import dataclass, replace
from keyhole.linters.base import Failed, Finding, LintEnvironment, Linter
from keyhole.linters.check import FileVersions, LinterCheck, LinterResult
from keyhole.linters.trust import Trust
from keyhole.text.document import Document

_TICK = 0.1
_MOST = 1 << 30
Data = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LinterBroker:
    """The line to a broker, and the process behind it."""

    line: socket.socket
    pid: int

    @staticmethod
    def started(linters: Sequence[Linter], ground: LintEnvironment, trust: Trust) -> LinterBroker:
        """Fork a broker for one workspace; there must be no other thread yet."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                _alone_with(theirs)
                _Desk({linter.name: linter for linter in linters}, ground, trust).serve(theirs)
            finally:
                os._exit(0)
        theirs.close()
        return LinterBroker(ours, pid)

    def run(self, check: LinterCheck) -> LinterResult:
        """Have a linter run outside, and return what it found."""
        try:
            ours, theirs = socket.socketpair()
            with ours:
                with theirs:
                    socket.send_fds(self.line, [b"r"], [theirs.fileno()])
                _send(ours, _asked(check))
                while not select.select([ours], [], [], _TICK)[0]:
                    if check.stop.is_set():
                        return LinterResult(warning=f"{check.linter.name} was stopped")
                return _result(_received(ours))
        except (OSError, ValueError) as error:
            return LinterResult(warning=f"{check.linter.name} was not run: {error}")

    def close(self) -> None:
        """Let the broker go, with all that it runs."""
        self.line.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _alone_with(line: socket.socket) -> None:
    """Let go of every file but the line: an open pipe would keep others waiting for its end."""
    most = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(nothing, fd)
    os.closerange(3, line.fileno())
    os.closerange(line.fileno() + 1, most)


@dataclass(frozen=True, slots=True)
class _Desk:
    """The linters of one workspace, by name, and where they run."""

    linters: Mapping[str, Linter]
    ground: LintEnvironment
    trust: Trust

    def serve(self, line: socket.socket) -> None:
        """Take requests, each over a line of its own, until the other side is gone."""
        over = threading.Event()
        running: list[threading.Thread] = []
        while True:
            with suppress(OSError):
                word, fds, _, _ = socket.recv_fds(line, 1, 1)
                if not word:
                    break
                asked = socket.socket(fileno=fds[0])
                thread = threading.Thread(target=self._answer, args=(asked, over))
                running = [each for each in running if each.is_alive()] + [thread]
                thread.start()
        over.set()
        for thread in running:
            thread.join()

    def _answer(self, line: socket.socket, over: threading.Event) -> None:
        with line, suppress(OSError):
            try:
                check = self._check(_received(line), over)
                result = check.run()
            except (Failed, LookupError, TypeError, ValueError) as error:
                result = LinterResult(warning=f"a linter was not run: {error}")
            _send(line, _told(result))

    def _check(self, asked: Data, over: threading.Event) -> LinterCheck:
        """Return the check that is asked for, of a linter that may run."""
        linter = self.linters[str(asked["linter"])]
        plan = tuple(_file(each) for each in _list(asked["plan"]))
        objection = self.trust.objection({file.path for file in plan if file.before})
        is_covered = not objection and self.trust.covers(linter)
        if not (is_covered if linter.source else not (objection and linter.runs_tree)):
            raise Failed(f"{linter.name} is not trusted")
        wanted = {str(path) for path in _list(asked["files"])}
        files = tuple(file for file in plan if file.path in wanted)
        ground = replace(self.ground, trusted=not objection)
        return LinterCheck(linter, files, plan, ground, over)


def _asked(check: LinterCheck) -> Data:
    return {
        "linter": check.linter.name,
        "files": [file.path for file in check.files],
        "plan": [
            {"path": file.path, "before": _packed(file.before), "after": _packed(file.after)}
            for file in check.plan
        ],
    }


def _packed(document: Document | None) -> tuple[str, str] | None:
    if document is None:
        return None
    return document.encoding, base64.b64encode(document.to_bytes()).decode("ascii")


def _file(data: object) -> FileVersions:
    """Return a file of a request; its path stays below the root."""
    if not isinstance(data, dict):
        raise ValueError("a file is no object")  # noqa: TRY004 - what comes is data
    path = data["path"]
    if not isinstance(path, str) or "\0" in path or os.path.normpath(path) != path:
        raise ValueError("a path is none")
    if os.path.isabs(path) or path.split("/")[0] == "..":
        raise ValueError("a path leads out of the root")
    return FileVersions(path, _document(data["before"]), _document(data["after"]))


def _document(packed: object) -> Document | None:
    if packed is None:
        return None
    encoding, text = _list(packed)
    return Document.from_bytes(base64.b64decode(str(text)), str(encoding))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError("a list is none")  # noqa: TRY004 - what comes is data
    return value


def _told(result: LinterResult) -> Data:
    findings = {path: [_row(each) for each in found] for path, found in result.findings.items()}
    return {"findings": findings, "warning": result.warning}


def _row(finding: Finding) -> list[object]:
    names = ("linter", "code", "severity", "message", "line", "column", "path", "new")
    return [getattr(finding, name) for name in names]


def _result(told: Data) -> LinterResult:
    found = told["findings"]
    assert isinstance(found, dict), "BUG: the broker is ours"
    findings = {path: tuple(Finding(*row) for row in rows) for path, rows in found.items()}
    return LinterResult(findings, str(told["warning"]))


def _send(line: socket.socket, data: Data) -> None:
    body = json.dumps(data).encode("ascii")
    line.sendall(len(body).to_bytes(8, "big") + body)


def _received(line: socket.socket) -> Data:
    size = int.from_bytes(b"".join(_pieces(line, 8)), "big")
    if size > _MOST:
        raise ValueError("a message is too long")
    data: Data = json.loads(b"".join(_pieces(line, size)))
    return data


def _pieces(line: socket.socket, size: int) -> Iterator[bytes]:
    while size:
        piece = line.recv(min(size, 1 << 16))
        if not piece:
            raise ConnectionResetError("the other side is gone")
        size -= len(piece)
        yield piece
