import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from coverage import Coverage

SKIPPING = """
import pytest

def test_passes():
    pass

@pytest.mark.skip(reason="no such server here")
def test_needs_a_server():
    raise AssertionError
"""


UNPRINTABLE = """
def test_shows_bytes_that_are_no_text():
    assert "\\udcff" == "", "\\udcfe"
"""

DRAWING = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_draws(number):
    print("drew", number)
"""

MANY = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_passes(number):
    pass
"""

COUNTING = """
def test_counts(record_property):
    record_property("counted", "3 rounds")
"""

# The first waits again where its limit ends it, the second where it tidies up after a failure.
WAITING = """
import threading
import pytest

def test_waits():
    try:
        threading.Event().wait()
    finally:
        threading.Event().wait()

def test_comes_next():
    pass

@pytest.fixture
def waiting():
    yield
    threading.Event().wait()

def test_fails_and_waits(waiting):
    raise AssertionError

def test_comes_last():
    pass
"""


def run_with(
    directory: Path, ci: str, *options: str, tests: str = SKIPPING, explore: str = ""
) -> tuple[int, str]:
    shutil.copy(Path(__file__).with_name("conftest.py"), directory)
    (directory / "test_planted.py").write_text(tests, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", ".", *options]
    environment = {**os.environ, "CI": ci, "KEYHOLE_EXPLORE": explore}
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["one process", "parallel"])
def test_a_skip_fails_the_run_in_ci_and_is_named(tmp_path: Path, options: tuple[str, ...]) -> None:
    code, output = run_with(tmp_path, "true", *options)

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "skipped: 1 (a skip is a failure in CI)" in output
    assert "test_planted.py::test_needs_a_server: Skipped: no such server here" in output


def test_a_skip_is_only_named_outside_ci(tmp_path: Path) -> None:
    code, output = run_with(tmp_path, "")

    assert code == pytest.ExitCode.OK
    assert "skipped: 1 (CI would fail)" in output


def test_a_report_with_lone_surrogates_reaches_the_reader(tmp_path: Path) -> None:
    code, output = run_with(tmp_path, "", "-n", "1", tests=UNPRINTABLE)

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "FAILED test_planted.py::test_shows_bytes_that_are_no_text" in output
    assert "\\udcfe" in output


def test_one_worker_runs_all_tests_of_a_file_and_what_they_count_is_told(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(MANY + COUNTING, encoding="utf-8")

    code, output = run_with(tmp_path, "", "-n", "2", "-v", tests=MANY)

    ran = set(re.findall(r"(\[gw\d\]) .* PASSED (test_\w+\.py)", output))
    assert code == pytest.ExitCode.OK
    assert sorted(file for _, file in ran) == ["test_other.py", "test_planted.py"]
    assert "\n3 rounds\n" in output


def test_a_test_that_waits_for_ever_ends_its_worker_and_nothing_else(tmp_path: Path) -> None:
    for name in ("early", "late"):
        (tmp_path / f"test_{name}.py").write_text(MANY, encoding="utf-8")
    limits = {"timeout": 1, "faulthandler_timeout": 3, "faulthandler_exit_on_timeout": "true"}
    flags = [word for name, value in limits.items() for word in ("-o", f"{name}={value}")]

    code, output = run_with(tmp_path, "", "-n", "2", "-v", *flags, tests=WAITING)

    ended = re.findall(r"^FAILED (\S+) - worker", output, re.MULTILINE)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert ended == [f"test_planted.py::{name}" for name in ("test_waits", "test_fails_and_waits")]
    assert "3 failed, 42 passed" in output


def test_a_worker_that_ends_behind_its_last_test_fails_the_run(tmp_path: Path) -> None:
    behind = "import os\n\ndef test_passes(): pass\n\ndef teardown_module(): os._exit(1)\n"

    code, output = run_with(tmp_path, "", "-n", "1", tests=behind)

    assert "1 passed" in output
    assert code == pytest.ExitCode.TESTS_FAILED


def test_a_process_that_a_test_forks_does_not_count_again_what_was_counted() -> None:
    counting = Coverage(None, include=[__file__], config_file=False)
    counting.start()
    test_every_test_has_both_limits()
    collector = counting._collector
    assert collector
    before = sum(map(len, collector.data.values()))
    told, tells = os.pipe()
    child = os.fork()
    if not child:
        os.write(tells, b"%d" % sum(map(len, collector.data.values())))
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(tells)
    with os.fdopen(told, "rb") as answer:
        again = int(answer.read())
    os.waitpid(child, 0)
    counting.stop()

    assert before > 3 > again


def test_every_test_has_both_limits() -> None:
    rules = Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
    limits = tomllib.loads(rules)["tool"]["pytest"]["ini_options"]

    assert 0 < limits["timeout"] < limits["faulthandler_timeout"] <= 900
    assert limits["faulthandler_exit_on_timeout"] is True


def drawn(directory: Path, explore: str) -> list[str]:
    _, output = run_with(directory, "", "-s", tests=DRAWING, explore=explore)
    return [line for line in output.split("\n") if line.startswith("drew")]


def test_properties_draw_the_same_examples_in_every_run_but_an_exploring_one(
    tmp_path: Path,
) -> None:
    first, second, exploring = (drawn(tmp_path, explore) for explore in ("", "", "1"))

    assert len(first) >= 50
    assert first == second
    assert exploring != first
