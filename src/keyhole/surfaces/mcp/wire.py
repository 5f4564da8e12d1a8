"""The wire: standard input and output, read and written by threads that also carry out calls.

Whoever has the turn reads. A thread that reads a plain call passes the turn on, carries the call
out and writes the answer itself, so that no other thread need wake up for it. Everything else goes
to the protocol's library, in the order it came; the library is loaded when the first such line is
there.
"""

from __future__ import annotations

import _thread
import json
import os
import re
import signal
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext, suppress
from threading import Condition, Lock, Semaphore, Thread

from keyhole import deferred
from keyhole.arguments import from_json
from keyhole.surfaces.mcp.front.messages import is_name, line_of, message_of
from keyhole.surfaces.mcp.front.relay import KNOWN
from keyhole.surfaces.mcp.progress import Report, Ticker
from keyhole.surfaces.mcp.shortcut import Plain, Shortcut

# What JSON may hold and the library's reader does not take: half a character, a number too long.
_DOUBTFUL = re.compile(rb"\\u[dD]|\d{4000}")
_LONG = re.compile(r"\d{4000,}+")
_PARSE_ERROR = -32700


def unread_answer(line: bytes) -> bytes | None:
    """Return the error that a request gets which would get none; None for every other line."""
    if not _DOUBTFUL.search(line):
        return None
    from mcp import types

    text = line.decode("utf-8", "replace")
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError as error:
        name = _asked(text)
        return None if name is None else _error(name, _why(error))
    return None


def _asked(text: str) -> int | str | None:
    """Return the id of a request, None where a line is none."""
    try:
        message = from_json(_LONG.sub("0", text))
    except ValueError:
        return None
    if not isinstance(message, dict) or "method" not in message:
        return None
    name = message.get("id")
    return name if isinstance(name, int | str) and is_name(name) else None


def _why(error: ValueError) -> str:
    return str(error).split("[type=", 1)[0].partition("\n")[2].strip() or str(error)


def _error(name: int | str, why: str) -> bytes:
    error = {"code": _PARSE_ERROR, "message": f"the request cannot be read: {why}"}
    return json.dumps({"jsonrpc": "2.0", "id": name, "error": error}).encode() + b"\n"


def give_up() -> None:
    """End as the kernel ends who takes too much memory: the front asks the next engine."""
    os.kill(os.getpid(), signal.SIGKILL)


_MOST_THREADS = 16
_MOST_WAITING = 256
_MOST_LINE = 64 * 1024 * 1024
_CHUNK = 1 << 16


# What the library has to go on with when a new engine takes over.
_KEPT_UP = {"resources/subscribe", "logging/setLevel"}


class Inbox:
    """Lines for the protocol's library, kept until it is there; the last one is empty.

    What an old engine did for the session, a new one hears first and need not load the library for.
    """

    def __init__(self) -> None:
        self._early: deque[bytes | OSError] = deque()
        self._change = Condition()
        self._deliver: Callable[[bytes | OSError], None] | None = None
        self._is_wanted, self._has_ended = False, False

    def put(self, line: bytes | OSError) -> bool:
        """Deliver a line, or keep it; tell whether anybody will ever want it."""
        with self._change:
            if self._deliver is not None:
                self._deliver(line)
                return True
            message = message_of(line) if line and isinstance(line, bytes) else None
            if message is None:
                self._has_ended = True
            elif not self._is_wanted and "method" in message:
                is_note = "id" not in message
                if is_note and message["method"] != "notifications/initialized":
                    return False  # of what the library never heard of
                is_told = message.get("id") == KNOWN and message["method"] not in _KEPT_UP
                self._is_wanted = not is_note and not is_told
            else:
                self._is_wanted = True
            self._early.append(line)
            self._change.notify()
            return True

    def wait(self) -> bool:
        """Wait for a line that the library has to see; tell whether there is one."""
        with self._change:
            self._change.wait_for(lambda: self._is_wanted or self._has_ended)
            return self._is_wanted

    def open(self, deliver: Callable[[bytes | OSError], None]) -> None:
        """Deliver what was kept, and everything from now on."""
        with self._change:
            self._deliver = deliver
            for line in self._early:
                deliver(line)


class Wire:
    """Lines in and out."""

    def __init__(self, source: int, sink: int, shortcut: Shortcut, inbox: Inbox) -> None:
        self._source, self._sink, self._shortcut = source, sink, shortcut
        self._inbox, self._ticker = inbox, Ticker(self._tell)
        # Who wants to know that a call is done, once somebody does.
        self.nudge: Callable[[], None] = lambda: None
        self.room = Semaphore(_MOST_WAITING)
        self._turn, self._sending = Lock(), Lock()
        self._rest = b""
        self._threads, self._busy, self._ended = 0, 0, False
        self._backlog: deque[Plain] = deque()
        self._change = Condition()
        self._add_thread()

    def send(self, data: bytes) -> None:
        """Write a line, when it is its turn."""
        view = memoryview(data)
        with self._sending:
            while view:
                view = view[os.write(self._sink, view) :]

    def _tell(self, token: int | str, report: Report) -> None:
        progress, total, doing = report
        known = {"progressToken": token, "progress": progress, "message": doing}
        params = known if total is None else {**known, "total": total}
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        with suppress(OSError):  # nobody listens any more, as the answer will tell
            self.send(line_of(note))

    def _add_thread(self) -> None:
        self._threads += 1
        try:
            # Not by the reader: `start` waits without limit for a thread without memory to begin.
            _thread.start_new_thread(self._start_thread, ())
        except RuntimeError:
            self._lose_thread()

    def _start_thread(self) -> None:
        try:
            Thread(target=self._work, daemon=True).start()
        except RuntimeError:
            self._lose_thread()

    def _lose_thread(self) -> None:
        """Go on with the threads that are there, where the system has no room for another."""
        with self._change:
            self._threads -= 1
            if not self._threads:
                give_up()

    def _work(self) -> None:
        plain = None
        try:
            while plain := self._taken():
                self._carry_out(plain)
                while plain := self._left_over():
                    self._carry_out(plain)
        except MemoryError:
            give_up()
        finally:
            if not self._ended:  # a bug took this thread away; the others may all be busy
                with self._change:
                    self._busy -= plain is not None
                    self._threads -= 1
                    self._add_thread()

    def _taken(self) -> Plain | None:
        """Wait for the turn, and read until there is a call for this thread to carry out."""
        with self._turn:
            return None if self._ended else self._next_plain()

    def _left_over(self) -> Plain | None:
        """Return a call that came when all threads were busy; None says that this one is free."""
        with self._change:
            self._change.notify_all()
            if self._backlog:
                return self._backlog.popleft()
            self._busy -= 1
            return None

    def _carry_out(self, plain: Plain) -> None:
        answer: bytes | None = None
        try:
            telling = nullcontext() if plain.token is None else self._ticker.telling(plain.token)
            with deferred.put_off():
                with telling:
                    answer = self._shortcut.answer(plain)
                if answer:
                    self.send(answer)
            self.nudge()
        except MemoryError:
            give_up()
        except OSError as error:
            if answer is None:
                raise
            self._pass_on(error)  # nobody listens any more
            return
        finally:
            if answer is None:  # a question to the user, or a bug: the library says it
                self._pass_on_or_answer(plain.line)

    def _next_plain(self) -> Plain | None:
        """Return the next plain call, and pass on what is none; None at the end."""
        with suppress(OSError):
            while line := self._line():
                plain = self._shortcut.plain(line)
                if plain is None:
                    self._pass_on_or_answer(line)
                elif self._may_leave(plain):
                    return plain
        self._ended = True
        with self._change:
            self._change.wait_for(lambda: not self._busy)
        self._pass_on(b"")
        return None

    def _may_leave(self, plain: Plain) -> bool:
        """Tell whether somebody else can go on reading; if not, the call waits for a thread."""
        with self._change:
            self._change.wait_for(lambda: self._spare() or len(self._backlog) < _MOST_WAITING)
            if not self._spare():
                self._backlog.append(plain)
                return False
            self._busy += 1
            if self._busy == self._threads:
                self._add_thread()
            return True

    def _spare(self) -> bool:
        return self._busy + 1 < _MOST_THREADS

    def _line(self) -> bytes:
        """Return the next line with its end; nothing at the end of the input."""
        pieces, size = [self._rest], 0
        while b"\n" not in pieces[-1]:
            piece = os.read(self._source, _CHUNK)
            size += len(piece)
            if size > _MOST_LINE:
                return b""  # who sends a line without an end is no client: the input ends here
            if not piece:
                self._rest = b""
                return b"".join(pieces)
            pieces.append(piece)
        head, _, self._rest = pieces[-1].partition(b"\n")
        return b"".join([*pieces[:-1], head, b"\n"])

    def _pass_on_or_answer(self, line: bytes) -> None:
        unread = unread_answer(line)
        if unread is None:
            self._pass_on(line)
            return
        with suppress(OSError):  # nobody listens any more, as the next answer will tell
            self.send(unread)

    def _pass_on(self, line: bytes | OSError) -> None:
        self.room.acquire()
        if not self._inbox.put(line):
            self.room.release()
