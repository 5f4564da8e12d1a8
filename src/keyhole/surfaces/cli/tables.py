"""Tables for a terminal, fitted to its width."""

from __future__ import annotations

import io
import shutil
import time
from collections.abc import Iterable
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from keyhole.answers.history import History, PastTransaction, ProposalSummary
from keyhole.surfaces.cli.grammar import Given
from keyhole.surfaces.cli.output import harmless, is_coloured

_OUTCOMES = {"applied": "green", "not_applied": "red"}


def history_table(history: History, given: Given, now: float | None = None) -> str:
    """Return the transactions as a table, a line each, below what else there is to say."""
    if not history.transactions and not history.proposals:
        return harmless(history.as_text())
    now = time.time() if now is None else now
    table = _table()
    for offer in history.proposals:
        table.add_row(*_offered(offer, now))
    for past in history.transactions:
        table.add_row(*_cells(past, now))
    above = [harmless(f"note: {history.note}")] if history.note else []
    return "\n".join([*above, _drawn(table, given)])


def proposals_table(offers: Iterable[ProposalSummary], given: Given) -> str:
    """Return proposals as a table, a line each."""
    table = _table()
    now = time.time()
    for offer in offers:
        table.add_row(*_offered(offer, now))
    return _drawn(table, given)


def _table() -> Table:
    """Return an empty table; what there is no room for is cut from its last column only."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title in ("id", "when"):
        table.add_column(title, no_wrap=True)
    table.add_column("who", no_wrap=True, overflow="ellipsis", max_width=_WIDEST_NAME)
    table.add_column("what", no_wrap=True, overflow="ellipsis", ratio=1)
    return table


_WIDEST_NAME = 16
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0


def ago(then: float, now: float) -> str:
    """Return a time as people near it say it: how long ago, or the day and the hour here."""
    passed = now - then
    if passed < _MINUTE:
        return "now" if passed > -_MINUTE else _local(then, "%d %b %H:%M")
    if passed < _HOUR:
        return f"{int(passed / _MINUTE)} min ago"
    if passed < _DAY:
        return f"{int(passed / _HOUR)} h ago"
    if passed < 300 * _DAY:
        return _local(then, "%d %b %H:%M")
    return _local(then, "%d %b %Y")


def _local(then: float, form: str) -> str:
    return datetime.fromtimestamp(then).astimezone().strftime(form)


def _cells(past: PastTransaction, now: float) -> tuple[Text, ...]:
    entry, call = past.entry, past.entry.call
    names = [change.path for change in entry.files if not change.moved_to]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    what = Text(_one_line(", ".join(names[:_MOST_NAMES])) + more)
    for note in (
        *(f"undoes {one.entry}" for one in call.undoes),
        *map("undone by {}".format, past.undone_by),
    ):
        what.append(f" ({note})", style="yellow")
    if call.task:
        what.append(_one_line(f" [{call.task}]"), style="cyan")
    if call.reason:
        what.append(_one_line(f" {call.reason}"), style="dim")
    name = Text(entry.id, style=_OUTCOMES.get(entry.outcome, "yellow"))
    return name, Text(ago(entry.time, now)), Text(_one_line(call.actor)), what


_MOST_NAMES = 3


def _offered(offer: ProposalSummary, now: float) -> tuple[Text, ...]:
    proposed = offer.proposed
    asked = proposed.asked
    names = [file.path for file in proposed.plan.files]
    what = Text(_one_line(", ".join(names[:_MOST_NAMES])))
    what.append(f" ({proposed.outcome})", style="yellow")
    what.append(_one_line(f" [{asked.task}]") if asked.task else "", style="cyan")
    what.append(_one_line(f" {asked.reason}") if asked.reason else "", style="dim")
    name = Text(proposed.id, style="yellow")
    return name, Text(ago(asked.time, now)), Text(_one_line(asked.actor)), what


def _one_line(text: str) -> str:
    return harmless(" ".join(text.split("\n")))


def _drawn(table: Table, given: Given) -> str:
    paper = io.StringIO()
    coloured = is_coloured(given)
    width = shutil.get_terminal_size((100, 24)).columns
    console = Console(
        file=paper,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
        width=width,
    )
    console.print(table)
    rows = paper.getvalue().rstrip("\n").split("\n")
    return "\n".join(row.rstrip() for row in rows)
