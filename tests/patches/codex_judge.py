"""Random V4A patches in the forms that models write, carried out by codex itself: same bytes.

    python -m tests.patches.codex_judge CODEX [TRIES] [SEED]

`CODEX` is the native program of `@openai/codex`. Where it carries a patch out as it was meant,
keyhole leaves the same bytes or refuses; where it does not, keyhole does what was meant or
refuses. `judged.json` beside this file has a share of the verdicts.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.patches.detect import parse
from keyhole.refusals import Refused
from keyhole.text.document import Document

JUDGED = Path(__file__).with_name("judged.json")
_NAMES = ("load", "save", "run", "close")
_KEPT_FOR_CI = 80
Lines = list[str]


def file_of(rng: random.Random) -> Lines:
    """Return the lines of a file whose functions repeat each other's lines."""
    lines: Lines = []
    for number in range(rng.randint(2, 5)):
        if rng.random() < 0.5:
            lines += [f"class {rng.choice('ABC')}{number}:", ""]
        lines += [f"def {rng.choice(_NAMES)}(path):"]
        tab = rng.choice(["    ", "    ", "\t"])
        body = ["return None", f"value = {number}", "check(path)", "for x in path:", ""]
        lines += [
            f"{tab}{rng.choice(body)}" if rng.random() < 0.9 else ""
            for _ in range(rng.randint(1, 5))
        ]
        lines += [""] * rng.randint(0, 2)
    return lines


def hunk_of(rng: random.Random, lines: Lines, at: int, meant: list[str]) -> tuple[Lines, int]:
    """Return a hunk that changes the line `at`, also in `meant`, and the line behind the hunk."""
    above = lines[max(0, at - rng.randint(0, 3)) : at]
    below = lines[at + 1 : at + 1 + rng.randint(0, 3)]
    how = rng.choice(["replace", "delete", "add"])
    old = [f" {lines[at]}" if how == "add" else f"-{lines[at]}"]
    new = [] if how == "delete" else [f"+{lines[at]}  # {rng.randint(1, 99)}"]
    kept = f"{lines[at]}\n" if how == "add" else ""
    meant[at] = kept + "".join(f"{line[1:]}\n" for line in new)
    marked = [*(f" {line}" for line in above), *old, *new, *(f" {line}" for line in below)]
    return marked, at + 1 + len(below)


def _anchor(rng: random.Random, lines: Lines, at: int) -> str:
    above = [line for line in lines[: max(at, 1)] if line.strip()] or ["nothing"]
    return rng.choice(above[-4:])


def form_of(rng: random.Random, lines: Lines, hunk: Lines, at: int) -> Lines:
    """Return a hunk with its `@@` line, in one of the forms that models write."""
    anchor = _anchor(rng, lines, at)
    forms: Sequence[Callable[[], Lines]] = (
        lambda: ["@@", *hunk],
        lambda: [f"@@ {anchor}", *hunk],
        lambda: [f"@@ {hunk[0][1:]}", *hunk],
        lambda: ["@@", f" {anchor}", "@@", *hunk],
        lambda: ["", "@@", *hunk],
        lambda: ["@@", *(line[1:] if line[:1] == " " else line for line in hunk)],
        lambda: [f"@@ -{at + 1},{len(hunk)} +{at + 1},{len(hunk)} @@ {anchor}", *hunk],
        lambda: ["@@ @@", *hunk],
        lambda: [f"@@ {anchor[: len(anchor) // 2 + 1]}", *hunk],
        lambda: ["@@", *(line.replace("\t", "\\t") for line in hunk)],
        lambda: ["***", "@@", *hunk],
    )
    return rng.choice(forms)()


def patch_of(rng: random.Random, lines: Lines) -> tuple[str, str]:
    """Return a patch of one to three hunks, and the text that it is meant to leave."""
    body: Lines = []
    meant = [f"{line}\n" for line in lines]
    at = 0
    for _ in range(rng.randint(1, 3)):
        if at >= len(lines) - 1:
            break
        at = rng.randint(at, len(lines) - 1)
        hunk, behind = hunk_of(rng, lines, at, meant)
        body += form_of(rng, lines, hunk, at)
        at = behind
    pad, end = rng.choice(["", "", "  "]), rng.choice(["", "", " "])
    head = ["*** Begin Patch", f"{pad}*** Update File: f.txt"]
    return "\n".join([*head, *body, f"{end}*** End Patch"]), "".join(meant)


def by_keyhole(before: str, patch: str) -> str | None:
    """Return what keyhole makes of a file, None where it refuses."""
    try:
        plan = resolve(parse(patch), Snapshot({"f.txt": Document.from_bytes(before.encode())}))
    except Refused:
        return None
    after = plan.files[0].after
    return after.text if after else None


def by_codex(codex: str, before: str, patch: str) -> str | None:
    """Return what codex makes of a file, None where it refuses."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "f.txt")
        file.write_text(before, encoding="utf-8", newline="")
        done = subprocess.run(
            [codex, "--codex-run-as-apply-patch", patch],
            cwd=directory,
            capture_output=True,
            check=False,
        )
        return None if done.returncode else file.read_bytes().decode()


def verdict_of(theirs: str | None, ours: str | None, meant: str) -> str:
    """Name what the two made of a patch."""
    if ours is None:
        return "both refuse" if theirs is None else "keyhole refuses"
    if ours != meant:
        return "DIFFERS"
    return "same" if theirs == ours else "codex refuses" if theirs is None else "codex misplaces"


def main(codex: str, tries: int, seed: str) -> int:
    """Compare, print the counts, and keep a share of the verdicts; 1 if bytes differ."""
    rng, found = random.Random(seed), Counter[str]()
    kept: list[dict[str, str]] = []
    for _ in range(tries):
        lines = file_of(rng)
        before = "\n".join([*lines, ""])
        patch, meant = patch_of(rng, lines)
        theirs, ours = by_codex(codex, before, patch), by_keyhole(before, patch)
        verdict = verdict_of(theirs, ours, meant)
        found[verdict] += 1
        if verdict == "DIFFERS":
            print(before, patch, theirs, ours, sep="\n-----\n")  # noqa: T201
        if verdict == "same" and len(kept) < _KEPT_FOR_CI:
            kept.append({"before": before, "patch": patch, "after": meant})
    print(dict(found))  # noqa: T201
    JUDGED.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
    return int(found["DIFFERS"] > 0)


if __name__ == "__main__":
    tries, seed = (*sys.argv[2:], "1000", "codex")[:2] if len(sys.argv) < 4 else sys.argv[2:4]
    sys.exit(main(sys.argv[1], int(tries), seed))
