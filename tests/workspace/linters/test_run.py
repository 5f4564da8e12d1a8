import os
import sys
import threading
import time
from pathlib import Path

import pytest

from keyhole.workspace.linters.base import Failed
from keyhole.workspace.linters.run import MOST_OUTPUT, Limits, Output, run

ENVIRONMENT = {"PATH": os.defpath}


def run_python(
    code: str, *words: str, stdin: bytes = b"", seconds: float = 30.0, cwd: str = "/"
) -> Output:
    limits = Limits(seconds, threading.Event())
    return run([sys.executable, "-c", code, *words], cwd, ENVIRONMENT, stdin, limits)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that was killed may still wait for its parent to look: it runs no more.
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text(encoding="utf-8").split()[2] != "Z"


def open_descriptors() -> int:
    own = Path("/dev/fd")
    return len(list(own.iterdir()))


def wait_for_end(pid: int) -> bool:
    until = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < until:
        threading.Event().wait(0.01)
    return not is_alive(pid)


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


def test_a_program_that_never_ends_is_killed_with_all_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""
    began = time.monotonic()

    with pytest.raises(Failed, match=r"^took longer than 2 s and was stopped$"):
        run_python(code, str(pids), seconds=2)

    assert time.monotonic() - began < 10
    mine, childs = map(int, pids.read_text(encoding="utf-8").split())
    assert wait_for_end(mine)
    assert wait_for_end(childs)


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
    assert wait_for_end(int(pids.read_text(encoding="utf-8")))


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
    limits = Limits(5, threading.Event())

    with pytest.raises(Failed, match=r"^cannot be started: No such file or directory$"):
        run([str(tmp_path / "nothing")], "/", ENVIRONMENT, b"", limits)


def test_a_call_that_is_given_up_ends_its_programs() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()

    with pytest.raises(Failed, match=r"^was stopped$"):
        run(
            [sys.executable, "-c", "import time; time.sleep(600)"],
            "/",
            ENVIRONMENT,
            b"",
            Limits(600, stop),
        )

    assert time.monotonic() - began < 10


def test_a_system_that_cannot_look_without_reaping_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "waitid", raising=False)

    test_what_a_program_leaves_running_is_neither_waited_for_nor_left(tmp_path)


def test_no_descriptors_are_left_open() -> None:
    before = open_descriptors()
    for _ in range(5):
        run_python("print('x')")
        with pytest.raises(Failed):
            run_python("import os; os.abort()")

    assert open_descriptors() == before
