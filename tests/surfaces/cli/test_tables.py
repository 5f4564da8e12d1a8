"""The table of a terminal says what the text says."""

from keyhole.answers.history import History, PastTransaction, ProposalSummary
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange
from keyhole.review_queue import Proposal, Proposer
from keyhole.surfaces.cli.grammar import Command, Given
from keyhole.surfaces.cli.tables import history_table
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
        Proposal("p-00000000", Proposer(0.0, "cursor", reason=reason), Plan((FILE,)))
    )


def test_what_waits_and_what_is_missing_stand_above_the_table() -> None:
    history = History((PAST,), "looked no further", (offered("why"),))

    note, offer, head, row = history_table(history, PLAIN).split("\n")

    assert note == "note: looked no further"
    assert offer == "proposal p-00000000  1970-01-01T00:00:00Z  cursor  proposed  b.txt: why"
    assert head.split() == ["id", "when", "who", "what"]
    assert row.split() == ["1-0000", "1970-01-01T00:00:00Z", "anna", "a"]


def test_a_reason_drives_no_terminal() -> None:
    for past in ((), (PAST,)):
        shown = history_table(History(past, proposals=(offered("\x1b[2Jgone"),)), PLAIN)

        assert "\x1b" not in shown
        assert "\u241b[2Jgone" in shown
