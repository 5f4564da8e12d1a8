"""keyhole install: set keyhole up in the configuration of agent hosts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.engine.install.answers import Installed
from keyhole.engine.install.installer import install, present
from keyhole.engine.install.request import InstallRequest
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
from keyhole.surfaces.cli.mcp import ENTRY, HOSTS, is_on_path, program
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
    told: dict[str, Installed | Receipt] = {}
    for host in hosts:
        try:
            told[host] = step(_wish(given, host))
        except Refused as refused:
            # A host that has nothing of ours has nothing to tell.
            if refused.refusals[0].code != "nothing-to-undo":
                told[host] = Receipt.refused(refused.refusals)
    is_done = all(map(_is_done, told.values()))
    if given.on("--json"):
        rows = [{"host": host, **one.as_data()} for host, one in told.items()]
        say(as_json({"ok": is_done, "hosts": rows}))
    else:
        for host, one in told.items():
            if isinstance(one, Installed):
                answer(one, given)
            else:
                say(f"{host}: ", end="")
                tell(one, given)
    return DONE if is_done else REFUSED


def _is_done(told: Installed | Receipt) -> bool:
    return isinstance(told, Installed)


def _wish(given: Given, host: str) -> InstallRequest:
    scope = "project" if given.on("--project") else "user" if given.on("--user") else ""
    root = given.text("--root")
    return InstallRequest(
        host,
        lambda: Path(os.path.realpath(root)) if root else find_root(Path()),
        program=program(),
        source=given.text("--from") or "",
        on_path=is_on_path(),
        trust=given.on("--trust"),
        flags=given.all("FLAG"),
        scope=scope,
        only=given.on("--only"),
        instructions=given.on("--instructions"),
        hooks=given.on("--hooks"),
        dry_run=given.on("--dry-run"),
        actor=actor_of(given),
    )


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
starts servers for no project. A project's file is shared: it names `keyhole` on the search path, or
what --from names, and nothing of this machine.""",
    example="""\
$ keyhole install codex
$ keyhole install claude-code --project --only --instructions --hooks
$ keyhole install --all --dry-run
$ keyhole install gemini-cli --trust -- --read-only""",
    arguments=(
        HOST,
        Argument("FLAG", "flags of `keyhole mcp`", required=False, kind="text", many=True),
    ),
    groups={
        "where": WHERE,
        "what": (
            switch("--only", "switch the host's own tools for editing off, where it can be told"),
            switch("--hooks", "let the host call keyhole around its tools, for the history"),
            switch("--instructions", "tell the model about keyhole in the project's instructions"),
            *ENTRY,
        ),
        "how": (DRY_RUN, ACTOR),
        "output": OUTPUT,
    },
)
