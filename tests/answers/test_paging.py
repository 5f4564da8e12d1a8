from keyhole.answers.history import History, PastTransaction, ProposalSummary
from keyhole.answers.lean import lean, lean_text
from keyhole.answers.paging import MOST_BYTES, PageRequest, paged
from keyhole.answers.reading import Hit, Hits, Outlined, OutlinedTree, Reading, SegmentRow
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import replace
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange
from keyhole.review_queue import Proposal, Proposer, ReviewVerdict
from keyhole.text.changes import ChangeSet

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


def test_one_transaction_comes_with_the_diffs_that_fit() -> None:
    paths = [f"src/{number}.py" for number in range(400)]
    found = replace(past(*paths), diffs={path: f"-old {path}\n+new\n" for path in paths})
    seen: list[str] = []
    offset = 0
    while offset < len(paths):
        page = paged(History((found,)), PageRequest({"id": "1-0"}, offset))
        assert isinstance(page, History)
        [row] = page.transactions
        assert len(lean_text(page)) < MOST_BYTES
        seen += [file.path for file in row.entry.files]
        assert row.more_files == len(paths) - len(seen)
        offset = int(str(page.next["offset"])) if page.next else len(paths)
    assert seen == paths
    assert paged(History((found,)), PageRequest({}, is_full=True)) == History((found,))
    rest = paged(History((found,)), PageRequest({}, 390, is_full=True))
    assert isinstance(rest, History)
    assert [file.path for file in rest.transactions[0].entry.files] == paths[390:]


def test_a_long_diff_is_cut_and_that_is_told() -> None:
    found = replace(past("a.py", "b.py"), diffs={"a.py": "+line\n" * 5000, "b.py": "+b\n"})

    page = paged(History((found,)), FIRST)

    assert isinstance(page, History)
    text = lean_text(page)
    assert text.startswith("note: long diffs are cut: the full answer has all of them\n")
    assert text.endswith("… more lines\n+b")
    assert 1500 < len(text) < MOST_BYTES


def test_a_proposal_of_many_files_is_paged_with_what_was_said_of_each() -> None:
    nothing = ChangeSet(0)
    files = tuple(FilePlan(f"{number}.py", None, None, nothing) for number in range(400))
    verdict = ReviewVerdict(0.0, "me", accepted=("399",))
    asked = Proposal("p1", Proposer(0.0, "me"), Plan(files), verdict)
    diffs = {file.path: "+" + "x" * 90 for file in files}

    page = paged(History((), proposals=(ProposalSummary(asked, diffs),)), PageRequest({}, 350))

    assert isinstance(page, History)
    [row] = page.proposals
    assert row.more_files == 50 - len(row.proposed.plan.files)
    assert row.first == 350
    assert len(lean_text(page)) < MOST_BYTES
