from keyhole.answers.history import PastTransaction
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange, Origin


def test_an_entry_of_another_checkout_says_where_it_was_made() -> None:
    draft = EntryDraft("0" * 12, 0.0, Call(actor="me"), (FileChange("a.txt", None, "0" * 16),))
    origin = Origin("desk", "/src/app", "main", "abc")
    past = PastTransaction(Entry("1-0", 1, draft, APPLIED, origin=origin))

    data = past.as_data()

    assert (data["machine"], data["worktree"], data["branch"]) == ("desk", "/src/app", "main")
    assert "on desk:/src/app (main)" in past.as_text()
