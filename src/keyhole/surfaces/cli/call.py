"""keyhole call: a tool, as an agent calls it."""

from __future__ import annotations

from keyhole import toolsets
from keyhole.surfaces.cli.edit import parsed
from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Argument, Command, Flag, Given
from keyhole.surfaces.cli.output import DONE, REFUSED, as_json, root_rows, say, show
from keyhole.surfaces.cli.session import actor_of, opened, piped, raw


def run(given: Given) -> int:
    """Carry out one call and print what an agent would read."""
    file = given.text("--request")
    body = raw(file) if file else piped("give --request FILE, or a pipe")
    tool = toolsets.tool_named(given.text("TOOL") or "", given.all("--tools"))
    caller = toolsets.Caller(actor_of(given), given.text("--task") or "", "cli")
    with opened(given) as engine:
        said = toolsets.call(tool, lambda _: engine, parsed(body), caller)
    if given.on("--json"):
        say(as_json(said.data))
    else:
        show([said.text, *root_rows(given)], given)
    return REFUSED if said.refused else DONE


COMMAND = Command(
    "call",
    "call a tool as an agent does, with its arguments as JSON",
    run,
    about="""\
The tools are those that `keyhole mcp --tools` offers. The arguments are one JSON object, in the
tool's own shape or another known one; the answer is what an agent gets.""",
    example="""\
$ keyhole call edit <<< '{"path": "app.py", "old_string": "x = 1", "new_string": "x = 2"}'
$ keyhole call apply_patch --request call.json
$ echo '{"input": "*** Begin Patch..."}' | keyhole call apply_patch --tools codex""",
    arguments=(Argument("TOOL", "the name of the tool", kind="text"),),
    groups={
        "what": (
            Flag("--request", "a file, or - for standard input", "FILE", "file"),
            Flag(
                "--tools",
                "its set, where several have such a tool",
                "NAME",
                many=True,
            ),
            Flag("--task", "the task this belongs to", "NAME"),
        ),
        "workspace": WORKSPACE,
        "output": OUTPUT,
    },
)
