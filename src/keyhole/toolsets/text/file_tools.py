"""The set `text-files`: `TextRead`, `TextSearch`, `TextCreate` and `TextEdit` for a vault."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from keyhole import arguments
from keyhole.answers.reading import Hit
from keyhole.edits.model.operations import LineRange, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.reading import ReadRequest, Search
from keyhole.fastclasses import replace
from keyhole.phrases import shown
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer, in_words_of
from keyhole.toolsets.schemas import array, choice, flag, giving, string, taking, whole
from keyhole.toolsets.text import requests as dialect
from keyhole.toolsets.text import requests as text_files
from keyhole.toolsets.text.tools import (
    check_extension,
    check_vault,
    json_answer,
    last_line,
    own_file,
)
from keyhole.toolsets.wording import (
    at_home,
    cut,
    hash_now,
    in_truth,
    is_proposed,
    plural,
    refusal_text,
    respelled,
    status_of,
    worth_a_look,
)

MOST_LINES = 500
_MOST_RESULTS = 50
_MOST_HITS = 10_000
_OUTPUTS = ("content", "files_only")


def _read(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "filePath")
    check_vault(engine, path)
    wanted = _wanted(given, path)
    found = engine.read(path, wanted, caller.actor)
    # The offset counts lines of the file; a target has its own, and is cut at its end.
    offset = max(arguments.number(given, "offset", 1), 1)
    most = min(arguments.number(given, "limit", MOST_LINES) or MOST_LINES, MOST_LINES)
    last = last_line(engine, found, wanted)
    start = max(found.first, offset)
    if found.truncated and start <= last:
        lines = [start, min(start + most - 1, last)]
        found = engine.read(path, ReadRequest(lines=lines, numbered=False), caller.actor)
    rows = found.rows[start - found.first : start - found.first + most]
    end = start + len(rows) - 1
    data: dict[str, object] = {
        "filePath": path,
        "content": "\n".join(shown(row) for row in rows),
        "startLine": start,
        "endLine": end,
        "totalLines": found.total_lines,
        "truncated": end < last,
        "fileHash": found.hash,
    }
    if end < last:
        data["suggestion"] = f"Use offset={end + 1} to continue"
    return json_answer(data)


def _wanted(given: Arguments, path: str) -> ReadRequest:
    """Return the piece of a file that a target names, in the grammar that edits use too."""
    if given.get("target") is None:
        return ReadRequest(numbered=False)
    asked = {"filePath": path, "operation": "delete", "target": given["target"]}
    edit = dialect.patch(asked).edit
    if isinstance(edit.lines, LineRange):
        return ReadRequest(lines=[edit.lines.first, edit.lines.last], numbered=False)
    return ReadRequest(edit.segment or "", edit.part, numbered=False)


def _search(engine: Engine, given: Arguments, _: Caller) -> ToolAnswer:
    """Look for a text or a pattern in the files of the vault, whatever the case."""
    query, path = arguments.required(given, "query"), arguments.text(given, "path") or "."
    most = arguments.number(given, "maxResults", _MOST_RESULTS)
    output = arguments.text(given, "outputMode") or "content"
    if output not in _OUTPUTS:
        headline = f"`outputMode` is {output[:80]!r}; it is one of {', '.join(_OUTPUTS)}"
        raise Refused(arguments.bad_argument("outputMode", headline))
    if not query:
        raise Refused(arguments.bad_argument("query", "`query` is empty"))
    pattern = query if arguments.flag(given, "regex") else re.escape(query)
    around = arguments.number(given, "contextLines", 1)
    wanted = Search(f"(?i){pattern}", path, regex=True, context=around, limit=_MOST_HITS)
    hits = [
        replace(hit, path=in_words_of(path, engine, hit.path))
        for hit in engine.search(wanted).hits
        if _is_of_vault(engine, hit.path)
    ]
    files = list(dict.fromkeys(hit.path for hit in hits))
    data: dict[str, object] = {"query": query, "totalMatches": len(hits), "totalFiles": len(files)}
    if output == "files_only":
        return json_answer({**data, "files": files[:most], "truncated": len(files) > most})
    rows = [_hit(hit) for hit in hits[:most]]
    return json_answer({**data, "matches": rows, "truncated": len(hits) > most})


def _is_of_vault(engine: Engine, path: str) -> bool:
    try:
        check_extension(engine, path)
    except Refused:
        return False
    return True


def _hit(hit: Hit) -> dict[str, object]:
    before, after = ([shown(row[:200]) for row in rows] for rows in (hit.before, hit.after))
    return {
        "filePath": hit.path,
        "line": hit.line,
        "column": hit.column,
        "text": shown(cut(hit.text, 200)),
        "context": {"before": before, "after": after},
    }


def _check_place(engine: Engine, given: Arguments, path: str) -> None:
    """Refuse to replace a file, or to make directories, that the call does not allow."""
    if engine.exists(path) and not arguments.flag(given, "overwrite"):
        help_line = "change it with TextEdit, or set overwrite to replace all of it"
        raise Refused(Refusal("file-exists", f"{path} exists", help=help_line, path=path))
    folder = str(PurePosixPath(path).parent)
    may_make = arguments.flag(given, "createDirectories", default=True)
    if not may_make and not engine.exists(folder):
        help_line = "set createDirectories, or name a directory that is there"
        headline = f"there is no directory {folder}"
        raise Refused(Refusal("no-file", headline, help=help_line, path=path))


def _create(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "filePath")
    check_extension(engine, path)
    _check_place(engine, given, path)
    overwrite, there = arguments.flag(given, "overwrite"), engine.exists(path)
    expected = engine.document(path).hash if there else ""
    operation = WriteFile(path, arguments.required(given, "content"), allow_shrink=overwrite)
    receipt = engine.write(operation, caller.options("TextCreate", expected_hash=expected))
    if not receipt.ok:
        raise Refused(*receipt.refusals)
    file = receipt.files[0]
    count = file.plan.after.line_count if file.plan.after else 0
    done = f"{'replaced' if there else 'created'}, {plural(count, 'line')}"
    data = {
        "status": status_of(receipt),
        "filePath": path,
        "created": not there and not is_proposed(receipt),
        "totalLines": count,
        "fileHash": hash_now(receipt),
        "note": "; ".join([in_truth(receipt, done), *worth_a_look(receipt)]),
    }
    return json_answer(data)


def _edit(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    operation = text_files.edits(given)
    check_vault(engine, operation.path)
    expected = arguments.text(given, "expectedHash")
    options = caller.options("TextEdit", expected_hash=expected, carry_over=False)
    receipt = engine.edit([operation], options)
    if receipt.ok:
        return json_answer(text_files.done(operation.path, receipt))
    return _error(text_files.explained(operation, receipt.refusals), receipt.refusals)


def _error(message: str, refusals: Sequence[Refusal]) -> ToolAnswer:
    data: dict[str, object] = {"status": "error", "message": message, "code": refusals[0].code}
    if refusals[0].edit is not None:
        data["index"] = refusals[0].edit
    if refusals[0].hash_current:
        data["fileHash"] = refusals[0].hash_current
    return ToolAnswer(message, data, refused=True)


def _refuse(given: Sequence[Refusal]) -> ToolAnswer:
    refusals = at_home(respelled(given, text_files.NAMES), "create the file with TextCreate")
    heads = (f"Edit {each.edit}: " if each.edit is not None else "" for each in refusals)
    return _error(
        "\n".join(h + refusal_text(r) for h, r in zip(heads, refusals, strict=True)), refusals
    )


_FILE = string("file of the vault")
_CHANGE = taking(
    "oldString",
    "newString",
    oldString=string("exact text; unique unless replaceAll"),
    newString=string("inserted literally"),
    replaceAll=flag("replace every place"),
)
_DONE = giving("status", status=string(), filePath=string(), fileHash=string(), note=string())

TOOLS = (
    Tool(
        "TextRead",
        "Read a file",
        f"Use it to read a file of the vault, at most {MOST_LINES} lines a call; the "
        "suggestion says how to "
        'go on. Example: {"filePath": "notes.md", "offset": 501}',
        taking(
            "filePath",
            filePath=_FILE,
            target=taking(
                lines=taking("start", start=whole("from 1"), end=whole("start if left out")),
                heading=string("the section of this heading"),
                codeBlock=taking("index", index=whole("from 0")),
            ),
            offset=whole("first line", default=1),
            limit=whole(f"most lines, up to {MOST_LINES}", default=MOST_LINES),
        ),
        _read,
        gives=giving(
            filePath=string(),
            content=string(),
            totalLines=whole(),
            truncated=flag(),
            suggestion=string(),
            fileHash=string(),
        ),
        paths=own_file,
        refuse=_refuse,
    ),
    Tool(
        "TextSearch",
        "Search files",
        "Use it to find a text in the files of the vault, whatever its case. "
        'Example: {"query": "release", "path": "docs"}',
        taking(
            "query",
            query=string("text, or an RE2 expression with regex"),
            path=string("file or directory", default="."),
            regex=flag(),
            maxResults=whole(default=_MOST_RESULTS),
            contextLines=whole("lines around each match", default=1),
            outputMode=choice(_OUTPUTS, default="content"),
        ),
        _search,
        gives=giving(
            totalMatches=whole(), matches=array({"type": "object"}), files=array(string())
        ),
        refuse=_refuse,
    ),
    Tool(
        "TextCreate",
        "Create a file",
        "Use it to create a file of the vault; one that exists is replaced only with overwrite. "
        'Example: {"filePath": "new.md", "content": "# New\\n"}',
        taking(
            "filePath",
            "content",
            filePath=_FILE,
            content=string("the whole text"),
            overwrite=flag("replace a file that exists"),
            createDirectories=flag("make missing directories", default=True),
        ),
        _create,
        gives=_DONE,
        writes=True,
        destructive=True,
        paths=own_file,
        refuse=_refuse,
    ),
    Tool(
        "TextEdit",
        "Edit a file",
        "Use it to replace exact texts in order, each on the result of the one before, all or "
        "none. "
        "Each oldString must be unique unless replaceAll. "
        'Example: {"filePath": "notes.md", "edits": [{"oldString": "v1", "newString": "v2"}]}',
        taking(
            "filePath",
            "edits",
            filePath=_FILE,
            edits=array(_CHANGE),
            expectedHash=string("fileHash of an earlier answer: refused if the file has changed"),
        ),
        _edit,
        gives=_DONE,
        writes=True,
        destructive=True,
        paths=own_file,
        refuse=_refuse,
    ),
)
