"""keyhole review: a page of what agents did, why, and how to take it back."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import (
    ENCODING,
    JOURNAL,
    MAX_BYTES,
    READ_ONLY,
    ROOT,
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
    from keyhole.surfaces.web.serving import export, serve

    apart(given, "--export", "--port")
    if given.on("--task") and not given.on("--export"):
        raise Usage("--task goes with --export; the page itself has a filter for it")
    actor = actor_of(given).replace("cli:", "review:", 1)
    with held(given) as engine:
        if target := given.text("--export"):
            return export(engine, actor, target, given.text("--task") or "")
        return serve(engine, actor, given.number("--port", 0), browse=not given.on("--no-open"))


COMMAND = Command(
    "review",
    "watch edits in the browser, see why, and take them back",
    run,
    about="""\
Serves a page on this machine only and opens it in the browser: the timeline of edits as they
happen, each with its reason and diff, and undo of a transaction, a file or one edit. The address
works once; the browser keeps a cookie.""",
    example="""\
$ keyhole review
$ keyhole review --port 8765 --no-open
$ keyhole review --export login.html --task login""",
    groups={
        "page": (
            number("--port", "the port to listen at, default any that is free", "PORT"),
            switch("--no-open", "print the address and open no browser"),
        ),
        "instead of serving": (
            Flag("--export", "write one file that needs no server and no network", "FILE", "file"),
            Flag("--task", "with --export: only this task, with all of it as one diff", "NAME"),
        ),
        "workspace": (ROOT, READ_ONLY, MAX_BYTES, ENCODING, JOURNAL),
    },
)
