"""Renames in real packages, held against what the same language server does by itself.

python -m bench.renames WHEELS TARBALLS SERVERS [SHARE] [PACKAGE...]    what `make sweeps` runs

Each rename is asked of another server, by a client of a few lines with the files open that have the
name, and what it answers is written as it stands. keyhole has to leave the same bytes, and take
them back by an undo. Methods that override it are asked of the server too: pyright leaves them.
Then the renames are made one after the other, and the checker of the server counts what is new.
What is new as well where the edits of the server are made, all at once, is its own: that is wrong
of keyhole too where it asks the server what is new, in Python, TypeScript and JavaScript.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from bench.judge import Changes, Edits, Named, Texts, edited, judge_of
from bench.sweeps import unpacked
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from keyhole.language_servers.desk import LanguageServers
from keyhole.phrases import render
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

ME = Options(actor="renames")
RENAMES = 300
_LEAST_NAME = 4
_KINDS = frozenset({"function", "class", "method", "interface", "type", "enum", "struct"})
_ENDINGS = {
    "python": (".py",),
    "script": (".ts", ".tsx", ".js", ".mjs"),
    "go": (".go",),
    "c": (".c", ".h"),
    "cpp": (".cc", ".h"),
}
_PROJECT = {
    "compilerOptions": {
        "allowJs": True,
        "checkJs": False,
        "noEmit": True,
        "strict": False,
        "skipLibCheck": True,
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "bundler",
        "types": [],
    },
    "include": ["**/*"],
}
Chosen = list[tuple[Named, Edits]]
# The flags of a package, as clangd looks for them.
FLAGS = "compile_flags.txt"
# Where a compiler sees what; a message repeats names.
_COMPILER = re.compile(r"^[^:\n]+:\d+(?::\d+)?: (?:error|warning|undefined|cannot)?", re.MULTILINE)
_FAULT = re.compile(r"(.+)\((\d+),\d+\): error (\w+)")


def symbols(root: Path, family: str, chance: random.Random) -> list[Named]:
    """Return the functions, classes, methods and types of a package, in a random order."""
    found = []
    for file in sorted(root.rglob("*")):
        if file.suffix not in _ENDINGS[family] or file.name.endswith(".d.ts"):
            continue
        path = str(file.relative_to(root))
        document = Document.from_bytes(file.read_bytes())
        for segment in outline(path, document).by_address.values():
            name = segment.path[-1] if segment.path else segment.name
            is_plain = name.isidentifier() and len(name) >= _LEAST_NAME and name[:2] != "__"
            if segment.kind in _KINDS and is_plain:
                start = document.text.find(name, segment.parts.get("signature", segment.span)[0])
                found.append(Named(path, segment.address, name, start))
    chance.shuffle(found)
    return found


def texts(root: Path, family: str) -> Texts:
    """Return every source of a package."""
    files = (each for each in sorted(root.rglob("*")) if each.suffix in _ENDINGS[family])
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


@contextmanager
def engine_of(root: Path, state: Path, environment: Mapping[str, str]) -> Iterator[Engine]:
    """Open a package with the language servers of the lock file, trusted."""
    tree = Tree.open(root, state_home=state)
    servers = LanguageServers(tree.root.path, str(tree.state), environment, seconds=200)
    engine = Engine(tree, None, lambda: servers)
    engine.administration.trust()
    try:
        yield engine
    finally:
        servers.close()
        engine.close()


@dataclass
class Tally:
    """What came of the renames of a run."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)


def compared(package: Path, family: str, count: int, base: Path, tally: Tally) -> Chosen:
    """Rename symbols by the server alone and by keyhole; return those where both did the same."""
    environment = dict(os.environ)
    copy = base / "copies" / package.name
    shutil.copytree(package, copy)
    before = texts(package, family)
    same: Chosen = []
    with (
        judge_of(family, copy, environment) as judge,
        engine_of(package, base / "state" / package.name, environment) as engine,
    ):
        for symbol in symbols(package, family, random.Random(package.name)):
            if len(same) >= count:
                break
            to = f"{symbol.name}Renamed"
            edits = judge.edits([symbol], to, before)
            if not edits or (expected := edited(before, edits)) == before:
                tally.counts["not renamed by the server"] += 1
                continue
            asked = Rename(symbol.path, symbol.segment, to)
            receipt = engine.refactoring.rename(asked, ME)
            label = f"{package.name} {symbol.path} {symbol.segment}"
            if not receipt.ok:
                tally.counts["refused"] += 1
                tally.refusals[f"{label}: {receipt.as_text().splitlines()[1][:200]}"] += 1
                continue
            after = texts(package, family)
            if after != expected and (more := _related(symbol, to, before, after)):
                tally.counts["with others that are called so"] += 1
                edits = judge.edits([symbol, *more], to, before) or edits
                expected = edited(before, edits)
            if after == expected:
                same.append((symbol, edits))
            else:
                tally.wrong.append(f"{label}: {_first_difference(package, family, expected)}")
            engine.undo(UndoRequest(receipt.transaction), ME)
            if texts(package, family) != before:
                tally.wrong.append(f"{label}: the undo left something")
    tally.counts["the same"] += len(same)
    return same


def _related(symbol: Named, to: str, before: Texts, after: Texts) -> list[Named]:
    """Return the other definitions of the name that keyhole has renamed too."""
    found = []
    for path, data in before.items():
        if symbol.name.encode() not in data or data == after[path]:
            continue
        document = Document.from_bytes(data)
        renamed = outline(path, Document.from_bytes(after[path])).by_address
        for address, segment in outline(path, document).by_address.items():
            new = f"{address.removesuffix(segment.path[-1] if segment.path else address)}{to}"
            if segment.path and segment.path[-1] == symbol.name and new in renamed:
                low = segment.parts.get("signature", segment.span)[0]
                start = document.text.find(symbol.name, low)
                found.append(Named(path, address, symbol.name, start))
    return found


def _first_difference(package: Path, family: str, expected: Texts) -> str:
    now = texts(package, family)
    for path, data in expected.items():
        pairs = zip(now[path].splitlines(), data.splitlines(), strict=False)
        for number, (ours, theirs) in enumerate(pairs, 1):
            if ours != theirs:
                return f"{path}:{number} keyhole has {ours[:120]!r}, the server {theirs[:120]!r}"
    return "the lines are the same"


def faults(package: Path, family: str) -> Counter[str]:
    """Return what the checker of the server finds in which lines of a package, names left out."""
    if family == "python":
        said = json.loads(_output(package, ["pyright", "--outputjson", "."]))["generalDiagnostics"]
        rows = (
            f"{os.path.relpath(row['file'], package)}:{row['range']['start']['line'] + 1}"
            f" {row.get('rule')}"
            for row in said
        )
        return Counter(rows)
    if family == "script":
        lines = _output(package, ["tsc", "--noEmit", "--pretty", "false", "--project", "."])
        found = (_FAULT.match(line) for line in lines.splitlines())
        return Counter(f"{each[1]}:{each[2]} {each[3]}" for each in found if each)
    commands = [["go", "vet", "./..."]] if family == "go" else [*compilings(package, family)]
    said = "".join(_output(package, words) for words in commands)
    return Counter(each[0] for each in _COMPILER.finditer(said))


def compilings(package: Path, family: str) -> Iterator[list[str]]:
    """Yield the commands that look through the sources of a package in C or C++."""
    flags = (package / FLAGS).read_text(encoding="utf-8").split()
    for file in sorted(package.rglob(f"*{_ENDINGS[family][0]}")):
        compiler = "gcc" if family == "c" else "g++"
        yield [compiler, "-fsyntax-only", *flags, str(file.relative_to(package))]


def _output(package: Path, words: list[str]) -> str:
    done = subprocess.run(
        words, cwd=package, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode(errors="replace")


def together(package: Path, family: str, chosen: Chosen, base: Path, tally: Tally) -> None:
    """Make all renames of a package, one after the other, and count what its checker finds new."""
    texts_before, before = texts(package, family), faults(package, family)
    with engine_of(package, base / "state" / package.name, dict(os.environ)) as engine:
        made, told = [], ""
        for symbol, edits in chosen:
            asked = Rename(symbol.path, symbol.segment, f"{symbol.name}Renamed")
            receipt = engine.refactoring.rename(asked, ME)
            tally.counts["made in a row" if receipt.ok else "not in a row"] += 1
            made += [edits] * receipt.ok
            told += "".join(f"{render(each)}, " for each in receipt.warnings)
    new = found = faults(package, family) - before
    if found:
        for path, data in edited(texts_before, _joined(made)).items():
            (package / path).write_bytes(data)
        new = found - faults(package, family)
    own = found - new
    tally.counts["new diagnostics"] += new.total()
    tally.counts["new by the server's own edits too"] += own.total()
    lines = (":".join(row.replace(" ", ":").split(":")[:2]) for row in found.elements())
    tally.counts["new, and their line told in a receipt"] += sum(
        f" {line}{end}" in told for line in lines for end in (",", " ")
    )
    tally.wrong += [f"{package.name}: new {row} x {count}" for row, count in new.items()]
    # keyhole asks these two what is new, and refuses such renames.
    kept = tally.wrong if family in {"python", "script"} else tally.own
    kept += [f"{package.name}: {row} x {count}" for row, count in own.items()]


def _joined(many: Iterable[Edits]) -> Edits:
    """Return edits as one; those of a rename that puts something else in a place are left out."""
    joined: Edits = {}
    for edits in many:
        if any(_is_crossed(joined.get(path, set()), some) for path, some in edits.items()):
            continue
        for path, some in edits.items():
            joined.setdefault(path, set()).update(some)
    return joined


def _is_crossed(one: Changes, other: Changes) -> bool:
    return any(a != b and a[0] < b[1] and b[0] < a[1] for a in one for b in other)


def scripts(tarballs: Path, into: Path) -> list[Path]:
    """Return the directories of packages of npm, with their sources in `src` and `lib`."""
    found = []
    for tarball in sorted(tarballs.glob("*.tgz")):
        place = into / tarball.name.rpartition("-")[0]
        with tarfile.open(tarball) as archive:
            archive.extractall(place, filter="data")
        sources = {part for name in ("src", "lib") for part in place.glob(f"package/{name}")}
        kept = place.with_name(f"{place.name}-sources")
        kept.mkdir()
        for part in sources:
            shutil.move(part, kept)
        shutil.rmtree(place)
        (kept / "tsconfig.json").write_text(json.dumps(_PROJECT), encoding="utf-8")
        found.append(kept)
    return found


def main(words: list[str]) -> int:
    """Run the share that is asked for; 1 if anything is wrong."""
    wheels, tarballs, servers = map(Path, words[:3])
    share = int(words[3]) if len(words) > 3 else 100
    os.environ["PATH"] = f"{servers.absolute()}{os.pathsep}{os.environ['PATH']}"
    tally, began = Tally(), perf_counter()
    with tempfile.TemporaryDirectory() as made:
        base = Path(made).resolve()
        packages = [(each, "python") for each in unpacked(wheels, base / "packages")]
        packages += [(each, "script") for each in scripts(tarballs, base / "packages")]
        wanted = set(words[4:])
        packages = [each for each in packages if not wanted or each[0].name in wanted]
        count = -(-RENAMES * share // 100 // len(packages))
        for package, family in packages:
            began_one, known = perf_counter(), len(tally.wrong)
            chosen = compared(package, family, count, base, tally)
            together(package, family, chosen, base, tally)
            took = perf_counter() - began_one
            wrong = len(tally.wrong) - known
            sys.stdout.write(
                f"{package.name}: {len(chosen)} the same, {wrong} wrong, {took:.0f} s\n"
            )
            sys.stdout.flush()
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{dict(tally.counts)} in {perf_counter() - began:.0f} s\n")
        sys.stdout.writelines(f"refused: {row}\n" for row in tally.refusals)
        sys.stdout.writelines(f"new by the server's own edits too: {row}\n" for row in tally.own)
        sys.stdout.writelines(f"WRONG: {row}\n" for row in tally.wrong)
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
