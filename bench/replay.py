"""Replay real commits as agents' edits: how many land right, are refused, recovered, or go WRONG.

    python -m bench.replay FILE.jsonl.gz

Each line of the file is a task: `before` is put on disk as `path`, the engine gets the payload and
nothing else, and the bytes afterwards are compared. The command fails if anything is WRONG.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from keyhole import Edit, Receipt, Refused, Workspace
from keyhole.answers.reading import Outlined
from keyhole.edits.model.operations import Operation
from keyhole.patches.detect import parse

Task = dict[str, object]
KINDS = {
    "markdown_section": {"section", "preamble"},
    "python_function": {"function"},
    "python_method": {"method"},
    "python_class": {"class"},
}
VERDICTS = ("right", "recovered", "refused", "WRONG")


def tasks(source: Path) -> Iterator[Task]:
    """Yield the tasks of a file."""
    with gzip.open(source, "rt", encoding="utf-8", newline="") as lines:
        for line in lines:
            yield json.loads(line)


def operations_of(task: Task) -> list[Operation] | None:
    """Return the payload as the engine's operations, or None for a format it does not read."""
    payload = task["payload"]
    assert isinstance(payload, dict)
    if str(task["format"]).startswith("search_replace"):
        return [Edit(find=edit["old"], content=edit["new"]) for edit in payload["edits"]]
    if task["format"] == "segment":
        return [Edit(segment=payload["segment_name"], content=payload["new_content"])]
    if task["format"] in {"unified_diff", "v4a"}:
        return list(parse(payload.get("diff") or payload["patch"]))
    return None


def run(task: Task, operations: list[Operation], directory: Path) -> str:
    """Carry one task out on disk and say what came of it."""
    path = directory / str(task["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    before, after = str(task["before"]).encode(), str(task.get("after") or "").encode()
    path.write_bytes(before)
    with Workspace(directory, actor="replay") as workspace:
        if not _is_of_kind(workspace, task):
            return "refused"
        receipt = workspace.edit(operations, path=str(task["path"]))
        verdict = judge(task, receipt, path.read_bytes(), before, after)
        if verdict != "refused" or task["expect"] == "refuse":
            return verdict
        return "recovered" if _recovers(workspace, receipt, operations, path, after) else "refused"


def _is_of_kind(workspace: Workspace, task: Task) -> bool:
    """Tell whether the segment is of the kind asked for; the segment format says which."""
    payload = task["payload"]
    assert isinstance(payload, dict)
    kinds = KINDS.get(payload.get("segment_type", ""))
    if not kinds:
        return True
    outlined = workspace.outline(str(task["path"]))
    assert isinstance(outlined, Outlined)
    reading = None
    with suppress(Refused):
        reading = workspace.read(str(task["path"]), segment=payload["segment_name"])
    rows = {row.address: row.kind for row in outlined.rows}
    return reading is None or rows[reading.segment] in kinds


def judge(task: Task, receipt: Receipt, now: bytes, before: bytes, after: bytes) -> str:
    """Compare bytes: what was asked for, nothing at all, or something else."""
    if not receipt.ok:
        return "refused" if now == before else "WRONG"
    if task["expect"] == "apply":
        return "right" if now == after else "WRONG"
    return "refused" if now == before else "WRONG"


def _recovers(
    workspace: Workspace, receipt: Receipt, edits: list[Operation], path: Path, after: bytes
) -> bool:
    """Accept the first candidate of each refused edit in one call, and compare."""
    accepted = {refusal.edit: refusal.candidates for refusal in receipt.refusals}
    finished = [
        Edit(accept=accepted[index][0].accept)
        if accepted.get(index) and accepted[index][0].accept
        else edit
        for index, edit in enumerate(edits)
    ]
    again = workspace.edit(finished, path=str(path.relative_to(workspace.root)))
    return again.ok and path.read_bytes() == after


def table(counts: dict[tuple[str, str, str], Counter[str]]) -> str:
    """Return the counts by class, and the sum for each format."""
    head = f"{'format':<20}{'perturbation':<20}{'expect':<8}" + "".join(
        f"{v:>11}" for v in VERDICTS
    )
    rows = [head]
    for (form, perturbation, expect), counter in sorted(counts.items()):
        cells = "".join(f"{counter[verdict]:>11}" for verdict in VERDICTS)
        rows.append(f"{form:<20}{perturbation:<20}{expect:<8}{cells}")
    rows += [_summary(form, counts) for form in sorted({key[0] for key in counts})]
    return "\n".join(rows)


def _summary(form: str, counts: dict[tuple[str, str, str], Counter[str]]) -> str:
    plain, typos, held, refuse, wrong = 0, 0, 0, 0, 0
    right = recovered = 0
    for (name, perturbation, expect), counter in counts.items():
        if name != form:
            continue
        wrong += counter["WRONG"]
        if expect == "refuse":
            refuse += counter.total()
            held += counter["refused"]
        elif perturbation.startswith("typo"):
            typos += counter.total()
            recovered += counter["recovered"] + counter["right"]
        else:
            plain += counter.total()
            right += counter["right"]
    return (
        f"{form}: right {right}/{plain} ({_share(right, plain)}), "
        f"typos recovered {recovered}/{typos} ({_share(recovered, typos)}), "
        f"must-refuse held back {held}/{refuse} ({_share(held, refuse)}), WRONG {wrong}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def main(source: Path) -> int:
    """Replay a file and print the table; fail on anything WRONG, and on a file without a task."""
    if not source.is_file():
        print(f"there is no {source}; name a recording: make replay REPLAY=FILE", file=sys.stderr)
        return 2
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    skipped: Counter[str] = Counter()
    for task in tasks(source):
        operations = operations_of(task)
        if operations is None:
            skipped[str(task["format"])] += 1
            continue
        key = str(task["format"]), str(task["perturbation"]), str(task["expect"])
        with tempfile.TemporaryDirectory() as scratch:
            verdict = run(task, operations, Path(scratch).resolve())
        counts.setdefault(key, Counter())[verdict] += 1
        if verdict == "WRONG":
            print(f"WRONG: {task['id']}", file=sys.stderr)
    print(table(counts))
    for form, number in sorted(skipped.items()):
        print(f"{form}: {number} tasks are of a format the engine does not read yet")
    ran = sum(counter.total() for counter in counts.values())
    print(f"{ran} tasks ran")
    return 1 if not ran or any(counter["WRONG"] for counter in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
