"""One start of a real host: packages, a fresh home, `keyhole install`, a prompt, the model."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.laboratory.hosts import LabHost, Place
from tests.laboratory.model import ScriptedModel, Serving
from tests.laboratory.processes import end_all

KEYHOLE = str(Path(sys.executable).with_name("keyhole"))
PROMPT = "Please do what has to be done here."
_NPM_FLAGS = ("--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent")
# A start that takes longer is ended: 70 steps take a few seconds, on a busy machine minutes.
MOST_SECONDS = 900


class UnavailableError(Exception):
    """npm does not have a host, or is not here."""


def packages_of(host: LabHost, cache: Path) -> Path:
    """Install the pinned packages of a host once, and return their directory."""
    home = cache / "-".join([host.name, *(each.rpartition("@")[2] for each in host.packages)])
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w", encoding="utf-8") as turn:
        # Test processes run side by side: one installs, the others wait for it.
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not (home / "done").exists():
            _install(host, home)
            (home / "done").touch()
    return home


def _install(host: LabHost, home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("npm is not installed")
    (home / "package.json").write_text("{}", encoding="utf-8")
    command = [npm, "install", *_NPM_FLAGS, *host.packages]
    done = subprocess.run(command, cwd=home, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise UnavailableError("; ".join(said[:2]) or f"npm ended with {done.returncode}")


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
        done = subprocess.run(
            [KEYHOLE, *words],
            cwd=self.place.project,
            env=self.environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return done.stdout + done.stderr

    def ask(self, *words: str) -> tuple[int, str]:
        """Run the host, and return its exit code and what it printed."""
        command = [*self.host.program(self.place), *words]
        with subprocess.Popen(
            command,
            cwd=self.place.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=MOST_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
        return process.returncode, output.decode(errors="replace")


@contextmanager
def desk(host: LabHost, cache: Path, base: Path, model: ScriptedModel) -> Iterator[Desk]:
    """Make a home and a project, and point the host at the model."""
    packages = packages_of(host, cache)
    for name in ("home", "project"):
        (base / name).mkdir(parents=True)
    with Serving(model) as serving:
        place = Place(packages, base / "home", base / "project", serving.url)
        subprocess.run(["git", "init", "-q", str(place.project)], check=True)
        host.configure(place)
        made = Desk(host, place)
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
