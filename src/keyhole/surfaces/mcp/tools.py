"""The native tools as data: name, title, what an agent reads about them, schemas, hints."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.edits.operations import PARTS
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.mcp.schemas import (
    EDIT,
    HISTORY,
    HITS,
    LINES,
    OPTIONS,
    OUTLINE,
    PATH,
    READING,
    RECEIPT,
    SAME_OPTIONS,
    SAME_RECEIPT,
    Schema,
    array,
    choice,
    flag,
    taking,
    text,
    whole,
)
from keyhole.values import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as a client lists it; `writes` keeps it out of a read-only server."""

    name: str
    title: str
    about: str
    takes: Schema
    gives: Schema
    writes: bool = False
    destructive: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the names of its arguments, in order."""
        return tuple(self.takes["properties"])


NATIVE = (
    Tool(
        "outline",
        "Outline a file or directory",
        "List the segments (sections, functions, classes, keys) of a file or directory with their "
        'addresses and lines. Example: {"path": "app.py", "query": "load"}',
        taking(
            path=text("file or directory, default ."),
            depth=whole("how many levels, default all"),
            kinds=array({"type": "string"}, "only these, such as function, class, section"),
            query=text("only addresses that hold this"),
        ),
        OUTLINE,
    ),
    Tool(
        "read",
        "Read a file",
        "Read a file, some of its lines, or one segment, with the hash of the whole. "
        'Example: {"path": "app.py", "segment": "Worker.run"}',
        taking(
            "path",
            path=PATH,
            segment=text("address as `outline` lists it"),
            part=choice(PARTS),
            lines=LINES,
            numbered=flag("line numbers, default true"),
        ),
        READING,
    ),
    Tool(
        "search",
        "Search the tree",
        "Find text in the files below a path; each hit names the segment it stands in. "
        'Example: {"query": "retries", "glob": "*.py"}',
        taking(
            "query",
            query=text(),
            path=text("file or directory, default ."),
            regex=flag("query is an RE2 expression"),
            glob=text("only files it names, such as **/*.md"),
            context=whole("lines around each hit"),
            limit=whole("default 100"),
        ),
        HITS,
    ),
    Tool(
        "edit",
        "Edit files",
        "Change places of files: all edits of a call or none. Name each place by quoting text "
        "(find), by segment, by lines or by pattern; no line numbers or exact whitespace needed. "
        "The receipt shows the new lines; a refusal says what is there and what to do next. "
        'Example: {"path": "app.py", "edits": [{"find": "retries = 3", "content": "retries = 5"}]}',
        taking("edits", edits=array(EDIT), path=text("file of edits without one"), **OPTIONS),
        RECEIPT,
        writes=True,
        destructive=True,
    ),
    Tool(
        "patch",
        "Apply a patch",
        "Carry out a patch, all of it or nothing: unified diff, *** Begin Patch, SEARCH/REPLACE "
        "blocks or JSON. Line numbers may be wrong. "
        'Example: {"patch": "--- a/x\\n+++ b/x\\n@@ @@\\n-old\\n+new\\n"}',
        taking(
            "patch",
            patch=text(),
            path=text("the file it is for, whatever its headers say"),
            **SAME_OPTIONS,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    Tool(
        "write",
        "Write, delete or move a file",
        "Create a file, replace its whole text (needs expected_hash), delete it, or move it. "
        'Example: {"path": "notes.md", "content": "# Notes\\n"}',
        taking(
            "path",
            path=PATH,
            content=text("the whole text"),
            delete=flag(),
            move_to=text("new path"),
            allow_shrink=flag("allow a text that drops most of a long file"),
            **SAME_OPTIONS,
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
    Tool(
        "history",
        "List transactions",
        "List transactions, newest first: who, when, why, which files; with id that one and its "
        'diffs. Example: {"path": "app.py", "since": "2h"}',
        taking(
            id=text("only this one, with diffs"),
            path=text("only what touched this file or directory"),
            segment=text("only edits of this address"),
            task=text(),
            actor=text(),
            since=text("90s, 30m, 2h, 3d, 1w or an ISO date"),
            limit=whole("default 50"),
        ),
        HISTORY,
    ),
    Tool(
        "undo",
        "Undo a transaction",
        "Take back a transaction, also an old one; later edits of other places stay. Without "
        "arguments your own last one; undoing an undo is redo. "
        'Example: {"id": "12-4f0a", "reason": "wrong file"}',
        taking(
            id=text("transaction"),
            edit=whole("only this edit of it, from 0"),
            task=text("every transaction of this task"),
            to=text("everything after this transaction"),
            dry_run=SAME_OPTIONS["dry_run"],
            reason=SAME_OPTIONS["reason"],
        ),
        SAME_RECEIPT,
        writes=True,
        destructive=True,
    ),
)
SETS: Mapping[str, tuple[Tool, ...]] = {"native": NATIVE}


def chosen(names: tuple[str, ...], *, read_only: bool) -> dict[str, Tool]:
    """Return the tools of a server: the sets or single tools named, without writers if it asks."""
    known = {tool.name: (tool,) for tool in NATIVE}
    found: dict[str, Tool] = {}
    for name in names or ("native",):
        tools = SETS.get(name) or known.get(name)
        if tools is None:
            headline = f"there are no tools {name[:40]!r}"
            help_line = f"name one of {', '.join([*SETS, *known])}"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        found |= {tool.name: tool for tool in tools}
    return {name: tool for name, tool in found.items() if not (read_only and tool.writes)}
