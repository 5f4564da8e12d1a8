"""keyhole install: set keyhole up in the configuration of agent hosts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from shutil import which

from keyhole.answers.receipt import Receipt
from keyhole.engine.install.answers import Installed
from keyhole.engine.install.installer import InstallRequest, install, present
from keyhole.engine.root import find_root
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.cli.grammar import (
    ACTOR,
    DRY_RUN,
    OUTPUT,
    Argument,
    Command,
    Flag,
    Given,
    Usage,
    apart,
    command,
    parse,
    switch,
)
from keyhole.surfaces.cli.mcp import HOSTS, program
from keyhole.surfaces.cli.output import DONE, REFUSED, answer, as_json, say, tell
from keyhole.surfaces.cli.session import actor_of


def run(given: Given) -> int:
    """Set up the host that is named, or each that is on this machine."""
    flags = given.all("FLAG")
    parse(command("mcp"), list(flags))
    return carry_out(given, install)


def carry_out(given: Given, step: Callable[[InstallRequest], Installed]) -> int:
    """Do one thing to one host or to all, and tell; one that refuses keeps no other back."""
    apart(given, "--project", "--user")
    apart(given, "--all", "HOST")
    if not given.on("--all"):
        if not given.text("HOST"):
            raise Usage("HOST is missing; name one, or give --all")
        return answer(step(_wish(given, given.text("HOST") or "")), given)
    hosts = present(os.environ)
    if not hosts:
        headline = "no host that keyhole knows is on this machine"
        raise Refused(Refusal("no-file", headline, help=f"name one of {', '.join(HOSTS)}"))
    return _each(given, step, hosts)


def _each(given: Given, step: Callable[[InstallRequest], Installed], hosts: tuple[str, ...]) -> int:
    told: list[Installed | Receipt] = []
    for host in hosts:
        try:
            told.append(step(_wish(given, host)))
        except Refused as refused:
            # A host that has nothing of ours has nothing to tell.
            if refused.refusals[0].code != "nothing-to-undo":
                told.append(Receipt.refused(refused.refusals))
    if given.on("--json"):
        say(as_json({"ok": all(map(_is_done, told)), "hosts": [one.as_data() for one in told]}))
    else:
        for one in told:
            answer(one, given) if isinstance(one, Installed) else tell(one, given)
    return DONE if all(map(_is_done, told)) else REFUSED


def _is_done(told: Installed | Receipt) -> bool:
    return isinstance(told, Installed)


def _wish(given: Given, host: str) -> InstallRequest:
    scope = "project" if given.on("--project") else "user" if given.on("--user") else ""
    root = given.text("--root")
    return InstallRequest(
        host,
        lambda: Path(os.path.realpath(root)) if root else find_root(Path()),
        program=program(),
        portable=_portable(),
        flags=given.all("FLAG"),
        scope=scope,
        only=given.on("--only"),
        instructions=given.on("--instructions"),
        dry_run=given.on("--dry-run"),
        actor=actor_of(given),
    )


def _portable() -> tuple[str, ...]:
    """Return what starts this keyhole on other machines too, if the search path knows it."""
    own, found = program(), which("keyhole")
    return ("keyhole",) if len(own) == 1 and found and Path(found).samefile(own[0]) else ()


HOST = Argument("HOST", f"one of {', '.join(HOSTS)}", required=False, kind="text", choices=HOSTS)
WHERE = (
    switch("--all", "every host that is on this machine"),
    switch("--user", "in the file for all of your projects"),
    switch("--project", "in the file of this project"),
    # Not the flag of the other commands: the project is asked for only where it counts.
    Flag(
        "--root",
        "the project, default found from here upwards",
        "DIRECTORY",
        "directory",
        many=True,
    ),
)

COMMAND = Command(
    "install",
    "set keyhole up in an agent host",
    run,
    about="""\
Edits the host's own configuration by key: nothing but the entry of keyhole changes, and the file as
it was is kept, so that `keyhole uninstall` restores it to the byte. Words behind -- are flags of
`keyhole mcp`. Without --user or --project the file is the user's, or the project's where the host
starts servers for no project.""",
    example="""\
$ keyhole install codex
$ keyhole install claude-code --project --only --instructions
$ keyhole install --all --dry-run
$ keyhole install gemini-cli -- --read-only""",
    arguments=(
        HOST,
        Argument("FLAG", "flags of `keyhole mcp`", required=False, kind="text", many=True),
    ),
    groups={
        "where": WHERE,
        "what": (
            switch("--only", "switch the host's own tools for editing off, where it can be told"),
            switch("--instructions", "tell the model about keyhole in the project's instructions"),
        ),
        "how": (DRY_RUN, ACTOR),
        "output": OUTPUT,
    },
)
