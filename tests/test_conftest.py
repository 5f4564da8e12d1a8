import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


def run_with(
    directory: Path, ci: str, *options: str, tests: str = SKIPPING, explore: str = ""
) -> tuple[int, str]:
    shutil.copy(Path(__file__).with_name("conftest.py"), directory)
    (directory / "test_planted.py").write_text(tests, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", ".", *options]
    environment = {**os.environ, "CI": ci, "KEYHOLE_EXPLORE": explore}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, encoding="utf-8", check=False
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


def test_one_worker_runs_all_tests_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(MANY, encoding="utf-8")

    code, output = run_with(tmp_path, "", "-n", "2", "-v", tests=MANY)

    ran = set(re.findall(r"(\[gw\d\]) .* PASSED (test_\w+\.py)", output))
    assert code == pytest.ExitCode.OK
    assert sorted(file for _, file in ran) == ["test_other.py", "test_planted.py"]


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
