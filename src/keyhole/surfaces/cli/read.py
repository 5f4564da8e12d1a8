"""keyhole read: show a file, some of its lines, or one segment."""

from __future__ import annotations

from keyhole.engine.reading import ReadRequest
from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Argument, Command, Flag, Given, switch
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import actor_of, opened, path_in

PARTS = ("whole", "body", "signature", "doc", "decorators", "heading")


def run(given: Given) -> int:
    """Show a piece of a file."""
    wanted = ReadRequest(
        segment=given.text("--segment") or "",
        part=given.text("--part") or "whole",
        lines=given.text("--lines"),
        numbered=not given.on("--plain"),
    )
    with opened(given) as engine:
        path = path_in(given, engine.root, given.text("PATH") or "")
        reading = engine.read(path, wanted, actor_of(given))
    return answer(reading, given, "" if given.on("--plain") else "lines")


COMMAND = Command(
    "read",
    "show a file, some of its lines, or one segment",
    run,
    about="The first line names the file, its hash and the lines shown.",
    example="""\
$ keyhole read app.py --segment Worker.process
$ keyhole read app.py --lines 10-20 --json""",
    arguments=(Argument("PATH", "the file"),),
    groups={
        "what to show": (
            Flag(
                "--segment",
                "a segment by its address, as `outline` lists them",
                "ADDRESS",
                "segment",
            ),
            Flag("--part", "one part of the segment", choices=PARTS),
            Flag("--lines", "12, 12-20, 12- or -40- (the last 40)", "RANGE"),
            switch("--plain", "leave out the line numbers"),
        ),
        "workspace": WORKSPACE,
        "output": OUTPUT,
    },
)
