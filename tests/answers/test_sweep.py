import pytest

from keyhole.answers.file_receipt import FileReceipt
from keyhole.answers.receipt import Receipt
from keyhole.answers.sweep import FoundPlace, SweepSummary, SweptFile, cut_line
from keyhole.edits.model.plan import FilePlan
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document


def receipts(number: int) -> tuple[FileReceipt, ...]:
    """Return receipts of files that a sweep left as they were."""
    same = Document("x\n")
    plans = [FilePlan(f"{at:03}.py", same, same, ChangeSet(2)) for at in range(number)]
    return tuple(FileReceipt.of(plan, {}) for plan in plans)


def test_a_preview_is_the_same_for_programs_and_readers() -> None:
    place = FoundPlace("0a1b", 3, "f", "old", "new")
    summary = SweepSummary(
        2, 2, (SweptFile("a.py", 1, (place,)),), {"vendored": 4}, following=1, is_preview=True
    )
    receipt = Receipt("verified", dry_run=True, sweep=summary)

    data = receipt.as_data()

    shown = {"id": "0a1b", "line": 3, "segment": "f", "text": "old", "becomes": "new"}
    assert data["files"] == [{"path": "a.py", "count": 1, "places": [shown]}]
    assert (data["left_out"], data["next_offset"]) == ({"vendored": 4}, "1")
    assert receipt.as_text().splitlines()[1:] == [
        "2 places in 2 files",
        "left out: 4 vendored",
        "a.py: 1 place",
        "  0a1b  line 3  [f]",
        "    - old",
        "    + new",
        "... and 1 file more",
        "more places: the same call with offset 1",
    ]


def test_a_receipt_counts_the_files_that_do_not_fit() -> None:
    receipt = Receipt("applied", receipts(600), sweep=SweepSummary(700, 600, changed=600))

    _, headline, *rows, last = receipt.as_text().splitlines()

    assert headline == "600 of 700 places in 600 files"
    assert all(" 0 places" in row for row in rows)
    assert last == f"... and {600 - len(rows)} files more"
    assert len(receipt.as_text()) < 7_000


def test_a_receipt_in_full_tells_of_every_file_once() -> None:
    receipt = Receipt("applied", receipts(2), sweep=SweepSummary(2, 2, changed=2))

    listed = [line.split()[0] for line in receipt.as_text("full").splitlines()[2:]]

    assert listed == ["000.py", "001.py"]
    assert [file["edits"] for file in receipt.as_data()["files"]] == [[], []]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (0, f"{'a' * 160}…"),
        (450, f"…{'b' * 43}{'c' * 117}…"),
        (999, f"…{'d' * 160}"),
    ],
)
def test_of_a_long_line_the_place_is_shown(at: int, shown: str) -> None:
    line = "a" * 240 + "b" * 200 + "c" * 300 + "d" * 260

    assert cut_line(line, at) == shown
    assert cut_line("short", 3) == "short"
