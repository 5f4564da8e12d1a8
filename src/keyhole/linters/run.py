"""Run one program: write its input, read its output, end it with all that it started."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from keyhole.fastclasses import dataclass
from keyhole.linters.base import Failed, Finding, LintEnvironment, Linter

MOST_OUTPUT = 8 << 20
_CHUNK = 1 << 16
_TICK = 0.05


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed, and the code it left with."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class RunLimits:
    """When a run ends though the program does not: after so many seconds, or when told to."""

    seconds: float
    stop: threading.Event

    def check(self, began: float) -> None:
        """Raise `Failed` when it is time to end."""
        if self.stop.is_set():
            raise Failed("was stopped")
        if time.monotonic() - began >= self.seconds:
            raise Failed(f"took longer than {self.seconds:g} s and was stopped")


def run(
    words: Sequence[str], cwd: str, environment: Mapping[str, str], stdin: bytes, limits: RunLimits
) -> Output:
    """Run a program to its end, or raise `Failed`; nothing that it started outlives this."""
    began = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603 - a command that the user configured, without a shell
            words,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise Failed(f"cannot be started: {getattr(error, 'strerror', error)}") from None
    pump = _Pump(process, stdin)
    try:
        while pump.turn():
            limits.check(began)
        while not _has_exited(process):
            limits.check(began)
            limits.stop.wait(_TICK / 5)
    finally:
        pump.close()
        _end(process)
    if process.returncode < 0:
        raise Failed(f"crashed with signal {-process.returncode}")
    return Output(process.returncode, *pump.printed())


class _Pump:
    """Feeds a process and collects what it prints, never waiting for one while the other stalls."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes) -> None:
        self._process = process
        self._left = memoryview(data)
        self._selector = selectors.DefaultSelector()
        self._printed: dict[int, bytearray] = {}
        self._size = 0
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None, "BUG: every stream is a pipe"
            self._watch(pipe.fileno(), selectors.EVENT_READ)
            self._printed[pipe.fileno()] = bytearray()
        assert process.stdin is not None, "BUG: every stream is a pipe"
        self._stdin = process.stdin
        self._watch(self._stdin.fileno(), selectors.EVENT_WRITE)

    def turn(self) -> bool:
        """Move what can be moved now; tell whether there may be more."""
        # Asked before the pipes are looked at: all that it printed is in them if it has left.
        over = _has_exited(self._process)
        ready = self._selector.select(0 if over else _TICK)
        for key, _ in ready:
            if key.fd in self._printed:
                self._read(key.fd)
            else:
                self._write()
        open_ends = self._selector.get_map().keys() & self._printed.keys()
        # What a program leaves running may hold the pipes open for ever: its own end is the end.
        return bool(open_ends) and (bool(ready) or not over)

    def printed(self) -> tuple[str, str]:
        """Return the two outputs as text."""
        stdout, stderr = (bytes(each).decode("utf-8", "replace") for each in self._printed.values())
        return stdout, stderr

    def close(self) -> None:
        """Watch the pipes no more."""
        self._selector.close()

    def _watch(self, fd: int, event: int) -> None:
        os.set_blocking(fd, False)
        self._selector.register(fd, event)

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, _CHUNK)
        if not chunk:
            self._selector.unregister(fd)
            return
        self._printed[fd] += chunk
        self._size += len(chunk)
        if self._size > MOST_OUTPUT:
            raise Failed(f"printed more than {MOST_OUTPUT >> 20} MiB and was stopped")

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._stdin.fileno(), self._left[:_CHUNK]) :]
        except BrokenPipeError:
            self._left = self._left[:0]
        if not self._left:
            self._selector.unregister(self._stdin.fileno())
            self._stdin.close()


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    # Not reaped yet: its number stays taken, so killing its group can hit nobody else.
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and everything it started, and let go of its pipes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
        with suppress(OSError):
            pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)


# A server's environment holds keys and tokens, and a linter's plug-ins are anybody's code: a name
# is passed because a tool needs it, never because nobody thought of it.
_PASSED = frozenset(
    (
        *("HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "MYPYPATH"),
        *("NODE_PATH", "NVM_DIR", "VOLTA_HOME", "JAVA_HOME"),
        *("GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS"),
        *("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
    )
)
_FORCED = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}


def environment_for(given: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment a linter runs in; `more` are names that the user lets it see."""
    wanted = _PASSED.union(more)
    passed = {
        name: value for name, value in given.items() if name in wanted or name.startswith("LC_")
    }
    return {**passed, **_FORCED, "PATH": search_path(given)}


def search_path(given: Mapping[str, str]) -> str:
    """Return PATH without its relative entries: they would find programs in the workspace."""
    entries = given.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def program(name: str, given: Mapping[str, str]) -> str | None:
    """Return where a program is that PATH leads to."""
    return shutil.which(name, path=search_path(given) or os.defpath)


@dataclass(frozen=True, slots=True)
class LinterSubject:
    """One file that a linter is to look at, as one version of it reads."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class LinterView:
    """The tree that a linter sees: the workspace's root in it, and the top of the project.

    `cache` is where the linter may keep what it learns, `digest` stands for the texts it is shown.
    """

    root: str
    top: str
    cache: str
    digest: str


@dataclass(frozen=True, slots=True)
class LinterRun:
    """One run; `path` is the file it is about, nothing if it is about several.

    `stdin` is None where the linter opens files itself.
    """

    words: tuple[str, ...]
    cwd: str
    stdin: bytes | None
    path: str = ""


def jobs_of(
    linter: Linter, subjects: Sequence[LinterSubject], view: LinterView, ground: LintEnvironment
) -> list[LinterRun]:
    """Return the runs that cover all files: one for each directory it runs in, or for each file."""
    if "{paths}" not in linter.command:
        return list(dict.fromkeys(_job(linter, [subject], view, ground) for subject in subjects))
    groups: dict[str, list[LinterSubject]] = {}
    for subject in subjects:
        groups.setdefault(_directory(linter, subject, view), []).append(subject)
    return [_job(linter, group, view, ground) for group in groups.values()]


def _job(
    linter: Linter, subjects: Sequence[LinterSubject], view: LinterView, ground: LintEnvironment
) -> LinterRun:
    first = subjects[0]
    path = os.path.join(view.root, first.path)
    values = {
        "{path}": path,
        "{dir}": os.path.dirname(path),
        "{root}": view.root,
        "{cache}": view.cache,
        "{digest}": view.digest,
    }
    words = [_program(linter, first, ground)]
    for word in linter.command[1:]:
        if word == "{paths}":
            words += [os.path.join(view.root, subject.path) for subject in subjects]
            continue
        for name, value in values.items():
            word = word.replace(name, value)  # noqa: PLW2901 - each placeholder in turn
        words.append(word)
    about_one = any("{path}" in word for word in linter.command) or linter.input == "stdin"
    stdin = first.data if linter.input == "stdin" else None
    cwd = _directory(linter, first, view)
    return LinterRun(tuple(words), cwd, stdin, first.path if about_one else "")


def _directory(linter: Linter, subject: LinterSubject, view: LinterView) -> str:
    """Return where the linter runs: the nearest directory above the file with an anchor of it."""
    here = os.path.dirname(os.path.join(view.root, subject.path))
    for directory in _upwards(here, view.top):
        if any(os.path.exists(os.path.join(directory, name)) for name in linter.anchors):
            return directory
    return view.root


def _upwards(directory: str, top: str) -> Iterator[str]:
    """Yield a directory and those above it, as far as the top."""
    yield directory
    while len(directory) > len(top):
        directory = os.path.dirname(directory)
        yield directory


def _program(linter: Linter, subject: LinterSubject, ground: LintEnvironment) -> str:
    """Return the program to start; what the workspace brings along runs only if it is trusted."""
    name = linter.command[0]
    if os.path.isabs(name):
        return name
    own = _own_program(linter, subject, ground)
    if own and ground.trusted:
        return own
    found = program(name, ground.environment) if "/" not in name else None
    if found:
        return found
    if own:
        what = os.path.relpath(own, ground.root)
        raise Failed(f"was not run: {what} is part of the workspace; `keyhole trust` lets it run")
    raise Failed(f"was not run: there is no program `{name}`")


def _own_program(linter: Linter, subject: LinterSubject, ground: LintEnvironment) -> str:
    """Return the program as the workspace itself has it, or nothing."""
    name = linter.command[0]
    if "/" in name:
        path = os.path.join(ground.root, name)
        return path if os.path.exists(path) else ""
    if linter.local:
        here = os.path.dirname(os.path.join(ground.root, subject.path))
        for directory in _upwards(here, ground.root):
            path = os.path.join(directory, linter.local, name)
            if os.path.exists(path):
                return path
    return ""


def path_of(finding: Finding, job: LinterRun, view: LinterView, known: Collection[str]) -> str:
    """Return which of the `known` files a finding is about, nothing for any other.

    Tools print names relative to where they run, or to some directory above that they call the
    project.
    """
    if job.stdin is not None or not finding.path:
        return job.path
    for directory in _upwards(job.cwd, view.top):
        path = os.path.normpath(os.path.join(directory, finding.path))
        inner = os.path.relpath(path, view.root)
        if inner in known:
            return inner
    return ""
