"""The line to a process outside the fence: whole messages, or none."""

import os
import signal
import socket
import threading
from collections.abc import Iterator

import pytest

from keyhole.disk.broker import Broker, received, send

Line = tuple[socket.socket, socket.socket]


@pytest.fixture
def line() -> Iterator[Line]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_message_arrives_as_it_was_sent(line: Line) -> None:
    ours, theirs = line
    send(theirs, {"text": "ü" * 100})

    assert received(ours) == {"text": "ü" * 100}


def test_a_side_that_is_gone_says_nothing(line: Line) -> None:
    ours, theirs = line
    theirs.sendall(b"\0\0\0")
    theirs.close()

    with pytest.raises(ConnectionResetError, match="gone"):
        received(ours)


def test_a_message_that_is_too_long_is_not_waited_for(line: Line) -> None:
    ours, theirs = line
    theirs.sendall(b"\x7f" + b"\0" * 7)

    with pytest.raises(ValueError, match="too long"):
        received(ours)


def test_whoever_no_longer_waits_gets_no_answer() -> None:
    def wait(_: object, over: threading.Event) -> dict[str, object]:
        over.wait()
        return {}

    broker = Broker.started(wait)
    try:
        assert broker.ask({}, lambda: True) is None
    finally:
        broker.close()


def test_a_broker_that_somebody_stopped_ends_too() -> None:
    broker = Broker.started(lambda *_: {})
    os.kill(broker.pid, signal.SIGSTOP)
    os.waitpid(broker.pid, os.WUNTRACED)
    broker.close()

    with pytest.raises(ProcessLookupError):
        os.kill(broker.pid, 0)
