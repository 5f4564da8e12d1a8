"""Renames in Go, C and C++, held against what gopls and clangd do alone, and their compilers.

python -m bench.compiled TARBALLS [SHARE]    what `make sweeps` runs, on sources of npm there
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.renames import FLAGS, Tally, compared, compilings, together

RENAMES = 60
_NEEDS = {"go": ("gopls", "go"), "c": ("clangd", "gcc"), "cpp": ("clangd", "g++")}
# Packages of Go's own library that need nothing of its insides, but for what is among them.
_GO = (
    *("bufio", "container/list", "encoding/asn1", "encoding/csv", "encoding/xml", "go/ast"),
    *("go/scanner", "go/token", "html", "image", "image/color", "image/png", "internal/fmtsort"),
    *("net/mail", "net/textproto", "regexp", "regexp/syntax", "text/tabwriter", "text/template"),
    "text/template/parse",
)
_MODULE = "example.com/copied"
# Each directory of a tarball with the flags that its sources need.
_C = (
    ("tree-sitter", "c", "package/vendor/tree-sitter/lib", ("-Isrc", "-Iinclude")),
    (
        "leveldown",
        "cpp",
        "package/deps/leveldb/leveldb-1.20",
        ("-xc++", "-I.", "-Iinclude", "-DOS_LINUX", "-DLEVELDB_PLATFORM_POSIX", "-std=c++11"),
    ),
)


def copied_go(into: Path) -> Path:
    """Return a module of Go with packages of its library, which import each other."""
    root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True)
    place = into / "go-library"
    known = "|".join(sorted(_GO, key=len, reverse=True))
    for package in _GO:
        for file in (Path(root.stdout.strip()) / "src" / package).glob("*.go"):
            text = file.read_text(encoding="utf-8")
            text = re.sub(rf'"({known})"', rf'"{_MODULE}/\1"', text)
            if '"internal/' not in text and not file.name.startswith("example"):
                (place / package).mkdir(parents=True, exist_ok=True)
                (place / package / file.name).write_text(text, encoding="utf-8")
    (place / "go.mod").write_text(f"module {_MODULE}\n\ngo 1.19\n", encoding="utf-8")
    return place


def unpacked_c(tarballs: Path, into: Path) -> Iterator[tuple[Path, str]]:
    """Yield the sources of each package, with the commands that compile them."""
    for name, family, part, flags in _C:
        place = into / name
        for tarball in sorted(tarballs.glob(f"{name}-*.tgz")):
            with tarfile.open(tarball) as archive:
                archive.extractall(into / "tarballs", filter="data")
            shutil.move(into / "tarballs" / part, place)
            shutil.rmtree(into / "tarballs")
            (place / FLAGS).write_text("\n".join(flags), encoding="utf-8")
            for words in [*compilings(place, family)]:
                is_test = words[-1].endswith(("_test.cc", "_bench.cc"))
                done = subprocess.run(words, cwd=place, capture_output=True, check=False)
                if done.returncode or is_test:  # others are for another platform
                    (place / words[-1]).unlink()
            yield place, family


def missing(family: str) -> str:
    """Return what a language cannot be measured without."""
    return ", ".join(each for each in _NEEDS[family] if not shutil.which(each))


def main(words: list[str]) -> int:
    """Run the share that is asked for; 1 if anything is wrong."""
    tarballs, share = Path(words[0]), int(words[1]) if len(words) > 1 else 100
    os.environ.update(GOFLAGS="-mod=mod", GOPROXY="off", GO111MODULE="on")
    tally = Tally()
    with tempfile.TemporaryDirectory() as made:
        base = Path(made).resolve()
        (base / "packages").mkdir()
        packages = [] if missing("go") else [(copied_go(base / "packages"), "go")]
        if not missing("c"):
            packages += unpacked_c(tarballs, base / "packages")
        for family in _NEEDS:
            if lacks := missing(family):
                sys.stdout.write(f"{family}: NOT MEASURED, there is no {lacks}\n")
        for package, family in packages:
            began, known = perf_counter(), len(tally.wrong)
            count = -(-RENAMES * share // 100 // len(packages))
            chosen = compared(package, family, count, base, tally)
            together(package, family, chosen, base, tally)
            wrong, took = len(tally.wrong) - known, perf_counter() - began
            sys.stdout.write(
                f"{package.name}: {len(chosen)} the same, {wrong} wrong, {took:.0f} s\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"{dict(tally.counts)}\nrust: NOT MEASURED, no index has rust-analyzer\n")
    sys.stdout.writelines(f"refused: {row}\n" for row in tally.refusals)
    sys.stdout.writelines(f"new by the server's own edits too: {row}\n" for row in tally.own)
    sys.stdout.writelines(f"WRONG: {row}\n" for row in tally.wrong)
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
