"""Answers of `safe-edit`: receipts and refusals in its fields and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from keyhole.answers.file_receipt import FileReceipt
from keyhole.answers.reading import Reading
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, LineRange
from keyhole.fastclasses import replace
from keyhole.phrases import Words, render
from keyhole.refusals import Refusal
from keyhole.toolsets.safe_edit.requests import TYPES, SafeEditCall, SegmentEdit
from keyhole.toolsets.wording import (
    hash_now,
    met,
    nearest_files,
    noted,
    plural,
    refusal_text,
    respelled,
)

_PREVIEW = 10
_FORCE = 'to write it anyway, send the call again with mode "interactive"'
# What our fields are called in each way to edit.
_NAMES = {
    "search/replace": {"find": "search", "content": "replace"},
    "line_edits": {"content": "new_content"},
    "segment_edit": {"content": "new_content"},
}


def done(asked: SafeEditCall, receipt: Receipt) -> dict[str, object]:
    """Return the answer to a call that was carried out, or verified."""
    file = receipt.files[0]
    issues = [dict(each) for each in file.diagnostics]
    data: dict[str, object] = {
        "success": True,
        "path": file.path,
        "mode": asked.mode,
        "edit_mode": asked.way,
        "changed": not file.plan.is_unchanged,
        "written": receipt.outcome in {"applied", "committed_pending"},
        "message": _message(asked, receipt, file),
        "issues": issues,
        "warnings": [*receipt.warnings, *_notes(asked, receipt), *met(receipt)],
        "hash": hash_now(receipt),
        "transaction": receipt.transaction,
    }
    if asked.way == "search/replace":
        data["replacements"] = sum(edit.replaced for edit in file.plan.edits)
    if asked.way == "segment_edit":
        data["segment"] = file.plan.edits[0].segment
    if asked.show_diff:
        data["diff"] = file.diff
    return data


def _notes(asked: SafeEditCall, receipt: Receipt) -> list[str]:
    edits = receipt.files[0].plan.edits
    matched = [edit.matched for edit in edits if edit.matched != "exact"]
    names = _NAMES.get(asked.way, {})
    rungs = [f"matched {rung}" for rung in dict.fromkeys(matched)]
    return [*receipt.files[0].plan.warnings, *rungs, *noted(receipt, Words(names))]


def _message(asked: SafeEditCall, receipt: Receipt, file: FileReceipt) -> str:
    if file.plan.is_unchanged:
        return f"nothing to change in {file.path}"
    if receipt.dry_run:
        return f"verified: the edit of {file.path} passes, and nothing was written"
    if receipt.outcome == "proposed":
        return f"proposed: the edit of {file.path} waits for a person, and nothing was written"
    verb = "created" if file.plan.before is None else "saved"
    if asked.way == "search/replace":
        count = sum(edit.replaced for edit in file.plan.edits)
        return f"Replaced {plural(count, 'occurrence')} in {file.path}; {verb}"
    issues = f" with {plural(len(file.diagnostics), 'warning')}" if file.diagnostics else ""
    return f"{file.path} {verb}{issues}"


def not_found(asked: SafeEditCall, refusals: Sequence[Refusal]) -> dict[str, object] | None:
    """Return the answer to a search that found nothing, where that is only worth a warning."""
    missing = asked.way == "search/replace" and all(one.code == "not-found" for one in refusals)
    if not missing or asked.mode == "strict":
        return None
    warning = f"pattern not found in {asked.path}: nothing was changed"
    return {
        "success": True,
        "path": asked.path,
        "mode": asked.mode,
        "edit_mode": asked.way,
        "changed": False,
        "written": False,
        "message": warning,
        "issues": [],
        "warnings": [warning],
        "replacements": 0,
    }


class Look(Protocol):
    """The file as it stands, looked at only where that helps."""

    def head(self) -> Reading | None:
        """Return the beginning of the file."""

    def names(self, kinds: Sequence[str]) -> list[str]:
        """Return the addresses of its segments of these kinds, of all if none is said."""


def refused(asked: SafeEditCall, refusals: Sequence[Refusal], look: Look) -> dict[str, object]:
    """Return the answer to a call that was refused."""
    respelt = [_with_modes(one) for one in respelled(refusals, _NAMES.get(asked.way, {}))]
    errors = [_error(asked, refusal) for refusal in respelt]
    data: dict[str, object] = {
        "success": False,
        "path": asked.path,
        "mode": asked.mode,
        "edit_mode": asked.way,
        "error": "\n".join(errors),
        "code": respelt[0].code,
        "issues": [_issue(asked, refusal) for refusal in respelt],
    }
    if any(map(_can_be_forced, respelt)) and asked.mode == "strict":
        data["hint"] = _FORCE
    if diff := next((one.data["diff"] for one in respelt if "diff" in one.data), ""):
        data["diff"] = diff
    if respelt[0].suggestions and respelt[0].code not in {"wrong-segment-kind", "no-file"}:
        data["available_segments"] = list(respelt[0].suggestions)
    if respelt[0].code == "unparsable":
        names = look.names(_kinds(asked))
        data |= {"parse_error": respelt[0].headline, "available_segments": names}
        data["fallback_suggestion"] = {"mode": "line_edits"}
    is_search = asked.way == "search/replace" and respelt[0].code == "not-found"
    if is_search and (shown := look.head()):
        data["preview"] = _preview(shown)
    return data


def _with_modes(refusal: Refusal) -> Refusal:
    """Return a refusal without moves of our own interface: this one has a hint at its modes."""
    return replace(refusal, help=refusal.mend or refusal.help)


def _can_be_forced(refusal: Refusal) -> bool:
    """Tell whether mode interactive would write it: what has no place cannot be written at all."""
    return refusal.code == "shrinks" or refusal.kind == "check"


def _issue(asked: SafeEditCall, refusal: Refusal) -> dict[str, object]:
    known = {name: refusal.data[name] for name in ("line", "column") if name in refusal.data}
    message = refusal.headline
    if asked.way == "insert_lines" and refusal.edit is not None and "total_lines" in refusal.data:
        # The line that is named is the one that is asked for, not the one before it.
        known["line"] = _lines_of(asked, refusal.edit).first + 1
        message = _nowhere(asked, refusal)
    return {"severity": "error", "code": refusal.code, "message": message, **known}


def _preview(shown: Reading) -> str:
    rows = [f"{number}: {row}" for number, row in enumerate(shown.rows[:_PREVIEW], 1)]
    return "\n".join([*rows, f"... ({shown.total_lines} total lines)"])


def _error(asked: SafeEditCall, refusal: Refusal) -> str:
    """Return a refusal in the words of the document, where it has words for it."""
    say = _WORDS.get(refusal.code)
    words = say(asked, refusal) if say else ""
    return words or refusal_text(refusal)


def _no_file(asked: SafeEditCall, refusal: Refusal) -> str:
    missing = (
        f"{asked.path} does not exist, and {asked.way} needs a file: "
        "use content mode to create the file first"
    )
    return "\n".join(filter(None, [missing, nearest_files(refusal)]))


def _nowhere(asked: SafeEditCall, refusal: Refusal) -> str:
    total = refusal.data.get("total_lines")
    if asked.way == "line_edits" and total is not None:
        return f"Line {refusal.data['line']} is out of bounds (file has {total} lines)"
    if asked.way == "insert_lines" and isinstance(total, int) and refusal.edit is not None:
        at = _lines_of(asked, refusal.edit).first + 1
        return f"at_line {at} is out of bounds: valid are 1 to {total + 1}, which appends"
    if asked.way != "search/replace":
        return ""
    move = " (`^` and `$` mean lines with search_flags 8)" if asked.given.get("regex") else ""
    return f"pattern not found in {asked.path}{move}\n{refusal_text(refusal)}"


def _overlap(asked: SafeEditCall, refusal: Refusal) -> str:
    pair = refusal.data.get("edits")
    if asked.way != "line_edits" or not isinstance(pair, list):
        return ""
    lines = [(index, _lines_of(asked, index)) for index in pair]
    ranges = [f"line_edits[{index}] (lines {own.first}-{own.last})" for index, own in lines]
    return f"{' and '.join(ranges)} overlap: make one of them"


def _lines_of(asked: SafeEditCall, index: int) -> LineRange:
    edit = asked.operations[index]
    assert isinstance(edit, Edit), "BUG: line edits are edits"
    assert isinstance(edit.lines, LineRange), "BUG: line edits have lines"
    return edit.lines


def _unknown(asked: SafeEditCall, refusal: Refusal) -> str:
    name = SegmentEdit.of(asked.given.get("segment_edit")).segment_name
    listed = ", ".join(refusal.suggestions) or "none"
    close = ", ".join(each.segment for each in refusal.candidates)
    near = f"\nnearest: {close}" if close else ""
    return (
        f"Segment {name!r} not found in {asked.path}.{near}\n"
        f"Available segments: {listed}\nTip: check spelling and capitalization."
    )


def _several(asked: SafeEditCall, refusal: Refusal) -> str:
    if asked.way != "segment_edit":
        return ""
    wanted = SegmentEdit.of(asked.given.get("segment_edit"))
    name = wanted.segment_name
    lines = [candidate.lines[0] for candidate in refusal.candidates]
    rows = [
        f"  - {address} (line {line})"
        for address, line in zip(refusal.suggestions, lines, strict=False)
    ]
    listed = "\n".join(rows)
    is_python = TYPES[wanted.segment_type][1] == "python"
    how = "'Class.method', or one of these" if is_python else "'Parent::Child', or one of these"
    return f"Multiple segments match {name!r}:\n{listed}\nUse hierarchical name: {how}"


_NO_TYPE = "No segment type is for"
_BY_TEXT = "use line_edits, or search with replace"


def _kind(asked: SafeEditCall, refusal: Refusal) -> str:
    wanted = SegmentEdit.of(asked.given.get("segment_edit")).segment_type
    language = str(refusal.data.get("language", ""))
    if kind := refusal.data.get("kind"):
        fits = [name for name, (kinds, of) in TYPES.items() if kind in kinds and of == language]
        other = f"Valid types: {', '.join(fits)}" if fits else f"{_NO_TYPE} a {kind}: {_BY_TEXT}"
        return f"{render(refusal.headline)}\n{other}\nRequested: {wanted}"
    valid = [name for name, (_, of) in TYPES.items() if of in {"", language}]
    suffix = asked.path.rpartition(".")[2]
    return (
        f"Segment type {wanted!r} not valid for file type.\nFile: {language} (.{suffix})\n"
        f"Valid types: {', '.join(valid)}\nRequested: {wanted}"
    )


def _kinds(asked: SafeEditCall) -> tuple[str, ...]:
    """Return which kinds of segments the type of the call accepts; nothing for all."""
    if asked.way != "segment_edit":
        return ()
    kinds, _ = TYPES[SegmentEdit.of(asked.given.get("segment_edit")).segment_type]
    return kinds if kinds != ("template_block",) else ()


def _busy(asked: SafeEditCall, _: Refusal) -> str:
    return f"{asked.path} is already being edited: bundle edits in one call, or send it again"


_WORDS: Mapping[str, Callable[[SafeEditCall, Refusal], str]] = {
    "no-file": _no_file,
    "not-found": _nowhere,
    "overlapping-edits": _overlap,
    "unknown-segment": _unknown,
    "ambiguous": _several,
    "wrong-segment-kind": _kind,
    "busy": _busy,
}


def as_text(data: Mapping[str, object]) -> str:
    """Return an answer for reading: its message, what is wrong, and the diff once."""
    lines = [str(data.get("message") or data.get("error"))]
    if data.get("success"):
        lines += [f"warning: {each}" for each in _listed(data, "warnings")]
        lines += [f"{one['severity']}: {one['message']}" for one in _issues(data)]
    lines += [f"{name}: {data[name]}" for name in ("hint",) if data.get(name)]
    lines += [f"preview:\n{data['preview']}"] if data.get("preview") else []
    lines += [str(data["diff"]).rstrip("\n")] if data.get("diff") else []
    return "\n".join(dict.fromkeys(lines))


def _listed(data: Mapping[str, object], name: str) -> list[object]:
    found = data.get(name)
    return found if isinstance(found, list) else []


def _issues(data: Mapping[str, object]) -> list[dict[str, object]]:
    return [one for one in _listed(data, "issues") if isinstance(one, dict)]
