"""The set `surgical`: targeted edits, patches and insertions, and what goes with them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from keyhole import arguments
from keyhole.dialects import surgical
from keyhole.dialects.wording import respelled
from keyhole.engine import Engine
from keyhole.receipts import Receipt
from keyhole.toolsets.base import Arguments, Caller, Said, Tool, in_words_of
from keyhole.toolsets.files import ANSWER, READ_FILE, refuse, warned, write_file
from keyhole.toolsets.schemas import Schema, flag, giving, string, taking, whole
from keyhole.values import replace
from keyhole.walks.looking import Search
from keyhole.walks.options import Options

_MOST_FILES = 1000
_MOST_HITS = 1000
_BACKUP = flag("keep the file as it was beside it, as NAME.bak, default false")


def _edit_file(engine: Engine, given: Arguments, caller: Caller) -> Said:
    edit = surgical.edit(given)
    options = _options("edit_file", given, caller)
    return _said("Edited", engine.edit([edit], options), given)


def _patch_file(engine: Engine, given: Arguments, caller: Caller) -> Said:
    path = arguments.required(given, "path")
    patch = arguments.required(given, "patch")
    return _said("Patched", engine.patch(patch, _options("patch_file", given, caller), path), given)


def _insert_at(engine: Engine, given: Arguments, caller: Caller) -> Said:
    edit = surgical.insertion(given)
    options = _options("insert_at", given, caller)
    return _said("Inserted into", engine.edit([edit], options), given)


def _options(tool: str, given: Arguments, caller: Caller) -> Options:
    backup = arguments.flag(given, "backup")
    task = arguments.text(given, "task_id") or caller.task
    choice = arguments.text(given, "on_conflict") or "refuse"
    return replace(caller.options(tool, backup=backup), task=task, on_conflict=choice)


def _said(verb: str, receipt: Receipt, given: Arguments) -> Said:
    if not receipt.ok:
        data = surgical.refused(surgical.explained(receipt.refusals, given))
        return Said(str(data["error"]), data, refused=True)
    return warned(surgical.done(verb, receipt, given))


def _search_files(engine: Engine, given: Arguments, _: Caller) -> Said:
    search = Search(
        arguments.required(given, "pattern"),
        arguments.text(given, "path") or ".",
        arguments.flag(given, "regex"),
        arguments.text(given, "glob"),
        limit=min(arguments.number(given, "limit", 100), _MOST_HITS),
    )
    found = engine.search(search)
    hits = (replace(hit, path=in_words_of(search.path, engine, hit.path)) for hit in found.hits)
    found = replace(found, hits=tuple(hits))
    output = found.as_text()
    return Said(output, {"success": True, "output": output, **found.as_data()})


def _list_files(engine: Engine, given: Arguments, _: Caller) -> Said:
    path = arguments.text(given, "path") or "."
    if not engine.tree.is_directory(path) and not engine.tree.exists(path):
        engine.tree.read(path)  # which says that there is no such file
    walk = engine.tree.walk(path, glob=arguments.text(given, "pattern"))
    found = list(islice(walk, _MOST_FILES + 1))
    files = [in_words_of(path, engine, each) for each in found[:_MOST_FILES]]
    truncated = len(found) > _MOST_FILES
    output = "\n".join(files) or "no files"
    return Said(output, {"success": True, "output": output, "files": files, "truncated": truncated})


def _tool(
    name: str,
    title: str,
    about: str,
    takes: Schema,
    run: Callable[[Engine, Arguments, Caller], Said],
) -> Tool:
    return Tool(
        name, title, about, takes, run, ANSWER, writes=True, destructive=True, refuse=refuse
    )


_TASK: dict[str, Schema] = {
    "backup": _BACKUP,
    "task_id": string("the task this belongs to; other tasks' regions are not overwritten unseen"),
    "on_conflict": {"enum": ["refuse", "warn", "skip", "force", "ask"]},
}

TOOLS = (
    _tool(
        "edit_file",
        "Edit a file",
        "Make a targeted edit by replacing specific content; safer than write_file. Include enough "
        'context (3-5 lines) to identify the place. Example: {"path": "src/a.py", '
        '"old_content": "retries = 3", "new_content": "retries = 5"}',
        taking(
            "path",
            "old_content",
            "new_content",
            path=string("file, relative to the workspace root"),
            old_content=string("the content to replace, as it stands in the file"),
            new_content=string("what to put there, literally"),
            occurrence=whole("1 = first (default; others are told of), n, -1 = last, 0 = all"),
            **_TASK,
        ),
        _edit_file,
    ),
    _tool(
        "patch_file",
        "Patch a file",
        "Apply a unified diff to one file, all of its regions or none; line numbers and counts may "
        'be wrong. Example: {"path": "src/a.py", "patch": "@@ -1 +1 @@\\n-old\\n+new\\n"}',
        taking("path", "patch", path=string("file"), patch=string("unified diff"), **_TASK),
        _patch_file,
    ),
    _tool(
        "insert_at",
        "Insert lines",
        "Insert content at a line: 0 is the beginning, n is after line n, -1 is the end. "
        'Example: {"path": "src/a.py", "line": 0, "content": "import os\\n"}',
        taking(
            "path",
            "line",
            "content",
            path=string("file"),
            line=whole("0 = beginning, n = after line n, -1 = end"),
            content=string("whole lines"),
            **_TASK,
        ),
        _insert_at,
    ),
    READ_FILE,
    write_file(
        "Create a file, or replace its whole text. Use edit_file for files that exist.",
        backup=_BACKUP,
    ),
    Tool(
        "search_files",
        "Search files",
        'Find text in the files below a path. Example: {"pattern": "retries"}',
        taking(
            "pattern",
            pattern=string("text to look for"),
            path=string("file or directory, default ."),
            regex=flag("pattern is an RE2 expression"),
            glob=string("only files it names, such as **/*.py"),
            limit=whole("default 100"),
        ),
        _search_files,
        gives=ANSWER,
        refuse=lambda refusals: refuse(
            respelled(refusals, {"find": "pattern", "query": "pattern"})
        ),
    ),
    Tool(
        "list_files",
        "List files",
        'List the files below a directory. Example: {"path": "src", "pattern": "*.py"}',
        taking(path=string("directory, default ."), pattern=string("a glob, such as *.py")),
        _list_files,
        gives=giving("success", success=flag(), output=string()),
        refuse=refuse,
    ),
)
