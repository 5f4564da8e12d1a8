"""keyhole check: look for what is broken in files as they are."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Argument, Command, Given
from keyhole.surfaces.cli.output import DONE, REFUSED, as_json, say, show
from keyhole.surfaces.cli.session import opened, path_in


def run(given: Given) -> int:
    """Show what is wrong with files, and fail if one is broken."""
    with opened(given) as engine:
        paths = [path_in(engine.root, path) for path in given.all("PATH") or (".",)]
        found = engine.administration.check(paths)
    if given.on("--json"):
        say(as_json(found.as_data()))
    else:
        show(found.as_rows(), given)
    return DONE if found.ok else REFUSED


COMMAND = Command(
    "check",
    "look for what is broken in files as they are",
    run,
    about="""\
The checks that every edit passes: syntax, keys that are there twice, marks of a merge, the links
and headings of markdown, and the linters that are configured, as for an edit. A line for each thing
found: path, line, column, how bad, what. Exit code 1 if a file is broken, which an error of a
blocking linter makes it; warnings alone do not.""",
    example="""\
$ keyhole check src/app.py pyproject.toml
$ keyhole check docs --json""",
    arguments=(
        Argument("PATH", "files and directories, default the root", required=False, many=True),
    ),
    groups={"workspace": WORKSPACE, "output": OUTPUT},
)
