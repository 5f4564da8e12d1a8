"""keyhole task: list the tasks, end one, or claim files for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keyhole.engine.options import Options
from keyhole.surfaces.cli.grammar import (
    LOOKING,
    OUTPUT,
    REASON,
    Argument,
    Command,
    Flag,
    Given,
    Usage,
)
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import actor_of, opened, path_in, seconds

if TYPE_CHECKING:
    from keyhole.answers.receipt import Answer
    from keyhole.engine.facade import Engine

_ACTOR = Flag("--actor", "who claims, default cli:USER", "NAME")
_FOR_CLAIMS = ("--segment", "--for")
# What each word takes behind it: a task, and a file.
_TAKES = {"list": "", "end": "N", "claim": "NP", "release": "Np", "claims": ""}


def run(given: Given) -> int:
    """Carry out what the first word says."""
    what = given.text("WHAT") or "list"
    takes = _TAKES[what]
    fits = given.on("NAME") == ("N" in takes) and given.on("PATH") <= ("P" in takes.upper())
    if not fits or ("P" in takes and not given.on("PATH")):
        raise Usage("say `task end NAME`, `task claim NAME PATH`, or `task` for the list")
    if what != "claim" and (idle := [name for name in _FOR_CLAIMS if given.on(name)]):
        raise Usage(f"{idle[0]} goes with `task claim`, not with `task {what}`")
    with opened(given) as engine:
        found = _found(what, engine, given)
    return answer(found, given)


def _found(what: str, engine: Engine, given: Given) -> Answer:
    admin, name = engine.administration, given.text("NAME") or ""
    if what == "list":
        return admin.tasks()
    if what == "end":
        return admin.end_task(name)
    if what == "claims":
        return admin.leases()
    path = given.text("PATH")
    path = path_in(given, engine.root, path) if path else ""
    if what == "release":
        return admin.release(name, path)
    reason, for_seconds = given.text("--reason") or "", seconds(given, "--for", 600.0)
    options = Options(task=name, claim=for_seconds, actor=actor_of(given), reason=reason)
    return admin.lease(path, given.text("--segment") or "", options)


COMMAND = Command(
    "task",
    "list the tasks, end one, or claim files for one",
    run,
    about="""\
An edit where another open task edited is refused, unless the caller has seen that version. Once a
task is ended, its edits are nobody's any more.

With a shared journal a task can claim a file, or a segment of it, for a while. In the same checkout
other tasks are refused there until the time is over, and the task itself once it is; other
worktrees are warned. `claims` lists them all, `release` gives them back.""",
    example="""\
$ keyhole task end login
$ keyhole task claim login app.py --segment Session.renew --for 10m""",
    arguments=(
        Argument(
            "WHAT",
            "list (default), end, claim, release or claims",
            required=False,
            kind="text",
            choices=tuple(_TAKES),
        ),
        Argument("NAME", "the task", required=False, kind="task"),
        Argument("PATH", "the file to claim or release", required=False),
    ),
    groups={
        "claim": (
            Flag("--segment", "only this segment, as `outline` lists them", "ADDRESS"),
            Flag("--for", "for how long: 90s, 10m (default), 2h; up to a day", "TIME"),
            REASON,
            _ACTOR,
        ),
        "workspace": LOOKING,
        "output": OUTPUT,
    },
)
