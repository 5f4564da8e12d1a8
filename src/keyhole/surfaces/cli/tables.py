"""Tables for a terminal, fitted to its width."""

from __future__ import annotations

import io
import shutil

from rich.console import Console
from rich.table import Table
from rich.text import Text

from keyhole.answers.history import History, PastTransaction, moment
from keyhole.surfaces.cli.grammar import Given
from keyhole.surfaces.cli.output import harmless, is_coloured

_OUTCOMES = {"applied": "green", "not_applied": "red"}


def history_table(history: History, given: Given) -> str:
    """Return the transactions as a table, below what else there is to say."""
    if not history.transactions:
        return harmless(history.as_text())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, wraps in (("id", False), ("when", False), ("who", False), ("what", True)):
        table.add_column(title, no_wrap=not wraps, overflow="fold")
    for past in history.transactions:
        table.add_row(*_cells(past))
    above = [f"note: {history.note}"] if history.note else []
    above += [f"proposal {offer.as_text()}" for offer in history.proposals]
    return "\n".join([*map(harmless, above), _drawn(table, given)])


def _cells(past: PastTransaction) -> tuple[Text, ...]:
    entry, call = past.entry, past.entry.call
    what = Text(harmless(", ".join(change.path for change in entry.files)))
    for note in (
        *(f"undoes {one.entry}" for one in call.undoes),
        *map("undone by {}".format, past.undone_by),
    ):
        what.append(f" ({note})", style="yellow")
    if call.task:
        what.append(harmless(f" [{call.task}]"), style="cyan")
    if call.reason:
        what.append(harmless(f" {call.reason}"), style="dim")
    name = Text(entry.id, style=_OUTCOMES.get(entry.outcome, "yellow"))
    return name, Text(moment(entry.time)), Text(harmless(call.actor)), what


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
