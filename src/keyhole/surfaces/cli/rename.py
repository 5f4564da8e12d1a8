"""keyhole rename: change a symbol's name with its imports and uses, in all files."""

from __future__ import annotations

from keyhole.engine.rename.request import Rename
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    OUTPUT,
    WORKSPACE,
    WRITING,
    Argument,
    Command,
    Given,
    switch,
)
from keyhole.surfaces.cli.output import tell
from keyhole.surfaces.cli.session import opened, options_of, path_in


def run(given: Given) -> int:
    """Rename a symbol, or show where it would be renamed."""
    with opened(given) as engine:
        wanted = Rename(
            path_in(given, engine.root, given.text("PATH") or ""),
            given.text("ADDRESS") or "",
            given.text("NAME") or "",
            given.on("--comments"),
        )
        receipt = engine.refactoring.rename(wanted, options_of(given))
    return tell(receipt, given, given.text("--detail") or "brief")


COMMAND = Command(
    "rename",
    "rename a symbol with its imports and uses, in all files",
    run,
    about="""\
The definition, the imports and the uses change as one transaction, or nothing does. Who knows the
language finds them: a language server, which `keyhole trust` lets run in the workspace, else jedi
for Python. What nobody can tell is left and named.""",
    example="""\
$ keyhole rename src/app.py Worker.run start --dry-run
$ keyhole rename src/app.py load fetch --comments --reason 'it asks the network'""",
    arguments=(
        Argument("PATH", "the file that defines the symbol"),
        Argument("ADDRESS", "the symbol, as `outline` lists it", kind="text"),
        Argument("NAME", "its new name", kind="text"),
    ),
    groups={
        "what": (switch("--comments", "change the name in comments and strings too"),),
        "how": tuple(flag for flag in WRITING if flag.name != "--expected-hash"),
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
