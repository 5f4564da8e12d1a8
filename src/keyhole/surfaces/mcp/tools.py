"""The native tools as data: name, title, what an agent reads about them, schemas, hints."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from keyhole import toolsets
from keyhole.arguments import DETAILS
from keyhole.edits.model.operations import ACTIONS, MATCHES, PARTS
from keyhole.engine.options import MODES, ON_CONFLICT
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.schemas import Schema, array, choice, flag, giving, string, taking, whole

PATH = string("file, relative to the root")
LINES: Schema = {
    "type": ["string", "integer", "array"],
    "items": {"type": "integer"},
    "description": '"12-20", "12-", "-40-", 12 or [12, 20]',
}
_EDGES = '; "0" before the first line, "-1" after the last'

EDIT = taking(
    path=string("file, if not the call's"),
    segment=string("address from `outline`: `Worker.run`, `## Install`, `dependencies.react`"),
    find=string("text as it stands in the file; inside segment or lines if given"),
    until=string("with find: the place ends with this text"),
    lines={**LINES, "description": f"{LINES['description']}{_EDGES}"},
    pattern=string("code with holes, `print($X)`; $X may be used in content"),
    regex=flag("find is an RE2 expression; \\1 in content is a group"),
    occurrence={
        "type": ["string", "integer"],
        "description": "unique (default), first, last, all, or a number from 1",
    },
    action=choice(
        ACTIONS, "before/after: outside the place; prepend/append: inside it, or the file's ends"
    ),
    part=choice(PARTS),
    content=string("new text, literal; indentation is fitted"),
    match=choice(MATCHES),
    indent={"type": ["string", "integer"], "description": "auto, keep, or columns"},
    accept=string("id that a refusal offered, alone"),
    reason=string(),
)

OPTIONS: Mapping[str, Schema] = {
    "expected_hash": {
        "type": ["string", "object"],
        "description": "hash of the version you saw, or {path: hash}",
    },
    "mode": choice(MODES),
    "dry_run": flag("write nothing"),
    "on_conflict": choice(ON_CONFLICT, "when another task edited there"),
    "task": string("the task this belongs to"),
    "claim": string("10m: keep other tasks out"),
    "reason": string("why"),
    "detail": choice(DETAILS, "full adds the diff"),
    "propose": flag("queue it for a person"),
}

DETAIL: Mapping[str, Schema] = {"detail": choice(DETAILS)}

# Said once, by `edit`: an agent that reads one list of tools need not read it three times.
SAME_OPTIONS: Mapping[str, Schema] = {
    name: {key: value for key, value in schema.items() if key != "description"}
    for name, schema in OPTIONS.items()
}

_LIST: Schema = {"type": "array"}

_FILE = giving(path=string(), hash_after=string(), edits=_LIST, diff=string())


RECEIPT = giving(
    "ok",
    "outcome",
    ok=flag(),
    outcome=string(),
    transaction=string(),
    files=array(_FILE),
    conflicts=_LIST,
    refusals=_LIST,
)
SAME_RECEIPT = giving(
    "ok", "outcome", ok=flag(), outcome=string(), transaction=string(), files=_LIST, refusals=_LIST
)

# A receipt, or what templates there are.
SCAFFOLDED = giving("ok", ok=flag(), templates=_LIST)

OUTLINE = giving(
    "path",
    path=string(),
    hash=string(),
    segments=array(giving(address=string(), kind=string(), lines=_LIST)),
    files=_LIST,
    total=whole(),
)

READING = giving(
    "path",
    "hash",
    "text",
    path=string(),
    hash=string(),
    lines=_LIST,
    total_lines=whole(),
    text=string(),
)

HITS = giving(
    "hits",
    "total",
    hits=array(
        giving(path=string(), line=whole(), column=whole(), text=string(), segment=string()),
    ),
    total=whole(),
)

HISTORY = giving(
    "transactions",
    transactions=array(
        giving(
            id=string(),
            files=_LIST,
        )
    ),
    proposals=_LIST,
)


@dataclass(frozen=True, slots=True)
class NativeTool:
    """One tool as a client lists it; `writes` keeps it out of a read-only server."""

    name: str
    title: str
    about: str
    takes: Schema
    gives: Schema
    writes: bool = False
    looks: bool = False
    destructive: bool = False
    idempotent: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the names of its arguments, in order."""
        known = self.takes["properties"]
        return tuple(known) if isinstance(known, Mapping) else ()


Offered = NativeTool | toolsets.Tool


NATIVE = (
    NativeTool(
        "outline",
        "Outline a file or directory",
        "List the segments (sections, functions, classes, keys) of a file or directory with their "
        'addresses and lines. Example: {"path": "app.py", "query": "load"}',
        taking(
            path=string("default ."),
            depth=whole("levels, default all"),
            kinds=array({"type": "string"}, "such as function"),
            query=string("only addresses with this"),
            **DETAIL,
        ),
        OUTLINE,
    ),
    NativeTool(
        "read",
        "Read a file",
        "Read a file, some of its lines, or one segment, with the hash of the whole. "
        'Example: {"path": "app.py", "segment": "Worker.run"}',
        taking(
            "path",
            path=PATH,
            segment=string("address from `outline`"),
            part=choice(PARTS),
            lines=LINES,
            numbered=flag("line numbers, default true"),
        ),
        READING,
    ),
    NativeTool(
        "search",
        "Search the tree",
        "Find text in the files below a path; each hit names the segment it stands in. "
        'Example: {"query": "retries", "glob": "*.py"}',
        taking(
            "query",
            query=string(),
            path=string("default ."),
            regex=flag("query is an RE2 expression"),
            glob=string("such as **/*.md"),
            context=whole("lines around each hit"),
            limit=whole("default 100"),
        ),
        HITS,
    ),
    NativeTool(
        "edit",
        "Edit files",
        "Change places of files, all of a call or none. A place is quoted text (find), a segment, "
        "lines or a pattern; whitespace need not be exact. The answer shows the new lines; a "
        "refusal says what to do next. "
        'Example: {"path": "app.py", "edits": [{"find": "retries = 3", "content": "retries = 5"}]}',
        taking("edits", edits=array(EDIT), path=string("file of edits without one"), **OPTIONS),
        RECEIPT,
        writes=True,
        destructive=True,
    ),
    NativeTool(
        "patch",
        "Apply a patch",
        "Carry out a patch, all of it or nothing: unified diff, *** Begin Patch, SEARCH/REPLACE "
        "blocks or JSON. Line numbers may be wrong. "
        'Example: {"patch": "--- a/x\\n+++ b/x\\n@@ @@\\n-old\\n+new\\n"}',
        taking(
            "patch",
            patch=string(),
            path=string("its file, whatever its headers say"),
            **SAME_OPTIONS,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    NativeTool(
        "write",
        "Write, delete or move a file",
        "Create a file, replace its whole text (needs expected_hash), delete it, or move it. "
        'Example: {"path": "notes.md", "content": "# Notes\\n"}',
        taking(
            "path",
            path=PATH,
            content=string("the whole text"),
            delete=flag(),
            move_to=string(),
            allow_shrink=flag("drop most of a file"),
            **SAME_OPTIONS,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    NativeTool(
        "history",
        "List transactions",
        "List transactions, newest first: who, when, why, which files; with id that one and its "
        'diffs. Example: {"path": "app.py", "since": "2h"}',
        taking(
            id=string(),
            path=string("file or directory"),
            segment=string(),
            task=string(),
            session=string(),
            actor=string(),
            since=string("90s, 30m, 2h, 3d, 1w or an ISO date"),
            limit=whole("default 50"),
            **DETAIL,
        ),
        HISTORY,
    ),
    NativeTool(
        "undo",
        "Undo a transaction",
        "Take back a transaction, also an old one; later edits of other places stay. Without "
        "arguments your own last one; undoing an undo is redo. "
        'Example: {"id": "12-4f0a", "reason": "wrong file"}',
        taking(
            id=string(),
            edit=whole("only this edit of it, from 0"),
            task=string("every transaction of this task"),
            session=string("this, or its name"),
            to=string("everything after this transaction"),
            dry_run=SAME_OPTIONS["dry_run"],
            reason=SAME_OPTIONS["reason"],
            **DETAIL,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    NativeTool(
        "scaffold",
        "Make a file from a template",
        "Create a file from a template; edit it later by the names of its blocks. Without "
        "template: what there is; without path: what one asks for. "
        'Example: {"template": "design", "path": "x.md", "variables": {"decision": "..."}}',
        taking(template=string("id"), path=PATH, variables={"type": "object"}),
        SCAFFOLDED,
        writes=True,
    ),
)
SETS = ("native", *toolsets.SETS)


def chosen(names: tuple[str, ...]) -> dict[str, Offered]:
    """Return the tools of a server: the sets or single tools named, none with another's name."""
    found: dict[str, Offered] = {}
    owners: dict[str, str] = {}
    for name in names or ("native",):
        for tool in _named(name):
            if found.get(tool.name, tool) is not tool:
                raise Refused(_clash(tool.name, owners[tool.name], name))
            found[tool.name] = tool
            owners[tool.name] = name
    return found


def offered(tools: Iterable[Offered], *, read_only: bool) -> list[Offered]:
    """Return the tools to list: without those that only write, if nothing may be written."""
    return [tool for tool in tools if tool.looks or not (read_only and tool.writes)]


def sets_of(names: Sequence[str]) -> list[str]:
    """Return the sets that a server offers all or some of, by the names it was told."""
    native = {"native", *(tool.name for tool in NATIVE)}
    singles = {*names} - native - {*SETS}
    owners = [one for one in toolsets.SETS if singles and _has(one, singles)]
    own = ["native"] if not names or native & {*names} else []
    return [*own, *(name for name in toolsets.SETS if name in names or name in owners)]


def _has(name: str, tools: Collection[str]) -> bool:
    return any(tool.name in tools for tool in toolsets.tools_of(name))


def _named(name: str) -> Sequence[Offered]:
    """Return the tools of a set, or the one tool of that name that some set has."""
    if name == "native":
        return NATIVE
    if name in toolsets.SETS:
        return toolsets.tools_of(name)
    native = [tool for tool in NATIVE if tool.name == name]
    others = {one: toolsets.tools_of(one) for one in toolsets.SETS} if not native else {}
    owners = [one for one, tools in others.items() if any(tool.name == name for tool in tools)]
    if len(owners) > 1:
        raise Refused(_clash(name, *owners[:2]))
    found: list[Offered] = [*native]
    found += [tool for one in owners for tool in others[one] if tool.name == name]
    if not found:
        known = [*SETS, *(tool.name for tool in NATIVE)]
        headline = f"there are no tools {name[:40]!r}"
        raise Refused(Refusal("bad-request", headline, help=f"name one of {', '.join(known)}"))
    return found


def _clash(tool: str, one: str, other: str) -> Refusal:
    headline = f"`{one}` and `{other}` both have a tool `{tool[:40]}`"
    return Refusal("bad-request", headline, help="offer one of them in this server")
