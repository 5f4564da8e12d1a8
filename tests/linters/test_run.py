import os
import select
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from keyhole.linters.base import Failed
from keyhole.linters.run import MOST_OUTPUT, Output, RunLimits, run

ENVIRONMENT = {"PATH": os.defpath}


def run_python(
    code: str, *words: str, stdin: bytes = b"", seconds: float = 30.0, cwd: str = "/"
) -> Output:
    limits = RunLimits(seconds, threading.Event())
    return run([sys.executable, "-c", code, *words], cwd, ENVIRONMENT, stdin, limits)


def has_ended(pid: int) -> bool:
    """Wait until a process runs no more, whether or not its parent has looked."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended = bool(select.select([watched], [], [], 60)[0])
    os.close(watched)
    return ended


def open_pipes() -> set[str]:
    """Return the pipes this process holds; other tests may leave other things to the collector."""
    found = set()
    for each in Path("/dev/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return {name for name in found if name.startswith("pipe:")}


def test_a_program_is_fed_and_heard() -> None:
    code = "import sys; print(sys.stdin.read().upper()); sys.stderr.write('so'); sys.exit(3)"

    assert run_python(code, stdin="größer".encode()) == Output(3, "GRÖSSER\n", "so")


def test_a_megabyte_goes_in_and_comes_out() -> None:
    text = b"0123456789abcdef" * (1 << 16)

    output = run_python("import sys; sys.stdout.write(sys.stdin.read())", stdin=text)

    assert output.stdout.encode() == text


def test_a_program_that_reads_no_input_is_no_trouble() -> None:
    assert run_python("print('done')", stdin=b"x" * (1 << 22)) == Output(0, "done\n", "")


def test_bytes_that_are_no_text_are_replaced() -> None:
    code = r"import sys; sys.stdout.buffer.write(b'a\xff')"

    assert run_python(code).stdout == "a\ufffd"


def test_the_last_words_of_a_program_are_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine it may speak and leave between two looks of ours."""
    go = tmp_path / "go"
    code = "import os, sys\nwhile not os.path.exists(sys.argv[1]): pass\nprint('done')"

    def late(process: subprocess.Popen[bytes]) -> bool:
        go.touch()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return True

    monkeypatch.setattr("keyhole.linters.run._has_exited", late)

    assert run_python(code, str(go)) == Output(0, "done\n", "")


def test_a_program_that_never_ends_is_killed_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    code = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1] + ".new", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""
    # Its time is up once both run, however long a busy machine takes to start them.
    clock = SimpleNamespace(monotonic=lambda: 2.0 * pids.exists())
    monkeypatch.setattr("keyhole.linters.run.time", clock)

    with pytest.raises(Failed, match=r"^took longer than 2 s and was stopped$"):
        run_python(code, str(pids), seconds=2)

    mine, childs = map(int, pids.read_text(encoding="utf-8").split())
    assert has_ended(mine)
    assert has_ended(childs)


def test_what_a_program_leaves_running_is_neither_waited_for_nor_left(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    file.write(str(child.pid))
print("done")
"""
    output = run_python(code, str(pids))

    assert output == Output(0, "done\n", "")
    assert has_ended(int(pids.read_text(encoding="utf-8")))


def test_a_program_that_closes_its_output_and_stays_is_stopped_too() -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(600)"

    with pytest.raises(Failed, match=r"^took longer than 0\.5 s"):
        run_python(code, seconds=0.5)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_stopped(stream: str) -> None:
    code = f"""
import sys
for _ in range(50):
    sys.{stream}.write("x" * (1 << 20))
"""
    assert MOST_OUTPUT < 50 << 20
    with pytest.raises(Failed, match=r"^printed more than 8 MiB and was stopped$"):
        run_python(code)


def test_a_crash_is_told_by_its_signal() -> None:
    with pytest.raises(Failed, match=r"^crashed with signal 6$"):
        run_python("import os; os.abort()")


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    limits = RunLimits(5, threading.Event())

    with pytest.raises(Failed, match=r"^cannot be started: No such file or directory$"):
        run([str(tmp_path / "nothing")], "/", ENVIRONMENT, b"", limits)


def test_a_call_that_is_given_up_ends_its_programs() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()

    with pytest.raises(Failed, match=r"^was stopped$"):
        run(
            [sys.executable, "-c", "import time; time.sleep(600)"],
            "/",
            ENVIRONMENT,
            b"",
            RunLimits(600, stop),
        )


def test_a_system_that_cannot_look_without_reaping_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "waitid", raising=False)

    test_what_a_program_leaves_running_is_neither_waited_for_nor_left(tmp_path)


def test_no_descriptors_are_left_open() -> None:
    before = open_pipes()
    for _ in range(5):
        run_python("print('x')")
        with pytest.raises(Failed):
            run_python("import os; os.abort()")

    assert open_pipes() <= before
