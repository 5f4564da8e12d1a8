from keyhole.answers.history import History, PastTransaction
from keyhole.answers.lean import lean, lean_text
from keyhole.answers.paging import MOST_BYTES, PageRequest, paged
from keyhole.answers.reading import Hit, Hits, Outlined, OutlinedTree, Reading, SegmentRow
from keyhole.answers.receipt import Receipt
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange

FIRST = PageRequest({"path": "a.py"})


def past(*paths: str, reason: str = "") -> PastTransaction:
    files = tuple(FileChange(path, None, "0" * 16) for path in paths)
    draft = EntryDraft("0" * 12, 0.0, Call(actor="me", reason=reason), files)
    return PastTransaction(Entry("1-0", 1, draft, APPLIED))


def test_an_answer_without_rows_is_its_own_page() -> None:
    receipt = Receipt("verified")

    assert paged(receipt, FIRST) is receipt


def test_a_hit_comes_with_the_lines_nearest_to_it() -> None:
    around = tuple(f"{number:0200}" for number in range(40))
    page = paged(Hits((Hit("a.py", 41, 1, "x", "f", around, around),), 1), FIRST)

    assert isinstance(page, Hits)
    [hit] = page.hits
    assert hit.before == around[-len(hit.before) :]
    assert hit.after == around[: len(hit.after)]
    assert 0 < len(lean_text(page)) < MOST_BYTES


def test_the_outline_of_deep_segments_is_as_long_as_a_page_may_be() -> None:
    names = ["a" + ".a" * depth for depth in range(300)]
    rows = tuple(
        SegmentRow(name, "key", (1, 1), name.rpartition(".")[0], {"all": (1, 1)}) for name in names
    )
    file = Outlined("a.json", "0" * 16, "json", rows)
    for answer in (file, OutlinedTree("", (file,), 1)):
        page = paged(answer, FIRST)

        assert isinstance(page, Outlined | OutlinedTree)
        shown = page.rows if isinstance(page, Outlined) else page.files[0].rows
        assert MOST_BYTES * 0.9 < len(lean_text(page)) <= MOST_BYTES
        assert page.next["offset"] == str(len(shown))


def test_a_transaction_of_many_files_is_listed_with_the_first_of_them() -> None:
    paths = [f"{'d' * 200}/{number}.py" for number in range(60)]
    page = paged(History((past(*paths, reason="r" * 1000),)), FIRST)

    assert isinstance(page, History)
    [row] = page.transactions
    listed = [file.path for file in row.entry.files]
    assert listed == paths[: len(listed)]
    assert 1 < len(listed) < 20
    assert row.more_files == 60 - len(listed)
    assert row.entry.call.reason == f"{'r' * 400}…"


def test_lines_that_just_fit_have_no_page_behind_them() -> None:
    reading = Reading("a.py", "0" * 16, 1, ("x", "y"), 2, truncated=True, end=2)

    page = paged(reading, FIRST)

    assert isinstance(page, Reading)
    assert (page.rows, page.truncated, page.next) == (("x", "y"), False, {})
    assert "next" not in lean(page)
