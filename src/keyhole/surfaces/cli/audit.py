"""keyhole audit: what became of articles, with patches and reasons, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keyhole.engine.history.recall import HistoryRequest
from keyhole.surfaces.cli.grammar import (
    LOOKING,
    WORKSPACES,
    Argument,
    Command,
    Flag,
    Given,
    number,
    switch,
)
from keyhole.surfaces.cli.history import since
from keyhole.surfaces.cli.output import DONE, as_json, say
from keyhole.surfaces.cli.session import opened, path_in

if TYPE_CHECKING:
    from keyhole.engine.history.audit import Audit


def run(given: Given) -> int:
    """Print the audit."""
    say(as_json(_audit(given).as_data()))
    return DONE


def _audit(given: Given) -> Audit:
    with opened(given) as engine:
        paths = [path_in(given, engine.root, path) for path in given.all("PATH")]
        wanted = HistoryRequest(
            actor=given.text("--actor"),
            task=given.text("--task"),
            since=since(given.text("--since")),
            machine=given.text("--machine"),
            worktree=given.text("--worktree"),
            limit=given.number("--limit", 50),
        )
        return engine.administration.audit(wanted, paths)


COMMAND = Command(
    "audit",
    "print what became of articles, with patches and reasons, as JSON",
    run,
    about="""\
Each record is one transaction or refused call, newest first; each of its articles has a status
(updated, error, or skipped where another task was there), the patch, and `editReasons`, one reason
an edit. An article that is named and was not touched is in a last record, as unchanged.""",
    example="$ keyhole audit docs/auth/login.md --since 1d",
    arguments=(Argument("PATH", "only these files", required=False, many=True),),
    groups={
        "which": (
            Flag("--task", "only of this task", "NAME"),
            Flag("--actor", "only of this actor", "NAME"),
            Flag("--since", "90s, 30m, 2h, 3d, 1w, or a date", "WHEN"),
            number("--limit", "how many at most, default 50"),
            *WORKSPACES,
        ),
        "workspace": LOOKING,
        "output": (switch("--json", "print JSON, as this command always does"),),
    },
)
