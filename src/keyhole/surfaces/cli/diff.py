"""keyhole diff: what many transactions did as one diff, with the reason of each hunk."""

from __future__ import annotations

from keyhole.engine.history.changes import HEAD, UNSEEN, ChangesRequest
from keyhole.surfaces.cli.grammar import (
    LOOKING,
    OUTPUT,
    Argument,
    Command,
    Flag,
    Given,
    apart,
    switch,
)
from keyhole.surfaces.cli.output import DONE, answer, paged, root_rows
from keyhole.surfaces.cli.session import opened, path_in, reviewer_of


def run(given: Given) -> int:
    """Show one diff of many transactions."""
    apart(given, "--unseen", "--since")
    path = given.text("PATH")
    with opened(given) as engine:
        wanted = ChangesRequest(
            UNSEEN if given.on("--unseen") else _since(given),
            given.text("--task") or "",
            given.text("--actor") or "",
            given.text("--session") or "",
            path_in(given, engine.root, path) if path else "",
        )
        found = engine.review.diff(wanted, reviewer_of())
    if given.on("--json"):
        return answer(found, given)
    paged([*found.as_rows(only_counts=given.on("--stat")), *root_rows(given)], given)
    return DONE


def _since(given: Given) -> str:
    said = given.text("--since") or ""
    return HEAD if said.upper() == HEAD else said


COMMAND = Command(
    "diff",
    "show what many transactions did as one diff, with the reasons",
    run,
    about="""\
The diff goes from before the first of the transactions to after the last one. With --task, --actor
or --session it is what those transactions did alone, also where others edited in between. Above
the diff of each file stand the reasons, with the lines of their hunks; `git apply` skips them.

Without flags it is all that the history holds. --since HEAD compares with the last commit of git,
file by file, of those that keyhole changed.""",
    example="""\
$ keyhole diff --since HEAD
$ keyhole diff --since 2h app.py
$ keyhole diff --task login --stat
$ keyhole diff --since 12 | git apply -R""",
    arguments=(Argument("PATH", "only this file or directory", required=False),),
    groups={
        "which": (
            Flag(
                "--since",
                "behind a transaction (12), a time (2h, 2026-01-31) or HEAD",
                "WHEN",
                "transaction",
            ),
            switch("--unseen", "what you have not marked as seen in `keyhole review`"),
            Flag("--task", "only of this task", "NAME", "task"),
            Flag("--actor", "only of this actor", "NAME"),
            Flag("--session", "only of this connection, as history names it", "NAME"),
        ),
        "what to show": (switch("--stat", "only how many lines each file gained and lost"),),
        "workspace": LOOKING,
        "output": OUTPUT,
    },
)
