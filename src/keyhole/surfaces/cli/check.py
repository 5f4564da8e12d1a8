"""keyhole check: look for what is broken in files as they are."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import OUTPUT, WORKSPACE, Argument, Command, Given
from keyhole.surfaces.cli.output import REFUSED, answer
from keyhole.surfaces.cli.session import opened, path_in


def run(given: Given) -> int:
    """Show what is wrong with files, and fail if one is broken."""
    with opened(given) as engine:
        paths = [path_in(given, engine.root, path) for path in given.all("PATH") or (".",)]
        found = engine.administration.check(paths)
    code = answer(found, given)
    return code if found.ok else REFUSED


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
