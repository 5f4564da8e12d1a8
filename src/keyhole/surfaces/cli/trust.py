"""keyhole trust: let the linters that keyhole.toml names, and language servers, run here."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import OUTPUT, ROOT, Command, Given, switch
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """Trust the workspace as it is now, or no more."""
    with opened(given) as engine:
        admin = engine.administration
        return answer(admin.distrust() if given.on("--revoke") else admin.trust(), given)


COMMAND = Command(
    "trust",
    "let the linters run that the workspace itself names",
    run,
    about="""\
A workspace's keyhole.toml comes with its files, perhaps from strangers: the commands it names run
only after this, and only as long as keyhole.toml and the files of the workspace that the commands
name stay as they are. Read them first. So it is with its `project`, which says whose shared history
is read. It also lets linters of your own configuration run that can run code of the workspace
(mypy, pylint, eslint, clippy and their like: plug-ins, settings that are code), and use
the programs that the workspace has installed, such as node_modules/.bin/eslint. And it lets the
language servers that you have (pyright, gopls and their like) find the places of renames.""",
    example="""\
$ keyhole trust
$ keyhole trust --revoke""",
    groups={
        "what to do": (switch("--revoke", "take the word back"),),
        "workspace": (ROOT,),
        "output": OUTPUT,
    },
)
