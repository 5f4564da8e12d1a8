"""Detect the format of a patch by its marks, and read it into operations."""

from __future__ import annotations

import re

from keyhole.arguments import check_names, edits, from_json
from keyhole.arguments import text as named_text
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import CopyFile, DeleteFile, MoveFile, Operation, check_text
from keyhole.fastclasses import replace
from keyhole.patches import begin_patch, search_replace, unified
from keyhole.patches.common import bad_patch, check_count
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused

_FENCE = re.compile(r"(`{3,}+|~{3,}+)[^\n`]*+\n")
_MARKS = re.compile(
    r"^(?:@@|diff --git |--- [^\n]*\n\+\+\+ |[ \t]*\*\*\*|<<<<<|-----)[^\n]*", re.MULTILINE
)
_CONTEXT = re.compile(r"\*{15}\s*$")
_ED = re.compile(r"^\d{1,9}(?:,\d{1,9})?[acd]\s*$", re.MULTILINE)
_UNIFIED = re.compile(r"@@|diff --git |--- ")
_HALF = re.compile(r"^(?:--- |rename from )", re.MULTILINE)
MOST_CHARACTERS = 16 * 1024 * 1024


def parse(patch: str | bytes, path: str = "") -> tuple[Operation, ...]:
    """Return the operations of a patch; with `path` it is for that file, whatever it says.

    Bytes that are no UTF-8 stand for themselves: a patch may be of files in several encodings.
    """
    if isinstance(patch, bytes):
        patch = patch.decode("utf-8", "surrogateescape")
    elif not patch.isascii():
        check_text("patch", patch)
    if len(patch) > MOST_CHARACTERS:
        headline = f"the patch has {len(patch)} characters; the most is {MOST_CHARACTERS}"
        raise Refused(Refusal("too-large", headline, help="send it in parts"))
    operations = _read(_unfenced(patch), path)
    check_count(len(operations))
    return _for_path(operations, path) if path else _with_names(operations)


def _unfenced(patch: str) -> str:
    """Take off a code fence around the whole patch; one around each block is the block's own."""
    text = patch.removeprefix("\ufeff")
    stripped = text.strip()
    fence = _FENCE.match(stripped)
    if not fence or stripped.rpartition("\n")[2] != fence[1]:
        return text
    inside = stripped[fence.end() : -len(fence[1])]
    return text if inside.startswith("<<<<") else inside


def _read(text: str, path: str) -> tuple[Operation, ...]:
    if text.lstrip().startswith(("{", "[")):
        return _from_json(text)
    # The first mark of a format decides: what comes behind it may be the text of a file.
    for line in _MARKS.finditer(text):
        if begin_patch.is_mark(line[0]):
            return begin_patch.parse(text, path)
        if search_replace.is_mark(line[0]):
            return search_replace.parse(text, path)
        if _CONTEXT.match(line[0]):
            raise bad_patch("this is a context diff", "send a unified diff")
        if _UNIFIED.match(line[0]):
            return unified.parse(text)
    if _ED.search(text):
        raise bad_patch("this is an ed script", "send a unified diff")
    if _HALF.search(text):
        return unified.parse(text)
    formats = "a unified diff, a *** Begin Patch, SEARCH/REPLACE blocks, or JSON with edits"
    raise bad_patch("this is no patch in a known format", f"send {formats}")


def _from_json(text: str) -> tuple[Operation, ...]:
    try:
        body = from_json(text)
    except ValueError as error:
        raise bad_patch(f"the patch is not JSON: {error}", "send valid JSON") from None
    given = body if isinstance(body, dict) else {"edits": body}
    # Whatever else is said here would not be heeded: `dry_run` is an option of the call.
    check_names(given, ("path", "edits"), "a patch of JSON")
    if not isinstance(given.get("edits"), list) or not given["edits"]:
        raise bad_patch("the patch holds no edits", 'send {"edits": [...]}')
    common = named_text(given, "path")
    return tuple(edit if edit.path else replace(edit, path=common) for edit in edits(given))


def _with_names(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    if any(not operation.path for operation in operations):
        raise bad_patch("the patch names no file", say("give {path}, or a header that names it"))
    return operations


def _for_path(operations: tuple[Operation, ...], path: str) -> tuple[Operation, ...]:
    """Return a patch for one file; refuse a patch of several."""
    named = {operation.path for operation in operations if operation.path}
    if len(named) > 1 or any(isinstance(each, MoveFile | CopyFile) for each in operations):
        headline = say("{path} is given, and the patch is for {} files", len(named))
        raise bad_patch(headline, "patch one file a call, or leave it out if nothing needs it")
    return tuple(_at(operation, path) for operation in operations)


def _at(operation: Operation, path: str) -> Operation:
    if isinstance(operation, Hunk | DeleteFile):
        return replace(operation, path=path, names=())
    return replace(operation, path=path)
