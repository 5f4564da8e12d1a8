"""`read_file` and `write_file`, as two sets have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from keyhole import arguments
from keyhole.edits.model.operations import WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.reading import ReadRequest
from keyhole.fastclasses import replace
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.schemas import (
    Schema,
    array,
    either,
    flag,
    giving,
    string,
    taking,
    whole,
)
from keyhole.toolsets.wording import at_home, hash_now, in_truth, plural, refusal_text, worth_a_look

ANSWER = giving("success", success=flag(), output=string(), error=string())


def refuse(given: Sequence[Refusal]) -> ToolAnswer:
    """Return refusals as these sets give them."""
    known = at_home(given, "create the file with write_file")
    refusals = [_may_shrink(one) if one.code == "shrinks" else one for one in known]
    error = "\n".join(map(refusal_text, refusals))
    data: dict[str, object] = {"success": False, "error": error, "code": refusals[0].code}
    if refusals[0].hash_current:
        data["hash"] = refusals[0].hash_current
    return ToolAnswer(error, data, refused=True)


def _may_shrink(refusal: Refusal) -> Refusal:
    return replace(
        refusal, help=say("{}, or set {allow_shrink:bare} if the rest shall go", refusal.help)
    )


def warned(data: Mapping[str, object]) -> ToolAnswer:
    """Return what was done as an answer whose text holds the warnings too."""
    warnings = data.get("warnings", ())
    assert isinstance(warnings, Sequence), "BUG: warnings are a list"
    return ToolAnswer("\n".join([str(data["output"]), *map(str, warnings)]), data)


def _read_file(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    if "\0" in path:
        raise Refused(arguments.bad_argument("path", "`path` holds a NUL byte"))
    lines = given.get("lines")
    found = engine.read(path, ReadRequest(lines=lines, numbered=False), caller.actor)  # type: ignore[arg-type]
    body = found.text.replace("\0", "")
    data = {
        "success": True,
        "output": body,
        "path": path,
        "hash": found.hash,
        "lines": list(found.lines),
        "total_lines": found.total_lines,
        "truncated": found.truncated,
    }
    return ToolAnswer(body, data)


def _write_file(tool: str, engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    operation = WriteFile(
        path,
        arguments.required(given, "content"),
        arguments.flag(given, "allow_shrink"),
        arguments.text(given, "reason"),
    )
    options = caller.options(
        tool,
        expected_hash=arguments.text(given, "expected_hash"),
        reason=arguments.text(given, "reason"),
        backup=arguments.flag(given, "backup"),
    )
    receipt = engine.write(operation, options)
    if not receipt.ok:
        raise Refused(*receipt.refusals)
    file = receipt.files[0]
    count = file.plan.after.line_count if file.plan.after else 0
    verb = "Created" if file.plan.before is None else "Wrote"
    verb = "Nothing to change in" if file.plan.is_unchanged else verb
    data = {
        "success": True,
        "output": in_truth(receipt, f"{verb} {path}, {plural(count, 'line')}"),
        "path": path,
        "hash": hash_now(receipt),
        "transaction": receipt.transaction,
        "warnings": worth_a_look(receipt),
    }
    return warned(data)


def _writer(tool: str) -> Callable[[Engine, Arguments, Caller], ToolAnswer]:
    return lambda engine, given, caller: _write_file(tool, engine, given, caller)


READ_FILE = Tool(
    "read_file",
    "Read a file",
    'Use it to read a file, or some of its lines. Example: {"path": "docs/auth.md"}',
    taking(
        "path",
        path=string("file"),
        lines=either(string("12, 12-20 or 12-"), whole(), array(whole())),
    ),
    _read_file,
    gives=ANSWER,
    refuse=refuse,
)


def write_file(about: str, **more: Schema) -> Tool:
    """Return `write_file` with what a set says about it, and what else it takes there."""
    return Tool(
        "write_file",
        "Write a whole file",
        f'{about} Example: {{"path": "docs/new.md", "content": "# New\\n"}}',
        taking(
            "path",
            "content",
            path=string("file"),
            content=string("the whole text"),
            expected_hash=string("hash of the version it replaces; needed if the file exists"),
            allow_shrink=flag("allow a text that drops most of a long file"),
            reason=string("why"),
            **more,
        ),
        _writer("write_file"),
        gives=ANSWER,
        writes=True,
        destructive=True,
        refuse=refuse,
    )
