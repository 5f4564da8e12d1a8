"""keyhole task: list the tasks, or end one."""

from __future__ import annotations

from keyhole.surfaces.cli.flags import LOOKING, OUTPUT, Argument, Command, Given, Usage


def run(given: Given) -> int:
    """List the tasks, or end the one that is named."""
    from keyhole.surfaces.cli.output import answer
    from keyhole.surfaces.cli.session import opened
    from keyhole.tending import end_task, tasks

    name = given.text("NAME")
    ends = given.text("WHAT") == "end"
    if ends != (name is not None):
        raise Usage("say `task end NAME`, or `task` for the list")
    with opened(given) as engine:
        found = end_task(engine.tree, name) if name else tasks(engine.tree.journal)
    return answer(found, given)


COMMAND = Command(
    "task",
    "list the tasks, or end one",
    run,
    about="""\
An edit where another open task edited is refused, unless the caller has seen that version. Once a
task is ended, its edits are nobody's any more.""",
    example="$ keyhole task end login",
    arguments=(
        Argument(
            "WHAT", "list (default) or end", required=False, kind="text", choices=("list", "end")
        ),
        Argument("NAME", "the task to end", required=False, kind="text"),
    ),
    groups={"workspace": LOOKING, "output": OUTPUT},
)
