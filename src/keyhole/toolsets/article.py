"""The set `article`: `edit_article`, `read_file` and `write_file`."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.dialects import article
from keyhole.engine import Engine
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Said, Tool
from keyhole.toolsets.files import READ_FILE, warned, write_file
from keyhole.toolsets.schemas import array, flag, giving, string, taking


def _edit_article(engine: Engine, given: Arguments, caller: Caller) -> Said:
    operation = article.edits(given)
    check_article(engine, operation.path)
    receipt = engine.edit([operation], caller.options("edit_article"))
    if not receipt.ok:
        raise Refused(*receipt.refusals)
    return warned(article.done(receipt))


def check_article(engine: Engine, path: str) -> None:
    """Refuse any file but the article that the server was started for, if it was for one."""
    wanted = engine.tree.options.article
    if wanted and engine.tree.resolve(path) != engine.tree.resolve(wanted):
        headline = f"path must be the article, {wanted}; it is {path}"
        raise Refused(Refusal("path-denied", headline, help=f"edit {wanted}", path=path))


def _refuse(refusals: Sequence[Refusal]) -> Said:
    data = article.refused(refusals)
    hint = f"\n{data['hint']}" if "hint" in data else ""
    return Said(f"{data['error']}{hint}", data, refused=True)


_EDIT = taking(
    "old_string",
    "new_string",
    "reason",
    old_string=string(
        "exact text to find. MUST be unique in the file: include surrounding context if needed"
    ),
    new_string=string("replacement text, inserted literally"),
    reason=string("why this change is needed (reference the code change)"),
)

TOOLS = (
    Tool(
        "edit_article",
        "Edit the article",
        "Make targeted edits to the article, in order, all of them or none. Each old_string must "
        "match to the character and be unique: copy it from the file with enough context. Keep "
        "edits minimal, one logical change an entry; if no change is needed, say so and do not "
        'call. Example: {"path": "docs/auth.md", "edits": [{"old_string": "accepts a password.", '
        '"new_string": "accepts a password and a token.", "reason": "login() takes a token"}]}',
        taking("path", "edits", path=string("path of the article"), edits=array(_EDIT)),
        _edit_article,
        gives=giving(
            "success",
            success=flag(),
            output=string(),
            error=string(),
            hint=string(),
            appliedEdits=array({"type": "object"}),
        ),
        writes=True,
        destructive=True,
        refuse=_refuse,
    ),
    READ_FILE,
    write_file("Write a whole file: for new files and major rewrites. Use edit_article otherwise."),
)
