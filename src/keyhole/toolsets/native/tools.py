"""The native tools: name, title, what an agent reads about them, schemas, hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from keyhole.arguments import DETAILS
from keyhole.edits.model.operations import ACTIONS, MATCHES, PARTS
from keyhole.engine.options import MODES, ON_CONFLICT
from keyhole.toolsets.base import Arguments, Caller, Said, Tool
from keyhole.toolsets.schemas import (
    Schema,
    array,
    choice,
    either,
    flag,
    giving,
    string,
    taking,
    whole,
)

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine

PATH = string("file, relative to the root")
_LINES = "12-20, 12-, -40- or a number"
_EDGES = "; 0 before the first line, -1 after the last"
_ALSO_LINES = (whole(), array(either(whole(), string())))
LINES = either(string(_LINES), *_ALSO_LINES)

EDIT = taking(
    path=string("file, if not the call's"),
    segment=string("address from `outline`: `Worker.run`, `## Install`"),
    find=string("text as it stands in the file; inside segment or lines if given"),
    until=string("with find: the place ends with this text"),
    lines=either(string(f"{_LINES}{_EDGES}"), *_ALSO_LINES),
    pattern=string("code with holes, `print($X)`; $X may be used in content"),
    regex=flag("find is an RE2 expression; \\1 in content is a group"),
    occurrence=either(
        string("unique, first, last, all, or a number from 1", default="unique"), whole()
    ),
    action=choice(
        ACTIONS,
        "before/after: outside the place; prepend/append: inside it, or the file's ends",
        default="replace",
    ),
    part=choice(PARTS, default="whole"),
    content=string("new text, literal; indentation is fitted"),
    match=choice(MATCHES, default="tolerant"),
    indent=either(string("auto, keep, or columns", default="auto"), whole()),
    accept=string("id that a refusal offered, alone"),
    reason=string(),
)

OPTIONS: Mapping[str, Schema] = {
    "expected_hash": either(
        string("hash of the version you saw, or {path: hash}"), {"type": "object"}
    ),
    "mode": choice(MODES, default="strict"),
    "dry_run": flag("write nothing"),
    "on_conflict": choice(ON_CONFLICT, "when another task edited there", default="refuse"),
    "task": string("task it belongs to"),
    "claim": string("10m: keep other tasks out"),
    "reason": string("why"),
    "detail": choice(DETAILS, "full adds the diff", default="brief"),
    "propose": flag("queue it for a person"),
}

DETAIL: Mapping[str, Schema] = {"detail": choice(DETAILS, default="brief")}

# Said once, by `edit`: an agent that reads one list of tools need not read it three times.
SAME_OPTIONS: Mapping[str, Schema] = {
    **{
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in OPTIONS.items()
    },
    "expected_hash": either(string(), {"type": "object"}),
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


def _walk(name: str) -> Callable[[Engine, Arguments, Caller], Said]:
    """Return the function behind a tool; a list of tools does not load the engine."""

    def run(engine: Engine, given: Arguments, caller: Caller) -> Said:
        from keyhole.toolsets.native.calls import WALKS, OneRoot

        return WALKS[name](OneRoot(engine), given, caller)

    return run


def _tool(  # noqa: PLR0913 - what a client lists of a tool
    name: str,
    title: str,
    about: str,
    takes: Schema,
    gives: Schema,
    *,
    writes: bool = False,
    destructive: bool = False,
) -> Tool:
    run = _walk(name)
    return Tool(name, title, about, takes, run, gives, writes=writes, destructive=destructive)


EDIT_TOOL = _tool(
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
)

TOOLS = (
    _tool(
        "outline",
        "Outline a file or directory",
        "List the segments (sections, functions, classes, keys) of a file or directory with their "
        'addresses and lines. Example: {"path": "app.py"}',
        taking(
            path=string(default="."),
            depth=whole("levels, 0 for all", default=0),
            kinds=array({"type": "string"}, "such as function"),
            query=string("only addresses with this"),
            **DETAIL,
        ),
        OUTLINE,
    ),
    _tool(
        "read",
        "Read a file",
        "Read a file, some lines, or one segment, with the file's hash. "
        'Example: {"path": "app.py", "segment": "Worker.run"}',
        taking(
            "path",
            path=PATH,
            segment=string("address from `outline`"),
            part=choice(PARTS, default="whole"),
            lines=LINES,
            numbered=flag("line numbers", default=True),
        ),
        READING,
    ),
    _tool(
        "search",
        "Search the tree",
        "Find text below a path; each hit names its segment. "
        'Example: {"query": "retries", "glob": "*.py"}',
        taking(
            "query",
            query=string(),
            path=string(default="."),
            regex=flag("query is an RE2 expression"),
            glob=string("such as **/*.md"),
            context=whole("lines around each hit", default=0),
            limit=whole(default=100),
        ),
        HITS,
    ),
    EDIT_TOOL,
    _tool(
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
    _tool(
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
    _tool(
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
            since=string("2h, 3d, 1w or an ISO date"),
            limit=whole(default=50),
            **DETAIL,
        ),
        HISTORY,
    ),
    _tool(
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
    _tool(
        "scaffold",
        "Make a file from a template",
        "Create a file from a template; edit it later by the names of its blocks. Without "
        "template: what there is; without path: what one asks for. "
        'Example: {"template": "design"}',
        taking(template=string("id"), path=PATH, variables={"type": "object"}),
        SCAFFOLDED,
        writes=True,
    ),
)
