"""Judge keyhole and its rivals by the suite, and write docs/comparison.md.

python -m bench.compare HOME [ENGINE...]
python -m bench.compare HOME --alone ENGINE

HOME is where the rivals are installed, once, in the versions that the suite names. With engines
named, only those run anew; the page is written from the newest report of each. An engine alone is
installed, judged and measured, and its figures are printed; no page is written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.compare_page import page
from bench.mcp_tokens import counted
from edit_suite.engines.table import ENGINES, NPM, PIP

ROOT = Path(__file__).parent.parent
TOKENIZER = "gpt-tokenizer@4.0.0"
_FLAGS = ["--no-fund", "--no-audit", "--silent", "--ignore-scripts"]


def install(home: Path, engines: Iterable[str] = (*NPM, *PIP)) -> None:
    """Install rivals where they are not yet."""
    home.mkdir(parents=True, exist_ok=True)
    package = home / "package.json"
    if not package.exists():
        # One of the dependencies asks for a version that not every registry has.
        versions = {"overrides": {"typedarray.prototype.slice": "1.0.5"}}
        package.write_text(json.dumps(versions), encoding="utf-8")
    for name in (*(NPM[engine] for engine in engines if engine in NPM), TOKENIZER):
        if not (home / "node_modules" / name.rpartition("@")[0]).exists():
            subprocess.run(["npm", "install", "--prefix", str(home), *_FLAGS, name], check=True)
    for engine in (each for each in engines if each in PIP):
        place = home / engine.partition("-")[0]
        if not place.exists():
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            pip = [str(place / "bin" / "pip"), "install", "--quiet"]
            subprocess.run([*pip, "--disable-pip-version-check", PIP[engine]], check=True)


def command(what: str, engine: str, home: Path) -> list[str]:
    """Return a command of the suite."""
    return [".venv/bin/python", "-m", "edit_suite", what, engine, "--home", str(home)]


def judged(engine: str, home: Path) -> str:
    """Run the suite on an engine, keep its report, and return its figures."""
    results = home / "results"
    results.mkdir(exist_ok=True)
    run = [*command("run", engine, home), "--json", str(results / f"{engine}.json")]
    done = subprocess.run(run, cwd=ROOT, env=_env(), check=False, stdout=subprocess.PIPE)
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{engine}: {done.stdout.decode()}")
    return done.stdout.decode().rstrip("\n")


def measured(engine: str, home: Path) -> dict[str, Any]:
    """Return what a start and an edit take, and the tokens of tools and answer."""
    run = command("measure", engine, home)
    done = subprocess.run(run, cwd=ROOT, env=_env(), check=True, stdout=subprocess.PIPE)
    cost: dict[str, Any] = json.loads(done.stdout)
    tools, answer = counted(home, [cost.pop(name) for name in ("tools", "answer")])
    return cost | {"tools_tokens": tools, "answer_tokens": answer}


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "suite" / "src")}


def _report(kept: Path) -> dict[str, Any]:
    """Return a report that was kept, with the day on which it was made."""
    report: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return {**report, "on": datetime.fromtimestamp(kept.stat().st_mtime, UTC).date().isoformat()}


def alone(home: Path, engine: str) -> None:
    """Print the figures of one engine."""
    install(home, [engine])
    print(judged(engine, home))
    for name, value in measured(engine, home).items():
        print(f"{name.replace('_', ' ')}: {value or '-'}")


def main(home: Path, engines: list[str]) -> int:
    """Judge the engines that are named, all if none is, measure all, and write the page."""
    install(home)
    for engine in engines or [name for name in ENGINES if name != "reference"]:
        print("\n".join(judged(engine, home).split("\n")[-2:]), engine, flush=True)
    kept = [home / "results" / f"{name}.json" for name in ENGINES]
    reports = [_report(each) for each in kept if each.exists()]
    # One after another, so that all of them meet the same machine; our other sets cost the same.
    costs = [
        each
        if each["engine"].startswith("keyhole-")
        else {**each, "cost": measured(each["engine"], home)}
        for each in reports
    ]
    for path, text in page(costs).items():
        (ROOT / "docs" / path).write_text(text, encoding="utf-8")
    ours = [each for each in reports if each["engine"].startswith("keyhole")]
    trials = sum("harm" in row for each in ours for row in each["trials"])
    return 1 if trials or any(each["sequential"]["harm"] for each in ours) else 0


if __name__ == "__main__":
    where, *rest = sys.argv[1:]
    match rest:
        case ["--alone", one]:
            alone(Path(where).absolute(), one)
        case _:
            sys.exit(main(Path(where).absolute(), rest))
