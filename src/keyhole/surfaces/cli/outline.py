"""keyhole outline: list the segments of a file or directory, with their addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keyhole.answers.reading import Outlined, OutlinedTree, SegmentRow
from keyhole.engine.reading import Shape
from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Argument, Command, Flag, Given, number
from keyhole.surfaces.cli.output import DONE, answer, is_terminal, root_rows, show
from keyhole.surfaces.cli.session import actor_of, opened, path_in


def run(given: Given) -> int:
    """Show the segments of a file, or of every file below a directory."""
    kinds = ",".join(given.all("--kinds")).split(",")
    shape = Shape(
        depth=given.number("--depth", 0),
        kinds=tuple(kind.strip() for kind in kinds if kind.strip()),
        query=given.text("--query") or "",
    )
    with opened(given) as engine:
        path = path_in(given, engine.root, given.text("PATH") or ".")
        found = engine.outline(path, shape, actor_of(given))
    if given.on("--json") or not is_terminal():
        return answer(found, given)

    show([drawn(found), *root_rows(given)], given)
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


def drawn(answer: Outlined | OutlinedTree) -> str:
    """Return the text of an outline with branches instead of blanks."""
    if isinstance(answer, Outlined):
        return "\n".join(_file(answer))
    return "\n".join([*(line for file in answer.files for line in _file(file)), *answer.tail()])


def _file(outlined: Outlined) -> Iterator[str]:
    yield f"{outlined.path} {outlined.hash} {outlined.language}"
    yield from outlined.template_rows()
    known = {row.address for row in outlined.rows}
    children: dict[str, list[SegmentRow]] = {}
    for row in outlined.rows:
        # A parent that was filtered out leaves its children at the top.
        children.setdefault(row.parent if row.parent in known else "", []).append(row)
    yield from _below("", "", children)
    for first, last in outlined.unreadable:
        yield f"  lines {first}-{last} could not be read"


def _below(parent: str, indent: str, children: Mapping[str, list[SegmentRow]]) -> Iterator[str]:
    rows = children.get(parent, [])
    for row in rows:
        last = row is rows[-1]
        start, end = row.lines
        branch = "└── " if last else "├── "
        yield f"{indent}{branch}{row.address}  {row.kind} {start}-{end}"
        yield from _below(row.address, indent + ("    " if last else "│   "), children)
