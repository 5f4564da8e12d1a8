"""The table of a terminal says what the text says."""

from datetime import datetime

import pytest

from keyhole.answers.history import History, PastTransaction, ProposalSummary
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange
from keyhole.review_queue import Proposal, Proposer
from keyhole.surfaces.cli.grammar import Command, Given
from keyhole.surfaces.cli.tables import ago, history_table, proposals_table
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document

PLAIN = Given(Command("history", "", lambda _: 0, "", {}), {"--color": ("never",)})
PAST = PastTransaction(
    Entry(
        "1-0000", 1, EntryDraft("0" * 12, 0.0, Call("anna"), (FileChange("a", None, "0"),)), APPLIED
    )
)
FILE = FilePlan("b.txt", None, Document("x"), ChangeSet(0))


def offered(reason: str) -> ProposalSummary:
    return ProposalSummary(
        Proposal("p-00000000", Proposer(0.0, "cursor", "login", reason=reason), Plan((FILE,)))
    )


def test_what_waits_stands_above_what_was_done_and_a_note_above_both() -> None:
    history = History((PAST,), "looked no further", (offered("why"),))

    note, head, offer, row = history_table(history, PLAIN).split("\n")

    assert note == "note: looked no further"
    assert head.split() == ["id", "when", "who", "what"]
    assert offer.split() == [
        *("p-00000000", "01", "Jan", "1970", "cursor"),
        *("b.txt", "(proposed)", "[login]", "why"),
    ]
    assert row.split() == ["1-0000", "01", "Jan", "1970", "anna", "a"]
    assert proposals_table((offered("why"),), PLAIN).split("\n") == [head, offer]


def test_only_the_last_column_is_cut_where_a_terminal_is_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    history = History((PAST,), proposals=(offered("why " * 100),))

    _, offer, row = history_table(history, PLAIN).split("\n")

    assert offer.startswith("p-00000000  01 Jan 1970  cursor  b.txt (proposed) [login] why")
    assert (len(offer), offer[-1]) == (80, "…")
    assert row.split() == ["1-0000", "01", "Jan", "1970", "anna", "a"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "now"), (59, "now"), (60, "1 min ago"), (3599, "59 min ago"), (7300, "2 h ago")],
)
def test_a_time_is_said_as_people_near_it_say_it(seconds: float, said: str) -> None:
    assert ago(1_000_000_000.0 - seconds, 1_000_000_000.0) == said


def test_an_older_time_is_the_day_and_the_hour_here() -> None:
    now = 1_000_000_000.0
    here = datetime.fromtimestamp(now - 90_000).astimezone()

    assert ago(now - 90_000, now) == here.strftime("%d %b %H:%M")
    assert ago(now - 400 * 86_400, now).endswith("2000")


def test_a_transaction_is_one_line_however_long_its_reason() -> None:
    call = Call("anna-with-a-very-long-name", reason="why " * 100 + "\nand more")
    entry = Entry("1-0000", 1, EntryDraft("0" * 12, 0.0, call, ()), APPLIED)

    shown = history_table(History((PastTransaction(entry),)), PLAIN)

    assert shown.count("\n") == 1
    assert shown.endswith("…")


def test_a_reason_drives_no_terminal() -> None:
    for past in ((), (PAST,)):
        shown = history_table(History(past, proposals=(offered("\x1b[2Jgone"),)), PLAIN)

        assert "\x1b" not in shown
        assert "\u241b[2Jgone" in shown
