"""The schemas of what the tools take and give, written by hand to cost an agent little to read."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.arguments import DETAILS
from keyhole.edits.operations import ACTIONS, MATCHES, PARTS
from keyhole.toolsets.schemas import Schema, array, choice, flag, giving, string, taking, whole
from keyhole.walks.options import MODES, ON_CONFLICT

PATH = string("file, relative to the root")
LINES: Schema = {
    "type": ["string", "integer", "array"],
    "items": {"type": "integer"},
    "description": '"12-20", "12-", 12 or [12, 20]',
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
    "claim": string("10m: keep other tasks out for so long"),
    "reason": string("why"),
    "detail": choice(DETAILS, "full adds the diff"),
    "propose": flag("only queue it for a person's word"),
}

# Said once, by `edit`: an agent that reads one list of tools need not read it three times.
SAME_OPTIONS: Mapping[str, Schema] = {
    name: {key: value for key, value in schema.items() if key != "description"}
    for name, schema in OPTIONS.items()
}

_LIST: Schema = {"type": "array"}

_FILE = giving(path=string(), hash_before=string(), hash_after=string(), edits=_LIST, diff=string())


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
    language=string(),
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
            time=string(),
            actor=string(),
            task=string(),
            reason=string(),
            outcome=string(),
            files=_LIST,
        )
    ),
    proposals=_LIST,
)
