"""What holds for the whole run: nothing is skipped in CI, and no test is judged by the clock.

A test has ten minutes (`timeout`), and then fails. One that does not end even so, because it waits
again while it tidies up, ends its worker a minute later (`faulthandler_timeout`), and is named.
"""

import faulthandler
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage
from hypothesis import settings

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

    from tests.postgres import PostgresServer
    from tests.team import Team
    from tests.workspace.scene import Scene

# A busy machine is not a bug; speed is measured by `make bench`, as ratios.
# A commit gets one verdict, so its examples are always the same; `make explore` looks for new ones.
settings.register_profile("verdict", deadline=None, print_blob=True, derandomize=True)
settings.register_profile(
    "explore", deadline=None, print_blob=True, derandomize=False, database=None
)
settings.load_profile("explore" if os.environ.get("KEYHOLE_EXPLORE") else "verdict")

# A worker gets another file when it has no more tests than these before it.
_ENOUGH = 2
# What a test that has failed may take to tidy up, in seconds.
_TIDYING = 120.0
_TRACES = os.dup(2)

# A run of this many seconds says where they go, for as many files.
_LONG_RUN, _MOST_FILES = 120, 30

# Started in the background of a script, a run has no ear for Ctrl-C, and what it starts has none:
# tests that interrupt a command need one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Workers get long tests that share nothing with their file one by one, and before everything else;
# then the longer files, so that at the end none of them runs alone.
_ALONE = ("tests/torture/", "tests/laws/")
_LONG = (
    *("tests/laboratory/", "tests/packages/", "tests/surfaces/", "tests/linters/"),
    *("tests/engine/", "tests/test_museum.py"),
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are found, nor in them later: all of them stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count no branches under the laws: counting would take as long again as they do."""
    for item in items:
        if "laws" in item.path.parts:
            item.add_marker(pytest.mark.no_cover)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _turn(item.nodeid))


def _turn(test: str) -> int:
    """Return when a worker gets a test: the later, the larger."""
    return 0 if test.startswith(_ALONE) else 1 if test.startswith(_LONG) else 2


def _count_anew() -> None:
    """Let a process that a test forks count what it runs itself, and not all of before again."""
    measuring = Coverage.current()
    collector = measuring._collector if measuring else None
    for counted in collector.data.values() if collector else ():
        counted.clear()


os.register_at_fork(after_in_child=_count_anew)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """Add what forked commands have counted before the counts are written down."""
    result = yield
    if forked := sys.modules.get("tests.forked"):
        forked.gather()
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give a file to one worker, which sets up once what its tests share.

    `--dist loadgroup` is no way to say so: under this pytest its marks do nothing.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc] # brings no types
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if nodeid.startswith(_ALONE) else nodeid.partition("::")[0]

        def remove_node(self, node: "WorkerController") -> str | None:
            """Return the test that ended its worker; another worker goes on behind it.

            Files that are done are left out: whoever got one waited for its end for ever.
            """
            units = self.assigned_work.get(node, {})
            left = [(unit, test) for unit in units.values() for test in unit if not unit[test]]
            for unit, test in left[:1]:
                unit[test] = True
            for file in [file for file, unit in units.items() if all(unit.values())]:
                del units[file]
            super().remove_node(node)
            return left[0][1] if left else None

        def _reschedule(self, node: "WorkerController") -> None:
            """Hand out files until a worker has enough; it holds its last test back for more."""
            while not node.shutting_down:
                if not self.workqueue:
                    node.shutdown()
                elif self._pending_of(self.assigned_work[node]) <= _ENOUGH:
                    self._assign_work_unit(node)
                else:
                    break

    return ByFile(config, log)


_ENDED: list[object] = []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(error: object) -> None:
    """Remember workers that ended early: after its last test nothing else tells of one."""
    _ENDED.extend([error] if error else [])


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item) -> None:
    """Limit the end of a test that failed: pytest takes every limit away from it here."""
    if limit := float(node.config.getini("faulthandler_timeout")):
        faulthandler.dump_traceback_later(min(limit, _TIDYING), exit=True, file=_TRACES)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, object, object]:
    """Make a report fit for the wire: a lone surrogate in it would end the worker unheard."""
    return _printable((yield))


def _printable(value: object) -> object:
    """Return the value with its lone surrogates spelled out as escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_printable(key): _printable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_printable(each) for each in value)
    return value


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test on a machine that lacks a program it drives; the skip is counted below."""
    wanted = [str(name) for mark in item.iter_markers("needs") for name in mark.args]
    missing = [name for name in wanted if not _is_here(name)]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")


def _is_here(program: str) -> bool:
    # Debian keeps the server's programs of each version in a directory of their own.
    found = Path("/usr/lib/postgresql").glob(f"*/bin/{program}")
    return shutil.which(program) is not None or any(found)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    is_wrong = _ENDED or (_in_ci() and any(_skips(session.config)))
    if session.exitstatus == pytest.ExitCode.OK and is_wrong:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    _print_times(terminalreporter)
    # A run in parallel reads no `conftest.py` of a directory but this one before its end.
    _print_told(terminalreporter, "host", "agent hosts")
    _print_told(terminalreporter, "counted", "what was counted")
    skips = list(_skips(config))
    if not skips:
        return
    verdict = "a skip is a failure in CI" if _in_ci() else "CI would fail"
    terminalreporter.section(f"skipped: {len(skips)} ({verdict})")
    for skip in skips:
        terminalreporter.line(skip)


def _print_times(reporter: pytest.TerminalReporter) -> None:
    """Print the files that take most of a long run."""
    seconds: dict[str, float] = {}
    for reports in reporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = report.nodeid.partition("::")[0]
                seconds[file] = seconds.get(file, 0.0) + report.duration
    total = sum(seconds.values())
    if total < _LONG_RUN:
        return
    reporter.section(f"where {total:.0f} seconds of tests go")
    for file in sorted(seconds, key=lambda file: -seconds[file])[:_MOST_FILES]:
        reporter.line(f"{seconds[file]:6.0f} s  {file}")


def _print_told(reporter: pytest.TerminalReporter, kind: str, title: str) -> None:
    """Print what tests told of a kind: what they ran, and what is not to be had here."""
    found = [
        str(line).partition("\n")[0]
        for reports in reporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "teardown"
        for name, line in report.user_properties
        if name == kind
    ]
    if found:
        reporter.section(title)
        for line in sorted(found):
            reporter.line(line)


def _skips(config: pytest.Config) -> Iterator[str]:
    reporter = config.pluginmanager.getplugin("terminalreporter")
    # The workers of a parallel run have no reporter: the controller counts for all of them.
    for report in reporter.stats.get("skipped", ()) if reporter else ():
        where, reason = report.nodeid, report.longrepr
        yield f"{where}: {reason[2] if isinstance(reason, tuple) else reason}"


@pytest.fixture(scope="session")
def postgres() -> Iterator["PostgresServer"]:
    """Run one server for all tests of a worker; each makes its own database in it."""
    from tests.postgres import running

    with running() as server:
        yield server


@pytest.fixture
def database(postgres: "PostgresServer") -> str:
    """Make an empty database and return its address."""
    return postgres.database(f"d{os.urandom(6).hex()}")


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator["Team"]:
    """Make a team on a database of its own."""
    from tests.team import team

    with team(tmp_path, database) as made:
        yield made


@pytest.fixture
def scene(tmp_path: Path) -> Iterator["Scene"]:
    """Make the scene that tests of the disk play in."""
    from tests.workspace.scene import Scene

    (tmp_path / "root").mkdir()
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture
def open_scene() -> Iterator["Scene"]:
    """Make a scene that everybody can reach."""
    from tests.workspace.scene import Scene

    home = Path(tempfile.mkdtemp())
    home.chmod(0o755)
    for name in ("root", "state"):
        (home / name).mkdir()
        (home / name).chmod(0o777)
    yield Scene(home)
    for path in [home, *home.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(home)


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}
