from keyhole.answers.observation import Observation
from keyhole.checkpoints.kept_out import SECRET, ListedFile
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange


def test_a_first_look_says_how_many_files_it_keeps() -> None:
    look = Observation(1, is_first=True, kept=7)

    assert look.as_text().splitlines() == [
        "first look: 7 files are kept; what changes from now on is seen",
        "checkpoint c1",
    ]


def test_a_look_that_found_nothing_says_so() -> None:
    assert Observation(2).as_text() == "nothing changed but by keyhole\ncheckpoint c2"


def test_a_look_names_what_it_found_and_what_it_does_not_keep() -> None:
    draft = EntryDraft("0" * 12, 0.0, Call(actor="person"), (FileChange("a.py", None, "0" * 16),))
    look = Observation(3, (Entry("1-0", 1, draft, APPLIED),), (ListedFile(".env", SECRET),))

    first, *rest = look.as_text().splitlines()

    assert first == "1-0  1970-01-01T00:00:00Z  person  applied  a.py"
    assert rest == [f"not kept, {SECRET}: .env", "checkpoint c3"]
