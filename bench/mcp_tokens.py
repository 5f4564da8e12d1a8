"""What answers cost a model to read, in tokens: ours in both forms, beside the filesystem server's.

Hosts hand a model the text of an answer, its structured content, or both. The files are those in
`samples/`; the tokens are those of `gpt-tokenizer` (o200k), whose data its npm package ships.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from mcp import Client

from bench.mcp_bench import KEYHOLE, Bench
from keyhole.fastclasses import dataclass

SAMPLES = Path(__file__).with_name("samples")
FILE, NOTES = "retry.py", "notes.md"
OLD, NEW = "self.pause *= 2", "self.pause *= 3"
_COUNT = """
const { encode } = require("gpt-tokenizer");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
"""


@dataclass(frozen=True, slots=True)
class Question:
    """One call of ours, the one that does the same elsewhere, and what ours may cost."""

    name: str
    tool: str
    given: dict[str, Any]
    other: str = ""
    other_given: dict[str, Any] | None = None
    limit: int = 0
    # How often it is asked of new files: hashes and ids differ in tokens, and the median counts.
    times: int = 1


def questions() -> list[Question]:
    """Return the calls; those without a limit are there to compare."""
    notes = (SAMPLES / NOTES).read_text(encoding="utf-8")
    edit = {"find": OLD, "content": NEW}
    return [
        Question("outline of 40 lines", "outline", {"path": FILE}, limit=120),
        Question(
            "edit of one line",
            "edit",
            {"path": FILE, "edits": [edit]},
            "edit_file",
            {"path": FILE, "edits": [{"oldText": OLD, "newText": NEW}]},
            limit=85,
        ),
        Question(
            "write of a new file",
            "write",
            {"path": NOTES, "content": notes},
            "write_file",
            {"path": NOTES, "content": notes},
            limit=45,
            times=25,
        ),
        Question("read of 40 lines", "read", {"path": FILE}, "read_text_file", {"path": FILE}),
        Question("refusal", "edit", {"path": FILE, "edits": [edit | {"find": "self.pause /= 2"}]}),
    ]


async def forms(client: Client, tool: str, given: dict[str, Any]) -> tuple[str, str]:
    """Return an answer as hosts hand it on: its text, and its structured content."""
    answer = await client.call_tool(tool, given)
    text = "".join(getattr(part, "text", "") for part in answer.content)
    data = answer.structured_content
    return text, json.dumps(data, separators=(",", ":"), ensure_ascii=False) if data else ""


async def answers(bench: Bench, files: list[str]) -> list[list[tuple[str, ...]]]:
    """Return for each question, as often as it is asked, our two forms, then theirs."""
    found: list[list[tuple[str, ...]]] = []
    for name in ("ours", "theirs"):
        (bench.root / name).mkdir()
        shutil.copy(SAMPLES / f"{FILE}.sample", bench.root / name / FILE)
    async with (
        bench.client(KEYHOLE, "mcp", "--root", str(bench.root / "ours")) as ours,
        bench.client(*files, str(bench.root / "theirs")) as theirs,
    ):
        for one in questions():
            found.append([])
            for number in range(one.times):
                own = await forms(ours, one.tool, _asked(one.given, number))
                given = _asked(one.other_given or {}, number)
                given["path"] = str(bench.root / "theirs" / str(given.get("path")))
                other = await forms(theirs, one.other, given) if one.other else ()
                found[-1].append((*own, *other))
                if one.times > 1:  # what is written again is a new file each time
                    for name in ("ours", "theirs"):
                        (bench.root / name / str(one.given["path"])).unlink()
    return found


def _asked(given: dict[str, Any], number: int) -> dict[str, Any]:
    """Return the arguments of a call that is made again, with another text."""
    return {**given, "content": f"{given['content']}{number}\n"} if number else {**given}


def counted(home: Path, texts: list[str]) -> list[int]:
    """Return how many tokens each text is."""
    done = subprocess.run(
        ["node", "-e", _COUNT],
        input=json.dumps(texts),
        cwd=home,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return [int(number) for number in json.loads(done.stdout)]


def rows(home: Path, found: list[list[tuple[str, ...]]]) -> tuple[list[str], bool]:
    """Return the table of tokens, and whether every answer is within its limit."""
    heads = ("our text", "our data", "at most", "their text", "their data")
    lines, fits = [f"{'tokens':<22}" + "".join(f"{head:>12}" for head in heads)], True
    for one, asked in zip(questions(), found, strict=True):
        every = zip(*(counted(home, list(texts)) for texts in asked), strict=True)
        text, data, *others = (round(median(sizes)) for sizes in every)
        over = bool(one.limit) and max(text, data) > one.limit
        fits &= not over
        cells = [text, data, one.limit or "", *others]
        lines.append(f"{one.name:<22}{''.join(f'{cell:>12}' for cell in cells)}{'  OVER' * over}")
    return lines, fits
