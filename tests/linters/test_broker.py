"""The broker runs the linters it knows, on paths below the root, and nothing else."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.disk.broker import received, send
from keyhole.linters.base import LintEnvironment, Linter
from keyhole.linters.broker import LinterBroker
from keyhole.linters.check import FileVersions, LinterCheck, LinterResult
from keyhole.linters.trust import Trust
from keyhole.text.document import Document

SAYS = "import sys; print('x:1:1: error: bad') if b'bad' in sys.stdin.buffer.read() else None"


def linter(name: str = "says", code: str = SAYS, **more: object) -> Linter:
    return Linter(name, (sys.executable, "-c", code), ("*",), **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> LintEnvironment:
    home = tmp_path_factory.mktemp("linters")
    (home / "root").mkdir()
    return LintEnvironment(str(home / "root"), str(home / "state"), os.environ)


# One for all tests: its end writes what a worker has counted so far.
@pytest.fixture(scope="module")
def broker(ground: LintEnvironment) -> Iterator[LinterBroker]:
    known = [linter(), linter("own", source="hash"), linter("slow", "import time; time.sleep(60)")]
    found = LinterBroker.started(known, ground, Trust(ground.root, ground.state))
    yield found
    found.close()


def check(
    which: Linter, ground: LintEnvironment, path: str = "a.txt", text: str = "bad é\n"
) -> LinterCheck:
    file = FileVersions(path, None, Document.from_bytes(text.encode("latin-1"), "latin-1"))
    return LinterCheck(which, (file,), (file,), ground, threading.Event())


def test_a_linter_finds_outside_what_it_finds_inside(
    ground: LintEnvironment, broker: LinterBroker
) -> None:
    for text in ("bad\n", "good\n"):
        asked = check(linter(), ground, text=text)

        assert broker.run(asked) == asked.run()
    assert broker.run(check(linter(), ground)).findings["a.txt"][0].message == "bad"


def test_a_linter_that_the_broker_does_not_know_is_not_run(
    ground: LintEnvironment, broker: LinterBroker, tmp_path: Path
) -> None:
    proof = tmp_path / "ran"
    other = linter("other", f"open({str(proof)!r}, 'w')")
    forged = linter("says", f"open({str(proof)!r}, 'w')")

    assert broker.run(check(other, ground)).warning == "a linter was not run: 'other'"
    assert broker.run(check(forged, ground)).findings  # its own command ran, not the one that came
    assert not proof.exists()


def test_what_the_workspace_brings_along_runs_only_if_it_is_trusted(
    ground: LintEnvironment, broker: LinterBroker
) -> None:
    own = linter("own", source="hash")

    assert broker.run(check(own, ground)) == LinterResult(
        warning="a linter was not run: own is not trusted"
    )


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "a\0b", "a//b", "..", "./a"])
def test_a_path_that_leads_out_is_refused(
    ground: LintEnvironment, broker: LinterBroker, path: str
) -> None:
    assert "a linter was not run: a path" in broker.run(check(linter(), ground, path)).warning


@pytest.mark.parametrize("asked", [[], {}, {"linter": "says", "plan": 1, "files": []}, "x"])
def test_what_is_no_request_is_refused_and_the_broker_stays(
    ground: LintEnvironment, broker: LinterBroker, asked: object
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        socket.send_fds(broker.broker.line, [b"r"], [theirs.fileno()])
        send(ours, asked)  # type: ignore[arg-type] # that is what is tried
        told = received(ours)

    assert "a linter was not run" in json.dumps(told)
    assert broker.run(check(linter(), ground)).findings


def test_when_the_line_ends_the_broker_goes_with_all_it_runs(ground: LintEnvironment) -> None:
    slow = linter("slow", "import time; time.sleep(60)")
    broker = LinterBroker.started([slow], ground, Trust(ground.root, ground.state))
    results: list[LinterResult] = []
    asked = check(slow, ground)
    thread = threading.Thread(target=lambda: results.append(broker.run(asked)))
    thread.start()
    tasks = Path(f"/proc/{broker.broker.pid}/task")
    while not (running := [pid for each in tasks.iterdir() for pid in _children(each)]):
        threading.Event().wait(0.01)
    broker.close()
    asked.stop.set()
    thread.join(20)

    assert not thread.is_alive()
    assert not Path(f"/proc/{broker.broker.pid}").exists()
    assert not any(Path(f"/proc/{pid}").exists() for pid in running)


def _children(task: Path) -> list[str]:
    return (task / "children").read_text(encoding="ascii").split()


def test_who_asks_a_broker_that_was_killed_is_told_what_brings_it_back(
    ground: LintEnvironment,
) -> None:
    broker = LinterBroker.started([linter()], ground, Trust(ground.root, ground.state))
    os.kill(broker.broker.pid, signal.SIGKILL)
    os.waitpid(broker.broker.pid, 0)

    told = broker.run(check(linter(), ground))
    broker.close()

    assert told.warning == (
        "says was not run: the process that starts programs was killed; "
        "a new start of the server brings it back"
    )
