"""What a call leaves undone is done when its answer is out, whatever happens."""

import pytest

from keyhole import deferred


def test_without_a_block_nothing_is_left() -> None:
    done: list[str] = []

    assert not deferred.is_possible()
    deferred.leave(lambda: done.append("closed"))

    assert done == ["closed"]


def test_within_the_block_actions_wait_for_its_end_in_order() -> None:
    done: list[str] = []
    with deferred.put_off():
        deferred.leave(lambda: done.append("first"))
        deferred.leave(lambda: done.append("second"))
        done.append("answer")

    assert done == ["answer", "first", "second"]
    assert not deferred.is_possible()


def test_a_block_that_fails_does_what_was_left() -> None:
    done: list[str] = []

    def call() -> None:
        with deferred.put_off():
            deferred.leave(lambda: done.append("closed"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        call()

    assert done == ["closed"]


def test_there_is_room_for_so_many_actions() -> None:
    with deferred.put_off():
        for _ in range(15):
            deferred.leave(lambda: None)
        assert deferred.is_possible()
        deferred.leave(lambda: None)
        assert not deferred.is_possible()
