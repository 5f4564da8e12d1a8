"""Ten agents in one workspace, for a while: they think, read, and edit, as agents do."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from pathlib import Path

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest
from keyhole.sharing.identity import Sharing
from keyhole.workspace.tree import TreeOptions

AGENTS = 10
# Between two calls an agent thinks; half a second is a fast one.
THINKS = 0.5
EDITS, COMMON = 0.4, 0.05


class Agent(threading.Thread):
    """One agent with a file of its own, and now and then a line in a file that all edit."""

    def __init__(self, engine: Engine, name: str, until: float) -> None:
        super().__init__()
        self._engine, self._until = engine, until
        self._dice = random.Random(name)
        self._place = name
        self.edits: list[float] = []
        self.reads: list[float] = []
        self.refused = 0
        self.counts = {path: self._counted(path) for path in (f"{name}.txt", "common.txt")}

    def _counted(self, path: str) -> int:
        """Return how far an earlier run came."""
        text = self._engine.document(path).text
        return int(text.partition(f"{self._place} is at ")[2].partition("\n")[0])

    def run(self) -> None:
        """Act until the time is over."""
        wait = threading.Event().wait
        while time.monotonic() < self._until:
            wait(self._dice.expovariate(1 / THINKS))
            if self._dice.random() < EDITS:
                self._edit()
            else:
                self._read()

    def _edit(self) -> None:
        path = "common.txt" if self._dice.random() < COMMON else f"{self._place}.txt"
        before = f"{self._place} is at {self.counts[path]}\n"
        after = f"{self._place} is at {self.counts[path] + 1}\n"
        started = time.perf_counter()
        options = Options(task=self._place, actor=self._place, reason="count on")
        receipt = self._engine.edit([Edit(find=before, content=after)], options, path)
        self.edits.append(time.perf_counter() - started)
        self.refused += not receipt.ok
        self.counts[path] += receipt.ok

    def _read(self) -> None:
        started = time.perf_counter()
        self._engine.read(f"{self._place}.txt", ReadRequest(lines="1-20"), self._place)
        self.reads.append(time.perf_counter() - started)


def names(workspace: str) -> list[str]:
    """Return the names of the agents of a workspace."""
    return [f"{workspace}-{number}" for number in range(AGENTS)]


def main(root: str, state: str, url: str, seconds: str) -> None:
    """Let the agents work, and print what they met."""
    sharing = Sharing(url, machine=Path(root).name) if url else None
    engine = Engine.open(Path(root), Path(state), TreeOptions(sharing=sharing))
    engine.history(HistoryRequest(limit=1))  # a server that has just started is another matter
    until = time.monotonic() + float(seconds)
    agents = [Agent(engine, name, until) for name in names(Path(root).name)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    engine.close()
    found = {
        "edits": [time for agent in agents for time in agent.edits],
        "reads": [time for agent in agents for time in agent.reads],
        "refused": sum(agent.refused for agent in agents),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
