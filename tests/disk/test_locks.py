"""Locks: one holder at a time, in order, given up on after a while, free after a death."""

import _thread
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.disk.locks import (
    STRIPES,
    Locks,
    _program,
    _wait,
    holder_of,
    locked_file,
    stripe_of,
    wait_for,
)
from keyhole.refusals import Refused


@pytest.fixture
def locks(tmp_path: Path) -> Iterator[Locks]:
    fd = os.open(tmp_path, os.O_RDONLY)
    yield Locks(fd, 10.0)
    os.close(fd)


def impatient(locks: Locks) -> Locks:
    return Locks(locks.dir_fd, 0.05)


def test_a_second_holder_is_refused_after_the_time_limit(locks: Locks) -> None:
    with locks.hold(["a.txt"]), pytest.raises(Refused) as caught:
        impatient(locks).acquire(["b.txt", "a.txt"])

    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]


def test_whoever_waits_gets_the_lock_when_it_is_free(locks: Locks) -> None:
    order: list[str] = []
    held = locks.acquire(["a.txt"])

    def wait() -> None:
        with locks.hold(["a.txt"]):
            order.append("second")

    waiter = threading.Thread(target=wait)
    waiter.start()
    order.append("first")
    held.release()
    waiter.join()

    assert order == ["first", "second"]


def test_a_waiter_that_gave_up_does_not_keep_the_lock(locks: Locks) -> None:
    held = locks.acquire(["a.txt"])
    with pytest.raises(Refused):
        impatient(locks).acquire(["a.txt"])
    held.release()

    locks.acquire(["a.txt"]).release()


HOLDER = """
import os, sys
from keyhole.disk.locks import Locks
Locks(os.open(sys.argv[1], os.O_RDONLY), 10.0).acquire(["a.txt"])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_is_free_when_its_holder_is_killed(locks: Locks, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Refused):
            impatient(locks).acquire(["a.txt"])
        holder.kill()

    locks.acquire(["a.txt"]).release()


def test_holding_everything_keeps_everybody_out(locks: Locks) -> None:
    with locks.hold_all() as held:
        assert held.covers(["a.txt", "b.txt"])
        assert len(held.fds) == STRIPES
        with pytest.raises(Refused):
            impatient(locks).acquire(["anything"])


def test_notes_tell_the_next_holder_what_was_staged(locks: Locks) -> None:
    with locks.hold(["a.txt"]) as held:
        held.note("0123456789ab", ["", "src/deep"])
    with locks.hold(["a.txt"]) as held:
        left = held.notes_left()
        held.end_notes_left()
        again = held.notes_left()
        held.note("ffffffffffff", ["x"])
        held.end_note()

    assert left == [("0123456789ab", ["", "src/deep"])]
    assert again == []
    with locks.hold(["a.txt"]) as held:
        assert held.notes_left() == []


def test_a_stripe_is_tried_without_waiting(locks: Locks) -> None:
    stripe = stripe_of("a.txt")
    with locks.try_stripe(stripe) as first, locks.try_stripe(stripe) as second:
        assert first is not None
        assert second is None
    assert locks.used() == [stripe]


def test_a_lock_that_cannot_be_opened_frees_the_others(locks: Locks, tmp_path: Path) -> None:
    names = sorted(["a.txt", "b.txt"], key=stripe_of)
    (tmp_path / f"{stripe_of(names[1]):02x}").mkdir()

    with pytest.raises(IsADirectoryError):
        locks.acquire(names)

    impatient(locks).acquire(names[:1]).release()


def test_a_lock_that_nobody_has_is_held_by_nobody(tmp_path: Path) -> None:
    fd = os.open(tmp_path / "free", os.O_RDWR | os.O_CREAT)
    try:
        assert holder_of(fd) == ""
    finally:
        os.close(fd)


def test_a_holder_that_is_gone_is_told_by_its_number() -> None:
    assert _program(1 << 23) == f"process {1 << 23}"


def test_a_thread_that_dies_before_it_waits_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((_thread, "start_new_thread"), (threading, "_start_new_thread")):
        monkeypatch.setattr(module, name, lambda *_: 1)
    held, other = locked_file(tmp_path / "a"), os.open(tmp_path / "a", os.O_RDONLY)
    try:
        assert not wait_for(other, time.monotonic() + 0.05)
    finally:
        os.close(held)
        os.close(other)


def test_who_waits_says_when_the_lock_is_there(tmp_path: Path) -> None:
    taken = threading.Event()
    free = os.open(tmp_path / "a", os.O_RDONLY | os.O_CREAT)
    _wait(free, taken)

    assert taken.is_set()
