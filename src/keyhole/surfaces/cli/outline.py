"""keyhole outline: list the segments of a file or directory, with their addresses."""

from __future__ import annotations

from keyhole.surfaces.cli.flags import OUTPUT, WORKSPACE, Argument, Command, Flag, Given, number
from keyhole.surfaces.cli.output import DONE, answer, is_terminal, show
from keyhole.surfaces.cli.session import actor_of, opened, path_in
from keyhole.walks.looking import Shape


def run(given: Given) -> int:
    """Show the segments of a file, or of every file below a directory."""
    kinds = ",".join(given.all("--kinds")).split(",")
    shape = Shape(
        depth=given.number("--depth", 0),
        kinds=tuple(kind.strip() for kind in kinds if kind.strip()),
        query=given.text("--query") or "",
    )
    with opened(given) as engine:
        path = path_in(engine.tree.root.path, given.text("PATH") or ".")
        found = engine.outline(path, shape, actor_of(given))
    if given.on("--json") or not is_terminal():
        return answer(found, given)
    from keyhole.surfaces.cli.branches import drawn

    show([drawn(found)], given)
    return DONE


COMMAND = Command(
    "outline",
    "list the segments of a file or directory, with their addresses",
    run,
    about="""\
A segment is a function, a class, a section, a key: what --segment of `edit` and `read` takes. On a
terminal the outline is drawn as a tree.""",
    example="""\
$ keyhole outline src/app.py --kinds function,method
$ keyhole outline docs --depth 1 --json""",
    arguments=(Argument("PATH", "a file or directory, default the root", required=False),),
    groups={
        "what to show": (
            number("--depth", "how many levels, default all"),
            Flag("--kinds", "kinds of segments, separated by commas", "KIND,...", many=True),
            Flag("--query", "only addresses that hold this text", "TEXT"),
        ),
        "workspace": WORKSPACE,
        "output": OUTPUT,
    },
)
