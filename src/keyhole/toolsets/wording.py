"""Words that interfaces share: refusals in their own names, warnings, headings, cut texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from keyhole.answers.reading import SegmentRow
from keyhole.answers.receipt import Receipt, conflict_text
from keyhole.edits.model.plan import RENEWED, TEMPLATE_FOUND
from keyhole.fastclasses import replace
from keyhole.phrases import Words, kind_of, render
from keyhole.refusals import Refusal

_USUAL = frozenset({TEMPLATE_FOUND, RENEWED})
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*)")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")


def respelled(refusals: Sequence[Refusal], names: Mapping[str, str]) -> tuple[Refusal, ...]:
    """Return refusals that call our fields by a dialect's names: `find` is its `old_string`."""
    words = Words(names)
    return tuple(each.in_words(words) for each in refusals)


def helped(refusals: Sequence[Refusal], help_by_code: Mapping[str, str]) -> tuple[Refusal, ...]:
    """Return refusals with a dialect's own next move, offering nothing it could not take up."""
    return tuple(
        replace(
            each,
            help=help_by_code.get(each.code, each.mend or each.help),
            mend="",
            candidates=tuple(replace(one, accept="") for one in each.candidates),
        )
        for each in refusals
    )


def at_home(refusals: Sequence[Refusal], create: str) -> tuple[Refusal, ...]:
    """Return refusals without moves that a dialect lacks: other modes, tools of our own.

    `create` says how files are made there.
    """
    return tuple(replace(each, help=_move(each, create), mend="") for each in refusals)


def _move(refusal: Refusal, create: str) -> str:
    if refusal.code == "no-file":
        return (
            "name a file in it" if refusal.kind == "directory" else f"check the path, or {create}"
        )
    if refusal.code == "not-text":
        return "name a file that is text"
    return refusal.mend or refusal.help


def refusal_text(refusal: Refusal) -> str:
    """Return a refusal as one text: what is so, where, what is near, what to do."""
    return "\n".join(filter(None, [refusal.headline, refusal_details(refusal)]))


def refusal_details(refusal: Refusal) -> str:
    """Return what a refusal says below its headline."""
    near = [
        f"nearest: lines {each.lines[0]}-{each.lines[1]}\n{each.text}"
        for each in refusal.candidates
    ]
    files = nearest_files(refusal)
    return "\n".join(filter(None, [refusal.where, *near, files, refusal.help]))


def nearest_files(refusal: Refusal) -> str:
    """Return the files most like one that is not there, in words."""
    is_missing = refusal.code == "no-file" and refusal.suggestions
    return f"near: {', '.join(refusal.suggestions)}" if is_missing else ""


def met(receipt: Receipt) -> list[str]:
    """Return what a receipt says of each edit of another task that the call met."""
    return ["\n".join(conflict_text(each)) for each in receipt.conflicts]


def worth_a_look(receipt: Receipt) -> list[str]:
    """Return what a call on one file brought: warnings, findings, other tasks' edits it met."""
    file = receipt.files[0]
    found = [f"{each['severity']}: {each['message']}" for each in file.diagnostics]
    return [*receipt.warnings, *file.plan.warnings, *found, *met(receipt)]


def is_proposed(receipt: Receipt) -> bool:
    """Tell whether a person decides about a call first: until then the files are as they were."""
    return receipt.outcome == "proposed"


def hash_now(receipt: Receipt) -> str:
    """Return the hash that the file of a call has by now."""
    file = receipt.files[0]
    return file.hash_before if is_proposed(receipt) else file.hash_after


def in_truth(receipt: Receipt, done: str) -> str:
    """Return what a call did, said of one that only asks for it as what it is."""
    return f"Proposed, not written yet: {done}" if is_proposed(receipt) else done


def noted(receipt: Receipt, words: Words) -> list[str]:
    """Return the notes of edits; what a template does to every edit of its files is none."""
    notes = (note for edit in receipt.files[0].plan.edits for note in edit.notes)
    return [render(note, words) for note in notes if kind_of(note) not in _USUAL]


def status_of(receipt: Receipt) -> str:
    """Return what the documents of two dialects call the outcome of a call on one file."""
    same = receipt.files[0].plan.is_unchanged or is_proposed(receipt)
    return "unchanged" if same else "success"


def cut(text: str, most: int) -> str:
    """Return a text of at most this many characters, and dots if it had more."""
    return text if len(text) <= most else f"{text[:most]}..."


def plural(count: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def heading(row: SegmentRow, rows: Sequence[str]) -> dict[str, object]:
    """Return a heading with its level and its own text, however it is marked."""
    first, last = row.parts["heading"]
    line = rows[first - 1]
    if match := _ATX.match(line):
        title = _CLOSING.sub("", match[2]).strip()
        return {"level": len(match[1]), "text": title, "line": first}
    words = [line.strip() for line in rows[first - 1 : last - 1]]
    level = 1 if rows[last - 1].lstrip().startswith("=") else 2
    return {"level": level, "text": " ".join(words), "line": first}
