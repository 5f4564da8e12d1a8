"""Task modes: what a task of each kind may write."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused

# research and analyze look, generate makes files, modify edits those there are, execute does all.
TASK_MODES = ("research", "generate", "modify", "execute", "analyze")
LOOKING = frozenset({"research", "analyze"})


def narrower(one: str, other: str) -> str:
    """Return the task mode that allows what both allow; "" and execute allow everything."""
    known = [mode for mode in (one, other) if mode not in {"", "execute"}]
    if len(set(known)) > 1:
        return next((mode for mode in known if mode in LOOKING), "analyze")
    return known[0] if known else one or other


def check_mode(mode: str, who: str) -> None:
    """Refuse an unknown task mode; `who` names the setting."""
    if mode not in TASK_MODES:
        headline = f"{who} to {mode!r}; it is one of {', '.join(TASK_MODES)}"
        raise Refused(Refusal("bad-request", headline, data={"field": "task_mode"}))


def check_access(plan: Plan, mode: str) -> None:
    """Refuse what a task of this mode may not do; "" and execute may do everything."""
    refusals = [refusal for file in plan.files for refusal in _refusals(file, mode)]
    if refusals:
        raise Refused(*refusals)


def _refusals(file: FilePlan, mode: str) -> Iterator[Refusal]:
    if file.is_unchanged or mode in {"", "execute"}:
        return
    if mode in LOOKING:
        yield _refusal(file, mode, "looks and reports, and writes nothing", "report what you found")
    elif mode == "generate" and file.before is not None:
        what = say("makes new files, and {} is there already", FileName(file.path))
        yield _refusal(file, mode, what, "give the new file another path")
    elif mode == "modify" and (file.before is None or file.after is None):
        what = say("edits files that exist, and would {} {}", _verb(file), FileName(file.path))
        yield _refusal(file, mode, what, "edit a file that is there")


def _verb(file: FilePlan) -> str:
    return "create" if file.before is None else "delete"


def _refusal(file: FilePlan, mode: str, what: str, move: str) -> Refusal:
    help_line = f"{move}, or ask the user for another task mode"
    headline = say("task mode {} {}", mode, what)
    return Refusal("read-only", headline, help=help_line, path=file.path)
