"""The native tools: name, title, what an agent reads about them, schemas, hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from keyhole.edits.model.operations import ACTIONS, CELL_TYPES, MATCHES, PARTS
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.schemas import (
    NULL,
    Schema,
    anything_like,
    array,
    choice,
    either,
    flag,
    giving,
    string,
    taking,
    taking_briefly,
    whole,
    with_more,
)

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine

PATH = string("relative to the root")
_LINES = "12-20, 12-, -40-, 7"
_EDGES = "; 0, -1: before, after all"

EDIT = giving(
    path=string("if not the call's"),
    segment=string("address: `Worker.run`, `## Install`"),
    find=string("as in the file"),
    until=string("with find: text that ends it"),
    lines=string(f"{_LINES}{_EDGES}"),
    pattern=string("code with holes, `print($X)`; content may use $X"),
    regex=flag("an RE2 regex; \\1 in content is a group", default=False),
    occurrence=string("first, last, all or a number", default="unique"),
    action=choice(
        ACTIONS,
        "before/after: outside; prepend/append: inside, or the file's ends",
        default="replace",
    ),
    part=choice(PARTS),
    content=string("new text; indentation is fitted"),
    match=choice(MATCHES),
    indent=string("keep, or columns", default="auto"),
    to=string("of a moved cell: end, before cell#2"),
    cell_type=choice(CELL_TYPES),
    clear_outputs=flag(default=False),
    accept=string("id from a refusal, alone"),
    reason=string(),
)

# One change at every place of many files.
SWEEP: Mapping[str, Schema] = {
    "glob": string("all places in these files; ids first"),
    "except": string(),
    "expected_count": whole("then: how many"),
    "only": string("or ids, by commas"),
    "without": string(),
    "boundary": string("word, identifier"),
    "cases": flag("OldName too"),
    "offset": string(),
}

OPTIONS: Mapping[str, Schema] = {
    "expected_hash": either(string("hash seen, or {path: hash}"), {"type": "object"}),
    "mode": string("or interactive, verify_only", default="strict"),
    "dry_run": flag(),
    "on_conflict": string("or warn, skip, force, ask", default="refuse"),
    "task": string(),
    "claim": string("10m: keep others out"),
    "reason": string(),
    "detail": string("or full", default="brief"),
    "propose": flag("ask a person"),
}

DETAIL: Mapping[str, Schema] = {"detail": string(default="brief")}
# A list that is longer than an answer goes on with it, as the answer says.
PAGES: Mapping[str, Schema] = {"offset": string(), **DETAIL}

# Described once, by `edit`: an agent that reads one list of tools need not read it three times.
SAME_OPTIONS: Mapping[str, Schema] = {
    **{
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in OPTIONS.items()
    },
    "expected_hash": either(string(), {"type": "object"}),
}

_LIST: Schema = {"type": "array"}

_FILE = giving(path=string(), hash_after=string(), edits=_LIST)


RECEIPT = giving(
    "ok",
    "outcome",
    ok=flag(),
    outcome=string(),
    transaction=string(),
    files=array(_FILE),
    refusals=_LIST,
)
SAME_RECEIPT = giving("ok", "outcome", ok=flag(), outcome=string(), files=_LIST)

# A receipt, or what templates there are.
SCAFFOLDED = giving("ok", ok=flag(), templates=_LIST)

# Hosts hold a refusal to the schema too, and it has none of what a reading has: none is required.
OUTLINE = giving(
    path=string(),
    hash=string(),
    segments=array(giving(address=string(), kind=string(), lines=_LIST)),
    files=_LIST,
    total=whole(),
)

READING = giving(
    path=string(),
    hash=string(),
    lines=_LIST,
    total_lines=whole(),
    text=string(),
)

HITS = giving(
    hits=array(
        giving(path=string(), line=whole(), column=whole(), text=string(), segment=string()),
    ),
    total=whole(),
)

HISTORY = giving(
    transactions=array(
        giving(
            id=string(),
            files=_LIST,
        )
    ),
    proposals=_LIST,
)


def _walk(name: str) -> Callable[[Engine, Arguments, Caller], ToolAnswer]:
    """Return the function behind a tool; a list of tools does not load the engine."""

    def run(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
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
    "Use it to change files, instead of rewriting them or running sed: whitespace and line "
    "numbers need not be exact. All edits or none; the answer shows the new "
    "lines. "
    'Example: {"path": "app.py", "edits": [{"find": "retries = 3", "content": "retries = 5"}]}',
    with_more(
        taking(
            "edits",
            edits=array(anything_like(EDIT)),
            path=string("of edits without one"),
            **OPTIONS,
        ),
        taking_briefly(**SWEEP),
    ),
    RECEIPT,
    writes=True,
    destructive=True,
)

TOOLS = (
    _tool(
        "outline",
        "Outline a file or directory",
        "Use it first: the segments of a file or directory (functions, sections, "
        'keys) with addresses and lines. Example: {"path": "app.py"}',
        taking_briefly(
            path=string(default="."),
            depth=whole("0: all levels", default=0),
            kinds=array(string()),
            query=string("in the address"),
            **PAGES,
        ),
        OUTLINE,
    ),
    _tool(
        "read",
        "Read a file",
        "Use it to see a segment, lines or a whole file before you edit it. "
        'Example: {"path": "app.py", "segment": "Worker.run"}',
        taking(
            "path",
            path=PATH,
            segment=string("address"),
            part=string("body, signature, doc, ...", default="whole"),
            lines=either(string(_LINES), whole(), array(either(whole(), string()))),
            numbered=flag(default=True),
            **DETAIL,
        ),
        READING,
    ),
    _tool(
        "search",
        "Search the tree",
        "Use it instead of grep to find text; each hit names its segment. "
        'Example: {"query": "retries", "glob": "*.py"}',
        taking_briefly(
            query=string("required, or symbol"),
            symbol=string("address in path: its uses"),
            path=string(default="."),
            regex=flag("an RE2 regex"),
            glob=string(),
            context=whole(default=0),
            limit=whole(default=100),
            **PAGES,
        ),
        HITS,
    ),
    EDIT_TOOL,
    _tool(
        "rename",
        "Rename a symbol",
        "Use it to rename a symbol, its imports and uses. "
        'Example: {"path": "app.py", "segment": "Worker.run", "to": "go"}',
        taking_briefly(
            "path",
            "segment",
            "to",
            path=string(),
            segment=string(),
            to=string(),
            comments=flag(),
            dry_run=SAME_OPTIONS["dry_run"],
            **DETAIL,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    _tool(
        "patch",
        "Apply a patch",
        "Use it when you have a diff: unified, *** Begin Patch, SEARCH/REPLACE or JSON; line "
        "numbers may be wrong. "
        'Example: {"patch": "--- a/x\\n+++ b/x\\n@@ @@\\n-old\\n+new\\n"}',
        taking_briefly(
            "patch",
            patch=string(),
            path=either(string(), NULL),
            **SAME_OPTIONS,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    _tool(
        "write",
        "Write, delete or move a file",
        "Use it to create, delete or move a file; to change one, use `edit`. To replace it "
        "needs expected_hash. "
        'Example: {"path": "notes.md", "content": "# Notes\\n"}',
        taking_briefly(
            "path",
            path=string(),
            content=either(string(), NULL),
            delete=flag(),
            move_to=either(string(), NULL),
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
        "Use it to see who changed what, when and why, newest first; with id its diffs. "
        'Example: {"path": "app.py", "since": "2h"}',
        taking_briefly(
            id=string(),
            path=string(),
            segment=string(),
            task=string(),
            session=string(),
            actor=string(),
            since=string("2h, 3d, ISO date"),
            limit=whole(default=50),
            **PAGES,
        ),
        HISTORY,
    ),
    _tool(
        "undo",
        "Undo a transaction",
        "Use it to take back a transaction, however old; later edits elsewhere stay. "
        'Without arguments your last; to undo an undo is redo. Example: {"id": "12-4f0a"}',
        taking_briefly(
            id=string(),
            edit=whole("one edit, from 0"),
            task=string("all of it"),
            session=string("this, or its name"),
            prompt=string("all since it"),
            partly=flag("skip clashes"),
            to=string("all after it"),
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
        "Use it to create a file from a template. Without one it lists them, "
        "without path what it asks for. "
        'Example: {"template": "design"}',
        taking_briefly(template=string(), path=string(), variables={"type": "object"}, **DETAIL),
        SCAFFOLDED,
        writes=True,
    ),
)
