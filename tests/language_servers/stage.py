"""A small Python project, and a language server on PATH that a test can make misbehave."""

import os
import sys
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from keyhole.language_servers.desk import LanguageServers
from keyhole.phrases import render
from keyhole.workspace.tree import Tree, TreeOptions
from tests.scene import put

FOE = Path(__file__).parent / "foe.py"
FILES = {
    "core.py": "def load(path):\n    return path  # load\n",
    "user.py": "from core import load\n\nprint(load('load'))\n",
}


class ServerStage:
    """A root with files, a state beside it, and servers in `bin`."""

    def __init__(self, base: Path, **more: str) -> None:
        self.base, self.root = base, base / "root"
        for path, text in (FILES | more).items():
            put(self.root, path, text)
        put(base, "outside.py", "def load(): pass\n")
        self.engines: list[Engine] = []

    def install(self, name: str = "pyright-langserver", place: str = "bin") -> Path:
        """Put our server where it will be found as one of those that are known."""
        program = put(self.base, f"{place}/{name}", f"#!{sys.executable}\n{FOE.read_text('utf-8')}")
        program.chmod(0o755)
        return program

    def behave(self, how: str) -> None:
        """Say what the server does wrong from now on."""
        put(self.base, "bin/behaviour", how)

    def opened(
        self, *, trusted: bool = True, path: str = "", named: dict[str, str] | None = None,
        read_only: bool = False, seconds: float = 60.0, idle: float = 900.0,
    ) -> Engine:  # fmt: skip
        """Return an engine with the servers that there are."""
        environment = {"PATH": path or str(self.base / "bin"), "SECRET": "token"}
        options = TreeOptions(read_only=read_only)
        tree = Tree.open(self.root, state_home=self.base / "state", options=options)
        places = (tree.root.path, str(tree.state))
        self.servers = servers = LanguageServers(
            *places, environment, named=named, seconds=seconds, idle=idle
        )
        engine = Engine(tree, None, lambda: servers)
        if trusted:
            engine.administration.trust()
        self.engines.append(engine)
        return engine

    def rename(self, engine: Engine, path: str = "core.py", **more: bool) -> Receipt:
        """Rename `load` to `fetch`."""
        return engine.refactoring.rename(Rename(path, "load", "fetch", **more), Options(actor="me"))

    def texts(self) -> dict[str, str]:
        """Return every file of the root."""
        return {
            str(file.relative_to(self.root)): file.read_text(encoding="utf-8")
            for file in self.root.rglob("*")
            if file.is_file()
        }

    def starts(self) -> list[int]:
        """Return the processes of the servers that were started."""
        file = self.base / "bin" / "starts"
        return [int(each) for each in file.read_text("utf-8").split()] if file.exists() else []

    def close(self) -> None:
        """End all that was opened."""
        self.servers.close()
        for engine in self.engines:
            engine.close()


def said(receipt: Receipt) -> tuple[str, str]:
    """Return the code and the headline of a refusal."""
    [refusal] = receipt.refusals
    return refusal.code, render(refusal.headline)


def found_by(receipt: Receipt) -> str:
    """Return who knew the places of a rename."""
    assert receipt.sweep, receipt.as_text()
    return receipt.sweep.found_by


def runs(pid: int) -> bool:
    """Tell whether a process is there and no mere remainder."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_end(pid: int) -> None:
    """Return when a process is gone that was killed."""
    while runs(pid):
        os.sched_yield()
