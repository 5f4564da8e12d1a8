"""Judge keyhole and its rivals by the suite, and write docs/comparison.md.

python -m bench.compare HOME [ENGINE...]

HOME is where the rivals are installed, once, in the versions that the suite names. With engines
named, only those run anew; the page is written from the newest report of each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.compare_page import page
from bench.mcp_tokens import counted
from edit_suite.engines.table import ENGINES, NPM, PIP

ROOT = Path(__file__).parent.parent
SHOWN = Path(".venv/rivals")
TOKENIZER = "gpt-tokenizer@4.0.0"
_FLAGS = ["--no-fund", "--no-audit", "--silent", "--ignore-scripts"]


def install(home: Path) -> None:
    """Install the rivals where they are not yet."""
    home.mkdir(parents=True, exist_ok=True)
    package = home / "package.json"
    if not package.exists():
        # One of the dependencies asks for a version that not every registry has.
        versions = {"overrides": {"typedarray.prototype.slice": "1.0.5"}}
        package.write_text(json.dumps(versions), encoding="utf-8")
    for name in (*NPM.values(), TOKENIZER):
        if not (home / "node_modules" / name.rpartition("@")[0]).exists():
            subprocess.run(["npm", "install", "--prefix", str(home), *_FLAGS, name], check=True)
    for engine, name in PIP.items():
        place = home / engine.partition("-")[0]
        if not place.exists():
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            pip = [str(place / "bin" / "pip"), "install", "--quiet"]
            subprocess.run([*pip, "--disable-pip-version-check", name], check=True)


def command(engine: str, home: Path = SHOWN) -> list[str]:
    """Return the command that makes an engine's figures again."""
    return [".venv/bin/python", "-m", "edit_suite", "run", engine, "--home", str(home)]


def judged(engine: str, home: Path) -> None:
    """Run the suite on an engine and keep its report."""
    results = home / "results"
    results.mkdir(exist_ok=True)
    run = [*command(engine, home), "--json", str(results / f"{engine}.json")]
    done = subprocess.run(run, cwd=ROOT, env=_env(), check=False, stdout=subprocess.PIPE)
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{engine}: {done.stdout.decode()}")
    print("\n".join(done.stdout.decode().split("\n")[-4:-2]), engine, flush=True)


def measured(engine: str, home: Path) -> dict[str, Any]:
    """Return what a start and an edit take, and the tokens of tools and answer."""
    program, flag, module, *_ = command(engine, home)
    run = [program, flag, module, "measure", engine, "--home", str(home)]
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


def main(home: Path, engines: list[str]) -> int:
    """Judge the engines that are named, all if none is, measure all, and write the page."""
    install(home)
    for engine in engines or [name for name in ENGINES if name != "reference"]:
        judged(engine, home)
    kept = [home / "results" / f"{name}.json" for name in ENGINES]
    reports = [_report(each) for each in kept if each.exists()]
    # One after another, so that all of them meet the same machine.
    costs = [{**each, "cost": measured(each["engine"], home)} for each in reports]
    for path, text in page(costs, lambda engine: " ".join(command(engine))).items():
        (ROOT / "docs" / path).write_text(text, encoding="utf-8")
    ours = [each for each in reports if each["engine"].startswith("keyhole")]
    trials = sum("harm" in row for each in ours for row in each["trials"])
    return 1 if trials or any(each["sequential"]["harm"] for each in ours) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute(), sys.argv[2:]))
