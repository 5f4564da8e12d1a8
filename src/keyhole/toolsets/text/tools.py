"""The set `text`: `TextReplace`, `TextPatch` and `TextInspect` for the files of a vault."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from keyhole import arguments
from keyhole.answers.reading import Hit, Outlined, Reading
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import expected_of
from keyhole.engine.facade import Engine
from keyhole.engine.reading import ReadRequest, Search, Shape
from keyhole.fastclasses import replace
from keyhole.phrases import shown
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.schemas import array, choice, either, flag, giving, string, taking, whole
from keyhole.toolsets.text import answers
from keyhole.toolsets.text import requests as dialect
from keyhole.toolsets.text.requests import OPERATIONS, TextCall
from keyhole.toolsets.wording import at_home, heading, refusal_text, respelled

MODES = ("structure", "search", "lines")
_MOST_HITS = 100


def own_file(given: Arguments) -> Sequence[str]:
    """Return the file that a call names, if it does: the vault's tools call it `filePath`."""
    path = given.get("filePath")
    return (path,) if isinstance(path, str) and path else ()


def check_vault(engine: Engine, path: str) -> None:
    """Refuse a path outside the vault, a type of file that is not allowed, and one that is not."""
    check_extension(engine, path)
    if not engine.exists(path) or engine.is_directory(path):
        raise Refused(Refusal("no-file", f"there is no file {path}", path=path))


def check_extension(engine: Engine, path: str) -> None:
    """Refuse a path outside the vault, and a type of file that is not allowed."""
    canonical = engine.resolve(path)
    allowed = engine.allowed.allow_extensions or dialect.EXTENSIONS
    dotted = {f".{one.lstrip('.')}".casefold() for one in allowed}
    extension = PurePosixPath(canonical).suffix.casefold()
    if extension not in dotted:
        headline = f"files of type {extension or 'none'!r} are not allowed here: {path}"
        help_line = f"allowed are {', '.join(sorted(dotted))}"
        raise Refused(Refusal("path-denied", headline, help=help_line, path=path))


def inspect(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    """Carry out a `TextInspect`."""
    path = arguments.required(given, "filePath")
    check_vault(engine, path)
    mode = arguments.text(given, "mode") or "structure"
    if mode not in MODES:
        headline = f"`mode` is {mode[:80]!r}; it is one of {', '.join(MODES)}"
        raise Refused(arguments.bad_argument("mode", headline))
    if mode == "structure":
        return _structure(engine, path, caller)
    if not arguments.text(given, "query"):
        raise Refused(arguments.bad_argument("query", f"mode {mode} needs `query`"))
    look = _search if mode == "search" else _lines
    return look(engine, path, given, caller)


def outlined(engine: Engine, path: str, actor: str) -> Outlined:
    """Return the outline of a file, or refuse what is none."""
    found = engine.outline(path, Shape(), actor)
    if isinstance(found, Outlined):
        return found
    headline = f"{path} is a directory"
    raise Refused(
        Refusal("no-file", headline, help="name a file in it", path=path, kind="directory")
    )


def last_line(engine: Engine, found: Reading, wanted: ReadRequest) -> int:
    """Return where the piece of a file ends that is wanted, also if not all of it is shown."""
    if not found.truncated:
        return found.lines[1]
    if isinstance(wanted.lines, list):
        return wanted.lines[1]
    rows = outlined(engine, found.path, "").rows if found.segment else ()
    own = [row for row in rows if row.address == found.segment]
    return own[0].parts.get(wanted.part, own[0].lines)[1] if own else found.total_lines


def _structure(engine: Engine, path: str, caller: Caller) -> ToolAnswer:
    found = outlined(engine, path, caller.actor)
    document = engine.document(path)
    data = answers.structure(found, document.rows, len(document.to_bytes()))
    return json_answer({"filePath": path, "mode": "structure", **data, "fileHash": found.hash})


def _search(engine: Engine, path: str, given: Arguments, caller: Caller) -> ToolAnswer:
    """Look for a text or a pattern, whatever the case."""
    query, around = arguments.text(given, "query"), arguments.number(given, "context", 0)
    pattern = query if arguments.flag(given, "regex") else re.escape(query)
    wanted = Search(f"(?i){pattern}", path, regex=True, context=around, limit=_MOST_HITS)
    found = engine.search(wanted)
    rows, shape = engine.document(path).rows, outlined(engine, path, caller.actor)
    sections = [row for row in shape.rows if row.kind == "section"]
    headings = [heading(row, rows) for row in sections]
    data = {
        "filePath": path,
        "mode": "search",
        "query": query,
        "matches": [_hit(hit, headings) for hit in found.hits],
        "totalMatches": found.total,
        "fileHash": shape.hash,
    }
    return json_answer(data)


def _hit(hit: Hit, headings: Sequence[Mapping[str, object]]) -> dict[str, object]:
    above = [one for one in headings if int(str(one["line"])) <= hit.line]
    data: dict[str, object] = {
        "line": hit.line,
        "column": hit.column,
        "text": shown(hit.text[:200]),
        "nearestHeading": str(above[-1]["text"]) if above else None,
    }
    if hit.before or hit.after:
        before, after = ([shown(row[:100]) for row in rows] for rows in (hit.before, hit.after))
        data["context"] = {"before": before, "after": after}
    return data


def _lines(engine: Engine, path: str, given: Arguments, caller: Caller) -> ToolAnswer:
    whole = engine.read(path, ReadRequest(numbered=False), caller.actor)
    rows: list[dict[str, object]] = []
    cut = False
    for first, last in dialect.ranges(arguments.text(given, "query"), whole.total_lines):
        read = engine.read(path, ReadRequest(lines=[first, last]), caller.actor)
        rows += [{"number": first + n, "text": shown(row)} for n, row in enumerate(read.rows)]
        cut = cut or read.truncated
    data = {"filePath": path, "mode": "lines", "lines": rows, "totalLines": whole.total_lines}
    left_out = {"truncated": True} if cut else {}
    return json_answer({**data, **left_out, "fileHash": whole.hash})


def json_answer(data: Mapping[str, object]) -> ToolAnswer:
    """Return an answer whose text is its data, as these tools give it."""
    return ToolAnswer(json.dumps(data, ensure_ascii=False), data, in_json=True)


_MOST_SIMILAR = 3


def _replace(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    asked = dialect.replacement(given)
    check_vault(engine, asked.path)
    receipt = _carried_out(engine, asked, caller, "TextReplace")
    if not receipt.ok:
        raise Refused(*(_explained(engine, asked, one) for one in receipt.refusals))
    return json_answer(answers.replaced(asked, receipt))


def _patch(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    asked = dialect.patch(given)
    check_vault(engine, asked.path)
    receipt = _carried_out(engine, asked, caller, "TextPatch")
    if _is_no_heading(receipt) and (other := dialect.of_any_level(asked)):
        again = _carried_out(engine, other, caller, "TextPatch")
        asked, receipt = (asked, receipt) if _is_no_heading(again) else (other, again)
    if not receipt.ok:
        raise Refused(*(_explained(engine, asked, one) for one in receipt.refusals))
    return json_answer(answers.patched(_noted(engine, asked, receipt), receipt))


def _is_no_heading(receipt: Receipt) -> bool:
    return [refusal.code for refusal in receipt.refusals] == ["unknown-segment"]


def _noted(engine: Engine, asked: TextCall, receipt: Receipt) -> TextCall:
    """Note that the end of a section lies below its subsections, where it has some."""
    if asked.target != "appendToSection":
        return asked
    own = receipt.files[0].plan.edits[0].segment
    below = [row for row in outlined(engine, asked.path, "").rows if row.parent == own]
    names = [row.address.rpartition("::")[2] for row in below if row.kind == "section"]
    if not names:
        return asked
    note = f"the end of the section lies below its subsection '{names[-1]}'"
    return replace(asked, notes=(*asked.notes, note))


def _carried_out(engine: Engine, asked: TextCall, caller: Caller, tool: str) -> Receipt:
    # The document says that a hash that does not fit is refused before anything is edited.
    options = caller.options(tool, expected_hash=asked.expected, carry_over=False)
    return engine.edit([asked.edit], options)


def _explained(engine: Engine, asked: TextCall, refusal: Refusal) -> Refusal:
    """Return a refusal in the words of the document, where it has words for it."""
    match refusal.code:
        case "stale" if _is_other_version(asked, refusal):
            headline = (
                f"{asked.path} may have been modified: expectedHash is {asked.expected}, "
                f"and the file's hash is {refusal.hash_current}"
            )
            move = "look at the file with TextInspect, and send the new fileHash"
            return replace(refusal, headline=headline, help=move)
        case "not-found" if asked.edit.find:
            return _not_found(engine, asked, refusal)
        case "not-found" if "total_lines" in refusal.data:
            total = refusal.data["total_lines"]
            move = f"use lines from 1 to {total}" if total else "the file is empty"
            return replace(refusal, help=move)
        case "unknown-segment":
            return _no_heading(engine, asked, refusal)
        case "wrong-segment-kind":
            headline = f"target {asked.target} needs a Markdown file, and {asked.path} is none"
            return replace(refusal, headline=headline, where="", help="use target lines")
    return refusal


def _is_other_version(asked: TextCall, refusal: Refusal) -> bool:
    """Tell whether the file has another hash than the call expects, and is there at all."""
    wanted = expected_of(asked.expected, {}, (asked.path,)).get(asked.path, "")
    return bool(wanted and refusal.hash_current) and wanted != refusal.hash_current


def _not_found(engine: Engine, asked: TextCall, refusal: Refusal) -> Refusal:
    found = refusal.data.get("lines")
    if isinstance(found, list):
        headline = f"Occurrence {asked.edit.occurrence} requested but only {len(found)} found"
        return replace(refusal, headline=headline)
    pattern = f"(?i){re.escape(asked.edit.find or '')}"
    hits = engine.search(Search(pattern, asked.path, regex=True, limit=1)).hits
    if not hits:
        return refusal
    size = len((asked.edit.find or "").split("\n", 1)[0])
    near = hits[0].text[hits[0].column - 1 :][:size]
    headline = f"`oldText` is not in {asked.path}. Did you mean '{near}' at line {hits[0].line}?"
    move = "send the text in the case that it has in the file"
    return replace(refusal, headline=headline, where="", help=move)


def _no_heading(engine: Engine, asked: TextCall, refusal: Refusal) -> Refusal:
    """Say which headings, or how many code blocks, there are instead."""
    rows = outlined(engine, asked.path, "").rows
    if asked.target == "codeBlock":
        count = sum(row.kind == "code_block" for row in rows)
        headline = f"there is no code block {_index(asked)}: {asked.path} has {count}"
        return replace(refusal, headline=headline, where="", help="count them from 0")
    lines = engine.document(asked.path).rows
    sections = {row.address: row for row in rows if row.kind == "section"}
    near = [sections[name] for name in refusal.suggestions if name in sections][:_MOST_SIMILAR]
    headings = [heading(row, lines) for row in near]
    listed = ", ".join(
        f"'{'#' * int(str(one['level']))} {one['text']}' (line {one['line']})" for one in headings
    )
    headline = f"there is no heading '{asked.edit.segment}' in {asked.path}"
    where = f"similar headings: {listed}" if listed else "the file has no headings"
    return replace(refusal, headline=headline, where=where, help="use one of the file's headings")


def _index(asked: TextCall) -> int:
    return int((asked.edit.segment or "#0").rpartition("#")[2]) - 1


def _refuse(given: Sequence[Refusal], names: Mapping[str, str] = dialect.NAMES) -> ToolAnswer:
    refusals = at_home(respelled(given, names), "ask for a file of the vault")
    message = "\n".join(map(refusal_text, refusals))
    data: dict[str, object] = {"status": "error", "message": message, "code": refusals[0].code}
    if refusals[0].hash_current:
        data["fileHash"] = refusals[0].hash_current
    return ToolAnswer(message, data, refused=True)


def _refuse_inspect(refusals: Sequence[Refusal]) -> ToolAnswer:
    return _refuse(refusals, {"find": "query"})


def _refuse_replace(refusals: Sequence[Refusal]) -> ToolAnswer:
    return _refuse(refusals, dialect.REPLACE_NAMES)


_HASH = string("fileHash that an earlier answer gave: refused if the file has changed since")
_FILE = string("file of the vault")
_DONE = giving(
    "status",
    status=choice(("success", "unchanged", "error")),
    filePath=string(),
    fileHash=string(),
    note=string(),
)

TOOLS = (
    Tool(
        "TextReplace",
        "Replace text",
        "Use it to replace text in a file: the default for inline changes. oldText is "
        "case-sensitive and may span lines. Pass the returned fileHash on as expectedHash; go "
        "on from the returned "
        'context, and never from old line numbers. Example: {"filePath": "notes.md", '
        '"oldText": "v1", "newText": "v2"}',
        taking(
            "filePath",
            "oldText",
            "newText",
            filePath=_FILE,
            oldText=string("text as it stands in the file"),
            newText=string("inserted literally"),
            occurrence=either(
                string(
                    "first (the note says where else it stands), last, all, or a number from 1",
                    default="first",
                ),
                whole(),
            ),
            exact=flag("match to the character, whitespace included"),
            expectedHash=_HASH,
        ),
        _replace,
        gives=_DONE,
        writes=True,
        destructive=True,
        paths=own_file,
        refuse=_refuse_replace,
    ),
    Tool(
        "TextPatch",
        "Change a structure of a file",
        "Use it to replace, insert or delete a section or a code block, at one target. To insert: "
        "appendToSection (end of a section) or beforeHeading. To replace or delete: heading "
        "(the whole section; insert with it goes "
        "directly below the heading line) or codeBlock. lines is the last resort; insert goes "
        'after them. Example: {"filePath": "notes.md", "operation": "insert", '
        '"target": {"appendToSection": "## Setup"}, "content": "- one more"}',
        taking(
            "filePath",
            "operation",
            "target",
            filePath=_FILE,
            operation=choice(OPERATIONS),
            target=taking(
                lines=taking("start", start=whole("from 1"), end=whole("start if left out")),
                heading=string("such as ## Setup, or Setup"),
                beforeHeading=string(),
                appendToSection=string(),
                codeBlock=taking("index", index=whole("from 0; what is between the fences")),
            ),
            content=string("for replace and insert"),
            preserveIndent=flag("fit the content to the target's indentation", default=True),
            expectedHash=_HASH,
        ),
        _patch,
        gives=_DONE,
        writes=True,
        destructive=True,
        paths=own_file,
        refuse=_refuse,
    ),
    Tool(
        "TextInspect",
        "Look at a file",
        "Use it before an edit, to look at a file. structure (default): headings, code blocks, "
        "front matter, anchors and fileHash. search: find query whatever its case. lines: "
        "show the lines that query names, like 5, 50-60 or "
        '80-. Example: {"filePath": "notes.md"}',
        taking(
            "filePath",
            filePath=_FILE,
            mode=choice(MODES, default="structure"),
            query=string("for search and lines"),
            regex=flag("query is an RE2 expression"),
            context=whole("lines around each match", default=0),
        ),
        inspect,
        gives=giving(
            filePath=string(),
            mode=string(),
            fileHash=string(),
            headings=array({"type": "object"}),
            matches=array({"type": "object"}),
            lines=array({"type": "object"}),
        ),
        paths=own_file,
        refuse=_refuse_inspect,
    ),
)
