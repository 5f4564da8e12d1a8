"""What sharing costs: a hundred agents in ten workspaces, with a shared journal and without.

    make bench-shared            a minute each way, in turns
    python -m bench.shared 10    ten seconds each way

The server runs on this machine and takes its share of the processor; its disk would be another, so
it does not flush.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.shared_agents import names
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.sharing.identity import Sharing
from keyhole.workspace.tree import TreeOptions
from tests.postgres import running
from tests.team import Team, edit, git, team

WORKSPACES = 10
SLICES = 2
FEW, MANY = 10_000, 1_000_000
MOST_RATIO = 1.3
LINES = "".join(f"a line of the file, number {number}\n" for number in range(200))


@dataclass(frozen=True, slots=True)
class Run:
    """What the agents of all workspaces met in one run."""

    edits: tuple[float, ...]
    reads: tuple[float, ...]
    refused: int

    @staticmethod
    def of(runs: Iterable[Run]) -> Run:
        """Return several runs as one."""
        runs = list(runs)
        return Run(
            tuple(time for run in runs for time in run.edits),
            tuple(time for run in runs for time in run.reads),
            sum(run.refused for run in runs),
        )


def main(seconds: float) -> None:
    """Run both ways in turns, compare, and look for anything that went missing."""
    with tempfile.TemporaryDirectory() as home, running() as server:
        url = server.database("bench")
        with team(Path(home), url, _files()) as made:
            roots = [made.worktree(f"w{number}") for number in range(WORKSPACES)]
            alone, shared = _in_turns(made, roots, seconds)
            anomalies = _anomalies(made, roots)
        _print("SQLite only", alone, seconds)
        _print("shared", shared, seconds)
        ratio = _p(shared.edits, 50) / _p(alone.edits, 50)
        print(f"p50 of a durable edit, shared / SQLite only: {ratio:.2f} (at most {MOST_RATIO})")
        print(f"anomalies: {anomalies} ({shared.refused} refused)")
        flat = _growth(Path(home), [server.database("few"), server.database("many")])
    if anomalies or shared.refused or ratio > MOST_RATIO or flat > MOST_RATIO:
        sys.exit(1)


def _files() -> dict[str, str]:
    agents = [name for number in range(WORKSPACES) for name in names(f"w{number}")]
    own = {f"{name}.txt": f"{LINES}{name} is at 0\n{LINES}" for name in agents}
    common = "".join(f"{name} is at 0\n{LINES[:200]}\n" for name in agents)
    return {**own, "common.txt": common}


def _in_turns(made: Team, roots: Sequence[Path], seconds: float) -> tuple[Run, Run]:
    """Let both ways meet the same weather; each has files and a journal of its own."""
    (made.home / "alone").mkdir()
    for root in roots:
        git(made.home, "clone", "-q", str(made.main), f"alone/{root.name}")
    places = {"": [made.home / "alone" / root.name for root in roots], made.url: list(roots)}
    runs: dict[str, list[Run]] = {"": [], made.url: []}
    for _ in range(SLICES):
        for url, own in places.items():
            runs[url].append(_run(made, own, url, seconds / SLICES))
    return Run.of(runs[""]), Run.of(runs[made.url])


def _run(made: Team, roots: Sequence[Path], url: str, seconds: float) -> Run:
    command = [sys.executable, "-m", "bench.shared_agents"]
    started = [
        subprocess.Popen(
            [*command, str(root), str(made.home / f"state{bool(url)}"), url, str(seconds)],
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for root in roots
    ]
    found = [json.loads(process.communicate()[0]) for process in started]
    return Run.of(
        Run(tuple(each["edits"]), tuple(each["reads"]), each["refused"]) for each in found
    )


def _anomalies(made: Team, roots: Sequence[Path]) -> int:
    """Count the edits that a file has and the shared journal has not, or has twice."""
    wrong = 0
    for root in roots:
        sharing = Sharing(made.url, machine=root.name)
        engine = Engine.open(root, made.home / "stateTrue", TreeOptions(sharing=sharing))
        engine.history(HistoryRequest(limit=1))
        engine.close()
    with psycopg.connect(made.url) as connection:
        query = """SELECT e.actor, convert_from(t.path, 'utf8'), count(DISTINCT e.token), count(*)
            FROM keyhole.entry e JOIN keyhole.touch t USING(project, number) GROUP BY 1, 2"""
        rows = connection.execute(query).fetchall()
    known = {(actor, path): (distinct, total) for actor, path, distinct, total in rows}
    for root in roots:
        for name in names(root.name):
            for path in (f"{name}.txt", "common.txt"):
                text = (root / path).read_text(encoding="utf-8")
                count = int(text.partition(f"{name} is at ")[2].partition("\n")[0])
                wrong += known.get((name, path), (0, 0)) != (count, count)
    return wrong


def _growth(home: Path, urls: Sequence[str]) -> float:
    """Print what an edit costs, sent and all, with few and with many rows on the server."""
    with ExitStack() as stack:
        engines = []
        for url, rows in zip(urls, (FEW, MANY), strict=True):
            place = home / f"rows{rows}"
            place.mkdir()
            made = stack.enter_context(team(place, url, {"f.txt": LINES}))
            engines.append(made.open(made.main, "grown"))
            edit(engines[-1], _line(0), "number zero\n")
            _fill(url, rows)
        times = [[_cost(engine, number) for engine in engines] for number in range(1, 150)]
    few = statistics.median([pair[0] for pair in times])
    many = statistics.median([pair[1] for pair in times])
    print(f"an edit and its sending at {FEW:,} rows: {1000 * few:.2f} ms")
    print(f"an edit and its sending at {MANY:,} rows: {1000 * many:.2f} ms, {many / few:.2f} times")
    return many / few


def _line(number: int) -> str:
    return f"a line of the file, number {number}\n"


def _fill(url: str, rows: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            """INSERT INTO keyhole.entry(project, number, workspace, source, local, token, time,
                actor, task, tool, state, branch, base, body)
            SELECT p.id, p.last + n, w.id, s.id, 1000000 + p.last + n, md5((p.last + n)::text), n,
                'actor' || n %% 100, 'task' || n %% 1000, 'edit', 'applied', 'main', '', '{}'
            FROM keyhole.project p, keyhole.workspace w, keyhole.source s,
                generate_series(1, %s - p.last) n""",
            (rows,),
        )
        connection.execute(
            """INSERT INTO keyhole.touch(project, path, number, workspace, before, after)
            SELECT project, ('src/file' || number % 5000)::bytea, number, workspace + 1000,
                substring(sha256(number::text::bytea) FOR 8), substring(sha256(token::bytea) FOR 8)
            FROM keyhole.entry e WHERE NOT EXISTS (
                SELECT FROM keyhole.touch t WHERE t.project = e.project AND t.number = e.number)"""
        )
        connection.execute("UPDATE keyhole.project SET last = %s", (rows,))
        connection.execute("ANALYZE")
        connection.execute("CHECKPOINT")


def _cost(engine: Engine, number: int) -> float:
    started = time.perf_counter()
    edit(engine, _line(number), f"number {number}.\n", "t")
    return time.perf_counter() - started


def _p(times: Sequence[float], percent: int) -> float:
    return sorted(times)[len(times) * percent // 100]


def _print(name: str, run: Run, seconds: float) -> None:
    edits, reads = len(run.edits) / seconds, len(run.reads) / seconds
    print(
        f"{name}: {edits:.0f} edits/s, p50 {1000 * _p(run.edits, 50):.1f} ms, "
        f"p99 {1000 * _p(run.edits, 99):.1f} ms; {reads:.0f} reads/s, "
        f"p50 {1000 * _p(run.reads, 50):.1f} ms"
    )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
