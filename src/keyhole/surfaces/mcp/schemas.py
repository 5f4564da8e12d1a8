"""The schemas of what the tools take and give, written by hand to cost an agent little to read."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.arguments import DETAILS
from keyhole.edits.operations import ACTIONS, MATCHES, PARTS
from keyhole.toolsets.schemas import Schema, array, choice, flag, giving, taking, text, whole
from keyhole.walks.options import MODES, ON_CONFLICT

PATH = text("file, relative to the root")
LINES: Schema = {
    "type": ["string", "integer", "array"],
    "items": {"type": "integer"},
    "description": '"12-20", "12-", 12 or [12, 20]',
}
_EDGES = '; "0" before the first line, "-1" after the last'

EDIT = taking(
    path=text("file, if not the call's"),
    segment=text("address from `outline`: `Worker.run`, `## Install`, `dependencies.react`"),
    find=text("text as it stands in the file; inside segment or lines if given"),
    until=text("with find: the place ends with this text"),
    lines={**LINES, "description": f"{LINES['description']}{_EDGES}"},
    pattern=text("code with holes, `print($X)`; $X may be used in content"),
    regex=flag("find is an RE2 expression; \\1 in content is a group"),
    occurrence={
        "type": ["string", "integer"],
        "description": "unique (default), first, last, all, or a number from 1",
    },
    action=choice(
        ACTIONS, "before/after: outside the place; prepend/append: inside it, or the file's ends"
    ),
    part=choice(PARTS),
    content=text("new text, literal; indentation is fitted"),
    match=choice(MATCHES),
    indent={"type": ["string", "integer"], "description": "auto, keep, or columns"},
    accept=text("id that a refusal offered, alone"),
    reason=text(),
)

OPTIONS: Mapping[str, Schema] = {
    "expected_hash": {
        "type": ["string", "object"],
        "description": "hash of the version you saw, or {path: hash}",
    },
    "mode": choice(MODES),
    "dry_run": flag("write nothing"),
    "on_conflict": choice(ON_CONFLICT, "when another task edited there"),
    "task": text("the task this belongs to"),
    "claim": text("10m: keep other tasks out for so long"),
    "reason": text("why"),
    "detail": choice(DETAILS, "full adds the diff"),
    "propose": flag("only queue it for a person's word"),
}

# Said once, by `edit`: an agent that reads one list of tools need not read it three times.
SAME_OPTIONS: Mapping[str, Schema] = {
    name: {key: value for key, value in schema.items() if key != "description"}
    for name, schema in OPTIONS.items()
}

_LIST: Schema = {"type": "array"}

_FILE = giving(path=text(), hash_before=text(), hash_after=text(), edits=_LIST, diff=text())


RECEIPT = giving(
    "ok",
    "outcome",
    ok=flag(),
    outcome=text(),
    transaction=text(),
    files=array(_FILE),
    conflicts=_LIST,
    refusals=_LIST,
)
SAME_RECEIPT = giving(
    "ok", "outcome", ok=flag(), outcome=text(), transaction=text(), files=_LIST, refusals=_LIST
)

# A receipt, or what templates there are.
SCAFFOLDED = giving("ok", ok=flag(), templates=_LIST)

OUTLINE = giving(
    "path",
    path=text(),
    hash=text(),
    language=text(),
    segments=array(giving(address=text(), kind=text(), lines=_LIST)),
    files=_LIST,
    total=whole(),
)

READING = giving(
    "path",
    "hash",
    "text",
    path=text(),
    hash=text(),
    lines=_LIST,
    total_lines=whole(),
    text=text(),
)

HITS = giving(
    "hits",
    "total",
    hits=array(
        giving(path=text(), line=whole(), column=whole(), text=text(), segment=text()),
    ),
    total=whole(),
)

HISTORY = giving(
    "transactions",
    transactions=array(
        giving(
            id=text(),
            time=text(),
            actor=text(),
            task=text(),
            reason=text(),
            outcome=text(),
            files=_LIST,
        )
    ),
    proposals=_LIST,
)
