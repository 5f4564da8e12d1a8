"""One start of a real host: packages, a fresh home, `keyhole install`, a prompt, the model."""

from __future__ import annotations

import fcntl
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.laboratory.hosts import LabHost, Place
from tests.laboratory.model import ScriptedModel, Serving
from tests.laboratory.processes import end_all

KEYHOLE = str(Path(sys.executable).with_name("keyhole"))
PROMPT = "Please do what has to be done here."
_NPM_FLAGS = ("--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent")
# A start that takes longer is ended: 70 steps take a few seconds, on a busy machine minutes.
MOST_SECONDS = 900.0
# What a start of a test may take.
BRIEF_SECONDS = 150.0
# What npm may take for all hosts of a test process: a registry that hangs holds no run up for long.
NPM_SECONDS = 240.0
# Hosts that did not come in time are not waited for again.
_MISSING: dict[Path, str] = {}
_waited = [0.0]


class UnavailableError(Exception):
    """npm does not have a host, or is not here, or is too slow."""


def limited(
    command: Sequence[str], directory: Path, environment: Mapping[str, str] | None, seconds: float
) -> tuple[int, str]:
    """Run a program and what it starts for so long at most; return its exit code and its words.

    They go to a file: a pipe would be open until the last process has ended that got hold of it.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            output.write(f"\nended after {seconds:.0f} seconds\n".encode())
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace")


def packages_of(host: LabHost, cache: Path, seconds: float = MOST_SECONDS) -> Path:
    """Install the pinned packages of a host once, and return their directory.

    Who has little patience for a host has it for all hosts together.
    """
    home = cache / "-".join([host.name, *(each.rpartition("@")[2] for each in host.packages)])
    if home in _MISSING:
        raise UnavailableError(_MISSING[home])
    if (home / "done").exists():
        return home
    begun, left = time.monotonic(), seconds
    if seconds <= BRIEF_SECONDS:
        left = NPM_SECONDS - _waited[0]
    try:
        home.mkdir(parents=True, exist_ok=True)
        with _turn(home / "lock", left):
            if not (home / "done").exists():
                _install(host, home, left - (time.monotonic() - begun))
                (home / "done").touch()
    except UnavailableError as error:
        _MISSING[home] = str(error)
        raise
    finally:
        _waited[0] += time.monotonic() - begun
    return home


@contextmanager
def _turn(file: Path, seconds: float) -> Iterator[None]:
    """Hold a lock: test processes run side by side; one installs, the others wait for it."""
    end = time.monotonic() + seconds
    with file.open("w", encoding="utf-8") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise UnavailableError("somebody else installs it") from None
                time.sleep(0.1)
        yield


def _install(host: LabHost, home: Path, seconds: float) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("npm is not installed")
    if seconds <= 0:
        raise UnavailableError("npm took too long for others")
    (home / "package.json").write_text("{}", encoding="utf-8")
    command = [npm, "install", *_NPM_FLAGS, *host.packages]
    code, output = limited(command, home, None, seconds)
    if code:
        told = [line for line in output.splitlines() if re.search("error|ended after", line)]
        raise UnavailableError("; ".join(told[:2]) or f"npm ended with {code}")


@dataclass(slots=True)
class Outcome:
    """What a start came to."""

    model: ScriptedModel
    exit_code: int
    output: str
    seconds: float
    processor_seconds: float
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class Desk:
    """A host with a home and a project of its own, before and after `keyhole install`."""

    host: LabHost
    place: Place
    patience: float = MOST_SECONDS

    @property
    def environment(self) -> dict[str, str]:
        """What the host and `keyhole` find around them: a fresh home, and nothing of ours."""
        home = self.place.home
        return {
            "PATH": os.pathsep.join(
                [str(Path(KEYHOLE).parent), "/usr/local/bin", "/usr/bin", "/bin"]
            ),
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            **self.host.environment(self.place),
        }

    def keyhole(self, *words: str) -> str:
        """Run a command of ours in the project."""
        command = [KEYHOLE, *words]
        return limited(command, self.place.project, self.environment, self.patience)[1]

    def ask(self, *words: str) -> tuple[int, str]:
        """Run the host, and return its exit code and what it printed."""
        command = [*self.host.program(self.place), *words]
        return limited(command, self.place.project, self.environment, self.patience)


@contextmanager
def desk(
    host: LabHost,
    cache: Path,
    base: Path,
    model: ScriptedModel,
    patience: float = MOST_SECONDS,
) -> Iterator[Desk]:
    """Make a home and a project, and point the host at the model."""
    packages = packages_of(host, cache, patience)
    for name in ("home", "project"):
        (base / name).mkdir(parents=True)
    with Serving(model) as serving:
        place = Place(packages, base / "home", base / "project", serving.url)
        subprocess.run(["git", "init", "-q", str(place.project)], check=True, timeout=patience)
        host.configure(place)
        made = Desk(host, place, patience)
        try:
            if words := host.setup(place):
                made.ask(*words)
            yield made
        finally:
            end_all(place.home)


def write_files(project: Path, files: Mapping[str, bytes]) -> None:
    """Write the files that a scenario begins with."""
    for name, body in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(body)


def play(table: Desk, model: ScriptedModel, prompt: str = PROMPT) -> Outcome:
    """Give the host a prompt, and let it work until the script ends."""
    model.first_at = 0.0
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    code, output = table.ask(*table.host.run(table.place, prompt))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    first = model.first_at - begun if model.first_at else 0.0
    return Outcome(model, code, output, time.monotonic() - begun, spent, first)
