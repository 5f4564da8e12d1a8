"""keyhole templates: list the templates, or explain one."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Argument, Command, Given
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Show what files can be made from."""
    with opened(given) as engine:
        found = engine.templates(given.text("TEMPLATE") or "")
    return answer(found, given)


COMMAND = Command(
    "templates",
    "list the templates that `scaffold` makes files from, or explain one",
    run,
    about="""\
Templates are Jinja files of the directory that `templates` in the configuration names, and a
built-in set. With the id of one: its variables, which of them are required, its blocks.""",
    example="""\
$ keyhole templates
$ keyhole templates design --json""",
    arguments=(Argument("TEMPLATE", "explain this one", required=False, kind="text"),),
    groups={"workspace": LOOKING, "output": OUTPUT},
)
