"""keyhole review: a page of what agents did, why, and how to take it back."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from keyhole.engine.preferences import editor
from keyhole.engine.root import find_root
from keyhole.fastclasses import replace
from keyhole.surfaces.cli.grammar import (
    ENCODING,
    JOURNAL,
    MAX_BYTES,
    READ_ONLY,
    Command,
    Flag,
    Given,
    Usage,
    apart,
    number,
    switch,
)
from keyhole.surfaces.cli.session import actor_of, held


def run(given: Given) -> int:
    """Serve the page until the user has seen enough."""
    from keyhole.surfaces.web.serving import Wanted, export, serve

    apart(given, "--export", "--port", "--host-name", "--editor")
    if given.on("--task") and not given.on("--export"):
        raise Usage("--task goes with --export; the page itself has a filter for it")
    actor = actor_of(given).replace("cli:", "review:", 1)
    roots = given.all("--root") or (str(find_root(Path())),)
    with ExitStack() as opened:
        engines = [opened.enter_context(held(_at(given, root))) for root in dict.fromkeys(roots)]
        if target := given.text("--export"):
            return export(engines[0], actor, target, given.text("--task") or "")
        port = given.number("--port", 0) if given.on("--port") else None
        name = given.text("--host-name") or ""
        form = editor(given.text("--editor") or "")
        return serve(engines, Wanted(actor, port, name, form, not given.on("--no-open")))


def _at(given: Given, root: str) -> Given:
    """Return what was given, with one root of those that were named."""
    return replace(given, values={**given.values, "--root": (root,)})


_ROOTS = Flag(
    "--root",
    "the workspace, default as for every command; repeat it to review several in one page",
    "DIRECTORY",
    kind="directory",
    many=True,
)


COMMAND = Command(
    "review",
    "watch edits in the browser, see why, and take them back",
    run,
    about="""\
Serves a page on this machine only and opens it in the browser: the timeline of edits as they
happen, each with its reason and diff, and undo of a transaction, a file or one edit. The address
lets in one browser, once; that browser stays known for 90 days, also after a restart, and the port
of a workspace is the same at every start. `Changes` is everything since you looked as one diff.""",
    example="""\
$ keyhole review
$ keyhole review --port 8765 --no-open
$ keyhole review --root api --root web --editor zed
$ keyhole review --export login.html --task login""",
    groups={
        "page": (
            number(
                "--port", "the port to listen at, default one that belongs to the workspace", "PORT"
            ),
            Flag("--host-name", "the name that a proxy with TLS forwards to the page", "NAME"),
            Flag(
                "--editor",
                "where links to lines lead: vscode (default), cursor, windsurf, zed, idea, none or "
                "a link with {path} and {line}; else KEYHOLE_EDITOR",
                "NAME",
            ),
            switch("--no-open", "print the address and open no browser"),
        ),
        "instead of serving": (
            Flag("--export", "write one file that needs no server and no network", "FILE", "file"),
            Flag("--task", "with --export: only this task, with all of it as one diff", "NAME"),
        ),
        "workspace": (_ROOTS, READ_ONLY, MAX_BYTES, ENCODING, JOURNAL),
    },
)
