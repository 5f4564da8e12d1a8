"""Programs outside the fence: a process that is forked before it, and the line to that process.

What comes over the line is data. What is done with it was fixed when the process was forked.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from keyhole.disk import kernel
from keyhole.fastclasses import dataclass

_TICK = 0.1
_GONE = "the process that starts programs was killed; a new start of the server brings it back"
_MOST = 1 << 30
Data = Mapping[str, object]
# Answers a request; the event says that nobody waits any more.
Answer = Callable[[Data, threading.Event], Data]


@dataclass(frozen=True, slots=True)
class Broker:
    """The line to a process outside the fence, and that process."""

    line: socket.socket
    pid: int

    @staticmethod
    def started(answer: Answer, end: Callable[[], None] = lambda: None) -> Broker:
        """Fork a broker; there must be no other thread yet. `end` is called when nobody waits."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                # It ends with whom it serves, and not before: what it runs would be left behind.
                for number in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(number, lambda *_: None)
                kernel.wake_with_parent()
                _alone_with(theirs)
                _serve(theirs, answer, end)
            finally:
                os._exit(0)
        theirs.close()
        return Broker(ours, pid)

    def ask(self, request: Data, is_over: Callable[[], bool] = lambda: False) -> Data | None:
        """Return the answer to a request; None if it is over before there is one."""
        try:
            return self._asked(request, is_over)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ConnectionError(_GONE) from error

    def _asked(self, request: Data, is_over: Callable[[], bool]) -> Data | None:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                socket.send_fds(self.line, [b"r"], [theirs.fileno()])
            send(ours, request)
            while not select.select([ours], [], [], _TICK)[0]:
                if is_over():
                    return None
            return received(ours)

    def close(self) -> None:
        """Let the broker go, with all that it runs."""
        self.line.close()
        with suppress(ChildProcessError, ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)  # somebody may have stopped it
            os.waitpid(self.pid, 0)


def _alone_with(line: socket.socket) -> None:
    """Let go of every file but the line: an open pipe would keep others waiting for its end."""
    most = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(nothing, fd)
    os.closerange(3, line.fileno())
    os.closerange(line.fileno() + 1, most)


def _serve(line: socket.socket, answer: Answer, end: Callable[[], None]) -> None:
    """Take requests, each over a line of its own, until the other side is gone."""
    over = threading.Event()
    running: list[threading.Thread] = []
    while True:
        with suppress(OSError):
            word, fds, _, _ = socket.recv_fds(line, 1, 1)
            if not word:
                break
            asked = socket.socket(fileno=fds[0])
            thread = threading.Thread(target=_carry_out, args=(asked, answer, over))
            running = [each for each in running if each.is_alive()] + [thread]
            thread.start()
    over.set()
    end()
    for thread in running:
        thread.join()


def _carry_out(line: socket.socket, answer: Answer, over: threading.Event) -> None:
    with line, suppress(OSError, ValueError):
        send(line, answer(received(line), over))


def send(line: socket.socket, data: Data) -> None:
    """Send a message: its length, and its JSON."""
    body = json.dumps(data).encode("ascii")
    line.sendall(len(body).to_bytes(8, "big") + body)


def received(line: socket.socket) -> Data:
    """Return the next message."""
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
