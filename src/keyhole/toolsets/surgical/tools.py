"""The set `surgical`: targeted edits, patches and insertions, and what goes with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from keyhole import arguments
from keyhole.answers.file_receipt import FileReceipt
from keyhole.answers.receipt import Receipt
from keyhole.arguments import bad_argument, integer, required
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import ON_CONFLICT, Options
from keyhole.engine.reading import Search
from keyhole.fastclasses import replace
from keyhole.phrases import Words, say
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer, in_words_of
from keyhole.toolsets.files import ANSWER, READ_FILE, refuse, warned, write_file
from keyhole.toolsets.schemas import Schema, choice, flag, giving, string, taking, whole
from keyhole.toolsets.wording import (
    at_home,
    hash_now,
    in_truth,
    is_proposed,
    noted,
    plural,
    refusal_text,
    respelled,
    worth_a_look,
)

# What our fields are called: in `edit_file`, and in the tools that quote nothing.
_EDIT_NAMES = {"find": "old_content", "content": "new_content"}
_NAMES = {"lines": "line"}


def names_of(given: Mapping[str, object]) -> Mapping[str, str]:
    """Return what our fields are called in the tool that is called with these arguments."""
    return _EDIT_NAMES if "old_content" in given else _NAMES


def edit_of(given: Mapping[str, object]) -> Edit:
    """Return what a call of `edit_file` asks for, or refuse it."""
    old = required(given, "old_content")
    if not old:
        move = "quote the text to replace; insert_at adds text"
        raise Refused(bad_argument("old_content", "`old_content` is empty", move))
    return Edit(
        path=required(given, "path"),
        find=old,
        content=required(given, "new_content"),
        occurrence=_occurrence(given),
        match="exact" if arguments.flag(given, "exact") else "tolerant",
        verbatim=True,
    )


def _occurrence(given: Mapping[str, object]) -> str | int:
    number = integer(given, "occurrence", 1)
    if number < -1:
        headline = f"`occurrence` is {number}; it is 1, 2, ..., -1 for the last or 0 for all"
        raise Refused(bad_argument("occurrence", headline))
    return {0: "all", -1: "last", 1: "first"}.get(number, number)


def insertion(given: Mapping[str, object]) -> Edit:
    """Return what a call of `insert_at` asks for: after line n, before the first, or at the end."""
    if given.get("line") is None:
        raise Refused(bad_argument("line", "`line` is missing"))
    line = integer(given, "line", 0)
    if line < -1:
        headline = (
            f"`line` is {line}; it is 0 for the beginning, n for after line n, -1 for the end"
        )
        raise Refused(bad_argument("line", headline))
    content = required(given, "content")
    path = required(given, "path")
    return Edit(path=path, lines=line, action="after", content=content, indent="keep")


def done(verb: str, receipt: Receipt, given: Mapping[str, object]) -> dict[str, object]:
    """Return the answer to a call that was carried out."""
    first, *others = receipt.files
    data = first.as_data("brief")
    plan, edits = first.plan, first.plan.edits
    lines = [edit_of["lines_after"] for edit_of in _listed(data["edits"])]
    before = plan.before.line_count if plan.before else 0
    after = plan.after.line_count if plan.after else 0
    found = sum(edit_of.found for edit_of in edits)
    replaced = sum(0 if edit_of.already_applied else edit_of.replaced for edit_of in edits)
    backup = next((_beside(first, file.path) for file in others if ".bak" in file.path), None)
    answer: dict[str, object] = {
        "success": True,
        "path": first.path,
        "changed": receipt.outcome in {"applied", "committed_pending"},
        "found": found,
        "replaced": replaced,
        "lines": lines,
        **({"segment": edits[0].segment} if edits and plan.after and plan.after.stored else {}),
        "linesBefore": before,
        "linesAfter": after,
        "backup": backup,
        "hash": hash_now(receipt),
        "transaction": receipt.transaction,
        "warnings": _warnings(receipt, Words(names_of(given))),
    }
    same = not answer["changed"] and not is_proposed(receipt)
    output = f"Nothing to change in {first.path}" if same else _output(verb, answer)
    return {"output": in_truth(receipt, output), **answer}


def _beside(file: FileReceipt, path: str) -> str:
    """Return the name of a backup in the words in which its file was named."""
    given, own = file.path, file.plan.path
    return f"{given.removesuffix(own)}{path}" if given.endswith(f"/{own}") else path


def _listed(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def _warnings(receipt: Receipt, words: Words) -> list[str]:
    """Return everything worth a second look, conflicts with other tasks included."""
    file = receipt.files[0]
    rungs = [f"matched {e.matched}" for e in file.plan.edits if e.matched != "exact"]
    return [*rungs, *noted(receipt, words), *worth_a_look(receipt)]


def _output(verb: str, answer: Mapping[str, object]) -> str:
    where = _place(answer["lines"], answer.get("segment"))
    counts = f"{answer['linesBefore']} -> {answer['linesAfter']} lines"
    kept = f", backup {answer['backup']}" if answer["backup"] else ""
    times = plural(int(str(answer["replaced"])), "place")
    return f"{verb} {answer['path']}: {times}{where}, {counts}{kept}"


def _place(lines: object, cell: object) -> str:
    pairs = lines if isinstance(lines, list) else []
    if not pairs or cell == "":
        return " in several cells" if pairs else ""
    within = f" of `{cell}`" if cell else ""
    if len(pairs) == 1:
        return f" at line {pairs[0][0]}{within}"
    return f" from line {pairs[0][0]}{within} on"


def explained(refusals: Sequence[Refusal], given: Mapping[str, object]) -> tuple[Refusal, ...]:
    """Return refusals in the words of the document."""
    known = at_home(respelled(refusals, names_of(given)), "create it")
    return tuple(_explained(one, given) for one in known)


def _explained(refusal: Refusal, given: Mapping[str, object]) -> Refusal:
    found, total = refusal.data.get("lines"), refusal.data.get("total_lines")
    if refusal.code == "no-file" and refusal.kind != "directory":
        return replace(refusal, help="use write_file to create it")
    if refusal.code == "not-found" and isinstance(found, list):
        number = given.get("occurrence")
        headline = f"Requested occurrence {number} but only {len(found)} found"
        return replace(refusal, headline=headline)
    if refusal.code == "not-found" and total is not None and "line" in given:
        headline = f"line {given['line']} is out of bounds (file has {total} lines)"
        move = f"give 0 for the beginning, 1 to {total} for after that line, or -1 for the end"
        return replace(refusal, headline=headline, help=move)
    if refusal.code == "not-found":
        quote = str(given.get("old_content") or "")[:100]
        looked = say("looked for: {}\n{}", repr(quote), refusal.where)
        where = looked if quote else refusal.where
        return replace(refusal, where=where)
    return refusal


def refused(refusals: Sequence[Refusal]) -> dict[str, object]:
    """Return the answer to a call that was refused."""
    error = "\n".join(map(refusal_text, refusals))
    data: dict[str, object] = {"success": False, "error": error, "code": refusals[0].code}
    if refusals[0].hash_current:
        data["hash"] = refusals[0].hash_current
    if refusals[0].candidates:
        data["candidates"] = [each.as_data() for each in refusals[0].candidates]
    return data


_MOST_FILES = 1000
_MOST_HITS = 1000
_BACKUP = flag("keep the file as it was beside it, as NAME.bak")


def _edit_file(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    edit = edit_of(given)
    options = _options("edit_file", given, caller)
    return _answer("Edited", engine.edit([edit], options), given)


def _patch_file(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    patch = arguments.required(given, "patch")
    return _answer(
        "Patched", engine.patch(patch, _options("patch_file", given, caller), path), given
    )


def _insert_at(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    edit = insertion(given)
    options = _options("insert_at", given, caller)
    return _answer("Inserted into", engine.edit([edit], options), given)


def _options(tool: str, given: Arguments, caller: Caller) -> Options:
    backup = arguments.flag(given, "backup")
    task = arguments.text(given, "task_id") or caller.task
    choice = arguments.text(given, "on_conflict") or "refuse"
    # Each task is an agent of its own to this interface, whoever calls for them.
    return replace(caller.options(tool, backup=backup), task=task, on_conflict=choice, apart=True)


def _answer(verb: str, receipt: Receipt, given: Arguments) -> ToolAnswer:
    if not receipt.ok:
        data = refused(explained(receipt.refusals, given))
        codes = tuple(each.code for each in receipt.refusals)
        return ToolAnswer(str(data["error"]), data, refused=True, codes=codes)
    return warned(done(verb, receipt, given))


def _search_files(engine: Engine, given: Arguments, _: Caller) -> ToolAnswer:
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
    return ToolAnswer(output, {"success": True, "output": output, **found.as_data()})


def _list_files(engine: Engine, given: Arguments, _: Caller) -> ToolAnswer:
    path = arguments.text(given, "path") or "."
    if not engine.is_directory(path) and not engine.exists(path):
        engine.document(path)  # which says that there is no such file
    walk = engine.files(path, arguments.text(given, "pattern"))
    found = list(islice(walk, _MOST_FILES + 1))
    files = [in_words_of(path, engine, each) for each in found[:_MOST_FILES]]
    truncated = len(found) > _MOST_FILES
    output = "\n".join(files) or "no files"
    return ToolAnswer(
        output, {"success": True, "output": output, "files": files, "truncated": truncated}
    )


def _tool(
    name: str,
    title: str,
    about: str,
    takes: Schema,
    run: Callable[[Engine, Arguments, Caller], ToolAnswer],
) -> Tool:
    return Tool(
        name, title, about, takes, run, ANSWER, writes=True, destructive=True, refuse=refuse
    )


_TASK: dict[str, Schema] = {
    "backup": _BACKUP,
    "task_id": string("the task this belongs to; other tasks' regions are not overwritten unseen"),
    "on_conflict": choice(ON_CONFLICT, default="refuse"),
}

TOOLS = (
    _tool(
        "edit_file",
        "Edit a file",
        "Use it to make a targeted edit by replacing specific content; safer than write_file. "
        'Include enough context (3-5 lines) to identify the place. Example: {"path": "src/a.py", '
        '"old_content": "retries = 3", "new_content": "retries = 5"}',
        taking(
            "path",
            "old_content",
            "new_content",
            path=string("file, relative to the workspace root"),
            old_content=string("the content to replace, as it stands in the file"),
            new_content=string("what to put there, literally"),
            occurrence=whole("1 = first (others are told of), n, -1 = last, 0 = all", default=1),
            exact=flag("match to the character, whitespace included"),
            **_TASK,
        ),
        _edit_file,
    ),
    _tool(
        "patch_file",
        "Patch a file",
        "Use it to apply a unified diff to one file, all of its regions or none; line numbers and "
        'counts may be wrong. Example: {"path": "src/a.py", "patch": "@@ -1 +1 '
        '@@\\n-old\\n+new\\n"}',
        taking("path", "patch", path=string("file"), patch=string("unified diff"), **_TASK),
        _patch_file,
    ),
    _tool(
        "insert_at",
        "Insert lines",
        "Use it to insert content at a line: 0 is the beginning, n is after line n, -1 is the end. "
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
        "Use it to create a file, or to replace its whole text. Use edit_file for files that "
        "exist.",
        backup=_BACKUP,
    ),
    Tool(
        "search_files",
        "Search files",
        'Use it to find text in the files below a path. Example: {"pattern": "retries"}',
        taking(
            "pattern",
            pattern=string("text to look for"),
            path=string("file or directory", default="."),
            regex=flag("pattern is an RE2 expression"),
            glob=string("only files it names, such as **/*.py"),
            limit=whole(default=100),
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
        'Use it to list the files below a directory. Example: {"path": "src", "pattern": "*.py"}',
        taking(path=string("directory", default="."), pattern=string("a glob, such as *.py")),
        _list_files,
        gives=giving("success", success=flag(), output=string()),
        refuse=refuse,
    ),
)
