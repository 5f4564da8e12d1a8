"""keyhole history: list the transactions, newest first, or export them as patches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keyhole.arguments import parse_moment
from keyhole.engine.history.recall import HistoryRequest
from keyhole.surfaces.cli.grammar import (
    LOOKING,
    OUTPUT,
    WORKSPACES,
    Argument,
    Command,
    Flag,
    Given,
    Usage,
    apart,
    number,
    switch,
)
from keyhole.surfaces.cli.output import DONE, answer, is_terminal, paged_text, root_rows, say_bytes
from keyhole.surfaces.cli.session import opened, path_in

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine


def since(text: str | None) -> float:
    """Return the seconds since 1970 of a moment; 0 where none is given."""
    if text is None:
        return 0.0
    found = parse_moment(text)
    if found is None:
        raise Usage(f"--since is {text!r}; it is 90s, 30m, 2h, 3d, 1w or 2026-01-31T12:00")
    return found


_MOST_EXPORTED = 100_000


def run(given: Given) -> int:
    """List transactions, or write them as a mailbox of patches."""
    apart(given, "--export", "--json", "--segment")  # patches are of whole transactions
    apart(given, "PATH", "--path")
    with opened(given) as engine:
        wanted = _wanted(given, engine)
        if given.on("--export"):
            return _export(engine, wanted)
        history = engine.history(wanted, given.text("--segment") or "")
    if given.on("--json") or not is_terminal():
        return answer(history, given)
    from keyhole.surfaces.cli.tables import history_table

    paged_text("\n".join([history_table(history, given), *root_rows(given)]))
    return DONE


def _export(engine: Engine, wanted: HistoryRequest) -> int:
    say_bytes(engine.administration.patches(wanted))
    return DONE


def _wanted(given: Given, engine: Engine) -> HistoryRequest:
    path = given.text("PATH") or given.text("--path")
    return HistoryRequest(
        path=path_in(given, engine.root, path) if path else "",
        actor=given.text("--actor"),
        task=given.text("--task"),
        since=since(given.text("--since")),
        machine=given.text("--machine"),
        worktree=given.text("--worktree"),
        limit=given.number("--limit", _MOST_EXPORTED if given.on("--export") else 50),
    )


COMMAND = Command(
    "history",
    "list the transactions, newest first",
    run,
    about="""\
--export prints the transactions as a series of patches in mail form, oldest first, with the reasons
as messages: `git am` takes it. Where a journal is shared, those of this workspace are exported, or
those of the one that --machine or --worktree names.""",
    example="""\
$ keyhole history app.py --since 2h
$ keyhole history --task login --export | git am""",
    arguments=(Argument("PATH", "only what touched this file or directory", required=False),),
    groups={
        "which": (
            Flag("--path", "the same as PATH", "PATH", kind="file"),
            Flag("--task", "only of this task", "NAME", "task"),
            Flag("--actor", "only of this actor", "NAME"),
            Flag(
                "--segment",
                "only what edited this segment, or something in it",
                "ADDRESS",
                "segment",
            ),
            Flag("--since", "90s, 30m, 2h, 3d, 1w, or a date", "WHEN"),
            number("--limit", "how many at most, default 50"),
            switch("--export", "print patches for `git am`"),
            *WORKSPACES,
        ),
        "workspace": LOOKING,
        "output": OUTPUT,
    },
)
