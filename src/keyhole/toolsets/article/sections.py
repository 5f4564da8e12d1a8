"""The set `sections`: `edit_section`, `create_section` and `delete_section` of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from keyhole import arguments
from keyhole.answers.reading import Outlined, SegmentRow
from keyhole.arguments import bad_argument, integer, required, text
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import expected_of
from keyhole.engine.facade import Engine
from keyhole.engine.reading import Shape, outline
from keyhole.fastclasses import altered, dataclass
from keyhole.phrases import mentions, shown
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.article.tools import check_article
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.files import ANSWER, refuse, warned
from keyhole.toolsets.schemas import Schema, either, string, taking, whole
from keyhole.toolsets.wording import hash_now, heading, in_truth, worth_a_look

PREAMBLE = "(preamble)"
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a document with their titles, and what stands before the first."""

    path: str
    rows: Sequence[tuple[str, SegmentRow]]
    preamble: SegmentRow | None
    lines: Sequence[str]

    @staticmethod
    def of(path: str, found: Outlined, lines: Sequence[str]) -> Sections:
        """Return the sections of an outline."""
        own = [row for row in found.rows if row.kind == "section"]
        titled = [(str(heading(row, lines)["text"]), row) for row in own]
        before = [row for row in found.rows if row.kind == "preamble"]
        return Sections(path, titled, before[0] if before else None, lines)

    def named(self, title: str) -> SegmentRow:
        """Return the section of this exact title, or refuse none and several."""
        rows = [row for known, row in self.rows if known == title]
        if len(rows) == 1:
            return rows[0]
        if rows:
            lines = [row.lines[0] for row in rows]
            headline = f"{len(rows)} sections of {self.path} are called '{title}'"
            where = f"lines {', '.join(map(str, lines))}"
            move = "give them titles of their own, or edit by text"
            raise Refused(Refusal("ambiguous", headline, where=where, help=move))
        listed = ", ".join([PREAMBLE, *(f"'{known}'" for known, _ in self.rows)])
        headline = f"there is no section '{title}' in {self.path}"
        move = "use a title as it stands there; null is the preamble"
        raise Refused(Refusal("unknown-segment", headline, where=f"sections: {listed}", help=move))

    def below(self, row: SegmentRow) -> list[SegmentRow]:
        """Return the sections directly inside another."""
        return [each for _, each in self.rows if each.parent == row.address]


def title_of(given: Mapping[str, object]) -> str | None:
    """Return the title a call names; None is the preamble, and must be said."""
    if "section_title" not in given:
        move = "give the title, or null for the preamble"
        raise Refused(bad_argument("section_title", "`section_title` is missing", move))
    return None if given["section_title"] is None else required(given, "section_title")


def edited(given: Mapping[str, object], sections: Sections) -> Edit:
    """Return the edit that gives a section other content; heading and subsections stay."""
    content, reason = required(given, "content"), text(given, "reason")
    title = title_of(given)
    if title is None:
        return _preamble(sections, content, reason)
    row = sections.named(title)
    below = sections.below(row)
    if not below:
        return Edit(segment=row.address, part="body", content=content, reason=reason)
    own = _own_text(sections.lines, row, below[0])
    if not own:
        place = {"segment": row.address, "part": "heading", "action": "after"}
        return Edit(content=content, reason=reason, **place)  # type: ignore[arg-type]
    # By its text and not by its lines: the file may become another one until it is locked.
    place = {"segment": row.address, "part": "body", "find": own}
    return _exactly(content=_ended(content), reason=reason, **place)


def _exactly(find: str, **fields: str) -> Edit:
    """Return an edit at the first place of a segment that has exactly this text."""
    return Edit(find=shown(find), verbatim=True, occurrence="first", **fields)  # type: ignore[arg-type]


def _own_text(lines: Sequence[str], row: SegmentRow, below: SegmentRow) -> str:
    """Return what stands between a heading and its first subsection, without blank edges."""
    first, last = row.parts["heading"][1] + 1, below.lines[0] - 1
    own = lines[first - 1 : last]
    filled = [index for index, line in enumerate(own) if line.strip()]
    return _ended("\n".join(own[filled[0] : filled[-1] + 1])) if filled else ""


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _preamble(sections: Sections, content: str, reason: str) -> Edit:
    if sections.preamble is not None:
        return Edit(segment=sections.preamble.address, content=content, reason=reason)
    if not sections.rows:
        return Edit(action="append", content=content, reason=reason)
    row = sections.rows[0][1]
    place = {"segment": row.address, "find": sections.lines[row.lines[0] - 1]}
    above = f"{_ended(content)}\n"
    return _exactly(action="before", content=above, reason=reason, **place)


def created(given: Mapping[str, object], sections: Sections) -> Edit:
    """Return the edit that makes a section, behind another or at the end."""
    title = required(given, "section_title").strip()
    if not title or "\n" in title or "\r" in title:
        raise Refused(bad_argument("section_title", "`section_title` is not one line of text"))
    if any(known == title for known, _ in sections.rows):
        headline = f"there is a section '{title}' in {sections.path}"
        raise Refused(bad_argument("section_title", headline, "change it with edit_section"))
    level = integer(given, "level", 2)
    if not 1 <= level <= _DEEPEST:
        raise Refused(bad_argument("level", f"`level` is {level}; it is from 1 to {_DEEPEST}"))
    body = required(given, "content").strip("\n")
    whole = f"{'#' * level} {title}\n" + (f"\n{body}\n" if body else "")
    reason = text(given, "reason")
    after = text(given, "insert_after")
    if after:
        return Edit(
            segment=sections.named(after).address, action="after", content=whole, reason=reason
        )
    gap = "\n" if any(map(str.strip, sections.lines)) else ""
    return Edit(action="append", content=gap + whole, reason=reason)


def deleted(given: Mapping[str, object], sections: Sections) -> Edit:
    """Return the edit that takes a section away, with its heading and its subsections."""
    title, reason = title_of(given), text(given, "reason")
    if title is not None:
        row = sections.named(title)
    elif sections.preamble is not None:
        row = sections.preamble
    else:
        headline = f"{sections.path} has no preamble: nothing stands before its first section"
        raise Refused(Refusal("unknown-segment", headline, help="name a section by its title"))
    return Edit(segment=row.address, action="delete", reason=reason)


_VERBS = {"edit_section": "Edited", "create_section": "Created", "delete_section": "Deleted"}

Ask = Callable[[Mapping[str, object], Sections], Edit]


def _runner(tool: str, ask: Ask) -> Callable[[Engine, Arguments, Caller], ToolAnswer]:
    def run(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
        path = arguments.required(given, "path")
        check_article(engine, path)
        expected = arguments.text(given, "expected_hash")
        edit = altered(ask(given, _sections(engine, path, expected, caller)), path=path)
        receipt = engine.edit([edit], caller.options(tool, expected_hash=expected))
        if not receipt.ok:
            raise Refused(*receipt.refusals)
        file = receipt.files[0]
        title = given.get("section_title")
        name = PREAMBLE if title is None else f"'{title}'"
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
    document = engine.document(path, wanted, caller.actor)
    found = outline(document, path, Shape())
    if found.language != "markdown":
        headline = f"{path} is no Markdown, and has no sections"
        raise Refused(Refusal("wrong-segment-kind", headline, help="edit it by text", path=path))
    return Sections.of(path, found, document.rows)


_PREAMBLE = {"type": "null", "description": "the preamble"}
_TITLE = either(string("required: exact title"), _PREAMBLE)
_CONTENT = string("text without the heading, inserted literally")
_HASH = string("hash of the version it is for")


def _tool(name: str, title: str, about: str, ask: Ask, **takes: Schema) -> Tool:
    needed = [name for name in ("section_title", "content") if "type" in takes.get(name, {})]
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
        taking("path", *needed, **fields),
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
        "Use it to give a section other content; its heading and its subsections stay. "
        'Example: {"path": "docs/auth.md", "section_title": "Login", "content": "Send a token."}',
        edited,
        section_title=_TITLE,
        content=_CONTENT,
    ),
    _tool(
        "create_section",
        "Create a section",
        "Use it to make a section behind another one, or at the end. "
        'Example: {"path": "docs/auth.md", "section_title": "Tokens", "content": "They expire."}',
        created,
        section_title=string("title without marks"),
        content=_CONTENT,
        insert_after=string("exact title of the section before it; without it, the end"),
        level=whole("1 to 6", default=2),
    ),
    _tool(
        "delete_section",
        "Delete a section",
        "Use it to take a section away, with its heading and its subsections. "
        'Example: {"path": "docs/auth.md", "section_title": "Login"}',
        deleted,
        section_title=_TITLE,
    ),
)
