"""`TextInspect`: look at a file of the vault, and which files those are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from keyhole import arguments
from keyhole.dialects import text as dialect
from keyhole.dialects import text_structure
from keyhole.engine import Engine
from keyhole.readings import Hit, Outlined, Reading
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import shown
from keyhole.toolsets.base import Arguments, Caller, Said
from keyhole.walks.looking import ReadRequest, Search, Shape

MODES = ("structure", "search", "lines")
_MOST_HITS = 100


def own_file(given: Arguments) -> Sequence[str]:
    """Return the file that a call names, if it does: the vault's tools call it `filePath`."""
    path = given.get("filePath")
    return (path,) if isinstance(path, str) and path else ()


def check_vault(engine: Engine, path: str) -> None:
    """Refuse a path outside the vault, a type of file that is not allowed, and one that is not."""
    check_extension(engine, path)
    if not engine.tree.exists(path) or engine.tree.is_directory(path):
        raise Refused(Refusal("no-file", f"there is no file {path}", path=path))


def check_extension(engine: Engine, path: str) -> None:
    """Refuse a path outside the vault, and a type of file that is not allowed."""
    canonical = engine.tree.resolve(path)
    allowed = engine.tree.options.allow_extensions or dialect.EXTENSIONS
    dotted = {f".{one.lstrip('.')}".casefold() for one in allowed}
    extension = PurePosixPath(canonical).suffix.casefold()
    if extension not in dotted:
        headline = f"files of type {extension or 'none'!r} are not allowed here: {path}"
        help_line = f"allowed are {', '.join(sorted(dotted))}"
        raise Refused(Refusal("path-denied", headline, help=help_line, path=path))


def inspect(engine: Engine, given: Arguments, caller: Caller) -> Said:
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


def _structure(engine: Engine, path: str, caller: Caller) -> Said:
    found = outlined(engine, path, caller.actor)
    data = text_structure.structure(found, engine.tree.read(path))
    return told_as_json({"filePath": path, "mode": "structure", **data, "fileHash": found.hash})


def _search(engine: Engine, path: str, given: Arguments, caller: Caller) -> Said:
    """Look for a text or a pattern, whatever the case."""
    query, around = arguments.text(given, "query"), arguments.number(given, "context", 0)
    pattern = query if arguments.flag(given, "regex") else re.escape(query)
    wanted = Search(f"(?i){pattern}", path, regex=True, context=around, limit=_MOST_HITS)
    found = engine.search(wanted)
    document, shape = engine.tree.read(path), outlined(engine, path, caller.actor)
    sections = [row for row in shape.rows if row.kind == "section"]
    headings = [text_structure.heading(row, document) for row in sections]
    data = {
        "filePath": path,
        "mode": "search",
        "query": query,
        "matches": [_hit(hit, headings) for hit in found.hits],
        "totalMatches": found.total,
        "fileHash": shape.hash,
    }
    return told_as_json(data)


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


def _lines(engine: Engine, path: str, given: Arguments, caller: Caller) -> Said:
    whole = engine.read(path, ReadRequest(numbered=False), caller.actor)
    rows: list[dict[str, object]] = []
    cut = False
    for first, last in dialect.ranges(arguments.text(given, "query"), whole.total_lines):
        read = engine.read(path, ReadRequest(lines=[first, last]), caller.actor)
        rows += [{"number": first + n, "text": shown(row)} for n, row in enumerate(read.rows)]
        cut = cut or read.truncated
    data = {"filePath": path, "mode": "lines", "lines": rows, "totalLines": whole.total_lines}
    left_out = {"truncated": True} if cut else {}
    return told_as_json({**data, **left_out, "fileHash": whole.hash})


def told_as_json(data: Mapping[str, object]) -> Said:
    """Return an answer whose text is its data, as these tools give it."""
    return Said(json.dumps(data, ensure_ascii=False), data)
