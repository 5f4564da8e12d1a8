"""The set `sections`: `edit_section`, `create_section` and `delete_section` of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from keyhole import arguments
from keyhole.dialects import sections
from keyhole.dialects.sections import Sections
from keyhole.dialects.wording import hash_now, in_truth, worth_a_look
from keyhole.edits.expected import expected_of
from keyhole.edits.operations import Edit
from keyhole.engine import Engine
from keyhole.phrases import mentions
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.article import check_article
from keyhole.toolsets.base import Arguments, Caller, Said, Tool
from keyhole.toolsets.files import ANSWER, refuse, warned
from keyhole.toolsets.schemas import Schema, string, taking, whole
from keyhole.values import altered
from keyhole.walks.looking import Shape, outline

_VERBS = {"edit_section": "Edited", "create_section": "Created", "delete_section": "Deleted"}

Ask = Callable[[Mapping[str, object], Sections], Edit]


def _runner(tool: str, ask: Ask) -> Callable[[Engine, Arguments, Caller], Said]:
    def run(engine: Engine, given: Arguments, caller: Caller) -> Said:
        path = arguments.required(given, "path")
        check_article(engine, path)
        expected = arguments.text(given, "expected_hash")
        edit = altered(ask(given, _sections(engine, path, expected, caller)), path=path)
        receipt = engine.edit([edit], caller.options(tool, expected_hash=expected))
        if not receipt.ok:
            raise Refused(*receipt.refusals)
        file = receipt.files[0]
        title = given.get("section_title")
        name = sections.PREAMBLE if title is None else f"'{title}'"
        verb = "Nothing to change in" if file.plan.is_unchanged else _VERBS[tool]
        data = {
            "success": True,
            "output": in_truth(receipt, f"{verb} {name}, {path}"),
            "path": path,
            "hash": hash_now(receipt),
            "transaction": receipt.transaction,
            "warnings": [
                # A place is found by its text, which the caller never sent.
                *(
                    each
                    for one in file.plan.edits
                    for each in one.notes
                    if not mentions(each, "find")
                ),
                *worth_a_look(receipt),
            ],
        }
        return warned(data)

    return run


def _sections(engine: Engine, path: str, expected: str, caller: Caller) -> Sections:
    """Return the sections of the version that a call is for: the one it expects, if it is known."""
    wanted = expected_of(expected, {}, (path,)).get(path, "")
    older = engine.tree.version(path, wanted, caller.actor) if wanted else None
    document = older or engine.tree.read(path)
    found = outline(document, path, Shape())
    if found.language != "markdown":
        headline = f"{path} is no Markdown, and has no sections"
        raise Refused(Refusal("wrong-segment-kind", headline, help="edit it by text", path=path))
    return Sections.of(path, found, document)


_TITLE = {"type": ["string", "null"], "description": "exact title; null is the preamble"}
_CONTENT = string("text without the heading, inserted literally")
_HASH = string("hash of the version it is for")


def _tool(name: str, title: str, about: str, ask: Ask, **takes: Schema) -> Tool:
    needed = [
        each for each in ("path", "section_title", "content") if each == "path" or each in takes
    ]
    fields = {
        "path": string("Markdown file"),
        **takes,
        "expected_hash": _HASH,
        "reason": string("why"),
    }
    return Tool(
        name,
        title,
        about,
        taking(*needed, **fields),
        _runner(name, ask),
        gives=ANSWER,
        writes=True,
        destructive=name != "create_section",
        refuse=refuse,
    )


TOOLS = (
    _tool(
        "edit_section",
        "Edit a section",
        "Give a section other content; its heading and its subsections stay. "
        'Example: {"path": "docs/auth.md", "section_title": "Login", "content": "Send a token."}',
        sections.edited,
        section_title=_TITLE,
        content=_CONTENT,
    ),
    _tool(
        "create_section",
        "Create a section",
        "Make a section behind another one, or at the end. "
        'Example: {"path": "docs/auth.md", "section_title": "Tokens", "content": "They expire."}',
        sections.created,
        section_title=string("title without marks"),
        content=_CONTENT,
        insert_after=string("exact title of the section before it; without it, the end"),
        level=whole("1 to 6, default 2"),
    ),
    _tool(
        "delete_section",
        "Delete a section",
        "Take a section away, with its heading and its subsections. "
        'Example: {"path": "docs/auth.md", "section_title": "Login"}',
        sections.deleted,
        section_title=_TITLE,
    ),
)
