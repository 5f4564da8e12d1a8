"""What each address answers, without a browser."""

import http.client
import re
from html import unescape
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit, MoveFile, WriteFile
from keyhole.engine.options import Options
from keyhole.engine.review import Review
from keyhole.fastclasses import replace
from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.web.pages.refusals import refused_call
from tests.surfaces.web.stage import Served, Stage


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nowhere/%3Cb%3E", "There is no page at /nowhere/&lt;b&gt;."),
        ("/tx/999", "there is no transaction &#39;999&#39;"),
        ("/proposals/p-00000000", "there is no proposal"),
        ("/file", "`path` is missing"),
        ("/file?path=../x", "path-denied"),
        ("/file?path=a.txt&segment=nowhere", "has no segment &#39;nowhere&#39; any more"),
        ("/task", "`name` is missing"),
        ("/?outcome=odd", "`outcome` is &#39;odd&#39;"),
        ("/?since=odd", "`since` is &#39;odd&#39;"),
        ("/insight?since=odd", "`since` is &#39;odd&#39;"),
        ("/refusal?at=odd", "`at` is no time"),
        ("/changes/file?since=all&file=b.txt", "b.txt is not among these changes"),
    ],
)
def test_an_address_that_leads_nowhere_says_why(
    stage: Stage, served: Served, path: str, said: str
) -> None:
    stage.write("a.txt", "one\n")

    status, _, text = served.ask(path)

    assert status == 404
    assert said in text


def test_a_file_that_is_gone_still_has_a_history(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"), reason="was here")
    (stage.root / "a.txt").unlink()

    status, _, text = served.ask("/file?path=a.txt")

    assert (status, "was here" in text) == (200, True)


def test_each_part_of_a_file_says_whose_it_is(stage: Stage, served: Served) -> None:
    stage.write("a.md", "# One\n\none\n\n# Two\n\ntwo\n\n# Three\n\nthree\n")
    stage.edit("a.md", ("one", "1"), reason="was here")
    stage.write("a.md", stage.read("a.md").replace("two", "2"))
    stage.edit("a.md", ("1", "one"))

    text = served.ask("/file?path=a.md")[2]

    rows = re.findall("<tr data-open.*?</tr>", text)
    said = ["reason 0", "by somebody outside keyhole", "before anything that is known"]
    assert [word in row for word, row in zip(said, rows, strict=True)] == [True] * 3


def test_a_segment_that_is_gone_still_has_a_history(stage: Stage, served: Served) -> None:
    stage.write("a.md", "# Guide\n\none\n")
    stage.edit("a.md", ("one", "two"), reason="was here")
    (stage.root / "a.md").rename(stage.root / "b.md")

    status, _, text = served.ask("/file?path=a.md&segment=Guide")

    assert (status, "was here" in text, "has it no more" in text) == (200, True, True)


@pytest.mark.parametrize("segment", ["", "&segment=Guide"])
def test_older_transactions_that_were_not_looked_at_are_told(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch, segment: str
) -> None:
    monkeypatch.setattr("keyhole.engine.history.blame._MOST_ENTRIES", 1)
    monkeypatch.setattr("keyhole.engine.history.blame._PAGE", 1)
    stage.write("a.md", "# Guide\n\none\n\n# More\n\ntwo\n")
    stage.edit("a.md", ("one", "1"))
    stage.edit("a.md", ("two", "2"))

    _, _, text = served.ask(f"/file?path=a.md{segment}")

    assert "Only the last 1 transactions of the file were looked at" in text


def edited_often(stage: Stage, times: int) -> None:
    """Let a task edit a file often, and somebody else once in between."""
    stage.write("a.txt", "0\nother\n")
    for number in range(times):
        stage.edit("a.txt", (f"{number}\n", f"{number + 1}\n"), task="long")
        if number == 3:
            stage.edit("a.txt", ("other", "another"), task="short")


def test_all_of_a_task_is_one_diff_without_what_others_did(stage: Stage, served: Served) -> None:
    edited_often(stage, 120)

    _, _, text = served.ask("/task?name=long")

    diff = text.partition("All of it as one diff")[2]
    assert (diff.count('class="r ch"'), "A long task" in diff) == (1, False)
    assert "Undo the whole task" in text


def test_a_task_without_end_is_shown_from_its_first_edit_to_its_last(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.surfaces.web.routes._MOST_OF_TASK", 20)
    monkeypatch.setattr("keyhole.surfaces.web.routes._MOST_EXACT", 40)
    edited_often(stage, 42)

    _, _, text = served.ask("/task?name=long")

    diff = text.partition("All of it as one diff")[2]
    assert diff.count('class="r ch"') == 1
    assert "A long task: from before its first edit" in diff
    assert "Undo the whole task" in text


def test_a_task_whose_places_others_edited_since_says_so(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"), task="t")
    stage.edit("a.txt", ("two", "three"), task="other")

    text = served.ask("/task?name=t")[2]

    assert "Others edited the same places since, so their edits may show here too." in text


def test_a_page_that_is_read_only_offers_nothing_to_press(tmp_path: Path) -> None:
    writing = Stage.at(tmp_path)
    writing.write("a.txt", "one\n")
    writing.edit("a.txt", ("one", "two"), task="t")
    waiting = writing.edit("a.txt", ("two", "three"), propose=True).transaction
    writing.engine.close()
    stage = Stage.at(tmp_path, read_only=True)
    with stage.served() as served:
        pages = [
            served.ask(path)[2]
            for path in ("/tx/1", "/undo?id=1", "/task?name=t", f"/proposals/{waiting}")
        ]
        _, said = served.post("/api/undo", {"id": "1", "shown": "0" * 64})
    stage.engine.close()

    assert [page.count("data-post") + page.count('id="undo"') for page in pages] == [0, 0, 0, 0]
    assert said["ok"] is False
    assert stage.read("a.txt") == "two\n"


def test_a_search_that_ran_out_of_time_leads_on_to_older_ones(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Review.page.__kwdefaults__
    assert limits
    monkeypatch.setitem(limits, "seconds", 0.0)
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"), reason="was here")
    stage.edit("a.txt", ("two", "three"))

    first = served.ask("/?q=was+here")[2]
    [older] = re.findall('href="([^"]*)"[^>]*>Search older ones<', first)
    second = served.ask(unescape(older))[2]

    assert "Looked back to " in first
    assert [page.count('class="row') for page in (first, second)] == [0, 1]


def test_what_is_not_kept_of_a_long_review_is_read_again(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("a.txt", "b.txt"):
        stage.write(path, "one\n")
        stage.edit(path, ("one", "two"))
    pages = [served.ask(path)[2] for path in ("/", "/changes?since=all")]
    monkeypatch.setattr("keyhole.surfaces.web.review._MOST_COUNTED", 0)
    monkeypatch.setattr("keyhole.surfaces.web.review._MOST_COMPARED", 1)
    with stage.served() as other:
        again = [other.ask(path)[2] for path in ("/", "/changes?since=all")]

    assert [page.count('class="plus">+1<') for page in pages] == [2, 4]
    said = [page.replace(served.door.csrf, other.door.csrf) for page in pages]
    assert again == said


def test_the_stream_says_hello_and_then_what_changed(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.surfaces.web.serving._BEAT", 0.01)
    monkeypatch.setattr("keyhole.surfaces.web.serving._SILENCE", 0.02)
    stage.write("a.txt", "one\n")
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
    connection.request("GET", "/events", headers=served.good)
    answer = connection.getresponse()
    hello = [answer.readline() for _ in range(4)]
    beat = answer.readline()
    stage.edit("a.txt", ("one", "two"))
    spoken = (line for line in iter(answer.readline, b"") if line not in {beat, b"\n"})
    change = [next(spoken) for _ in range(2)]
    answer.close()
    connection.close()

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert hello[1] == b"event: hello\n"
    assert beat == b": still here\n"
    assert change[0] == b"event: change\n"
    assert change[1] != hello[2]


def test_a_refused_call_says_what_was_wrong_with_each_edit(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", *((f"nowhere {number}", "x") for number in range(7)))

    text = served.ask("/")[2]

    assert "Refused: `find` is not in a.txt</a>" in text
    assert text.count('class="dim said">`find` is not in a.txt<') == 4
    assert ">and 2 more<" in text
    assert "row refused" in served.ask("/?q=is+not+in+a.txt")[2]


def test_a_refused_call_says_whether_the_agent_got_through(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("nowhere", "x"))
    rows = served.ask("/refusals?code=not-found")[2]
    [address] = re.findall('href="(/refusal[?].*?)"', rows)

    given_up, insight = served.ask(unescape(address))[2], served.ask("/insight")[2]
    stage.edit("a.txt", ("one", "two"))
    got_through = served.ask(unescape(address))[2]

    assert "<h1>Refused: not-found</h1>" in rows
    assert "The agent has not edited this file since." in given_up
    assert "<title>given up</title>" in insight
    assert "seconds later" in got_through
    known = stage.engine.review.struggles(0.0).latest[0]
    assert "5 minutes later" in refused_call(PageFrame("root"), replace(known, seconds=300.0))


def test_refusals_are_counted_by_model_where_the_host_names_it(
    stage: Stage, served: Served
) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("nowhere", "x"))
    assert "By model" not in served.ask("/refusals")[2]
    for model in ("small", "large", "large"):
        stage.edit("a.txt", ("nowhere", "x"), ids={"model": model})

    chart = served.ask("/refusals")[2].partition("By model")[2].partition("</section>")[0]

    assert re.findall("<title>(.*?)</title>", chart) == ["large", "small"]
    assert re.findall('class="value"[^>]*>(.*?)<', chart) == ["2", "1"]


def test_filters_offer_what_there_is(stage: Stage, served: Served) -> None:
    stage.write("a.py", "def one():\n    return 1\n")
    edit = Edit(segment="one", content="def one():\n    return 2\n")
    assert stage.engine.edit([edit], Options(actor="ann", task="t"), "a.py").ok

    text = served.ask("/")[2]

    for name, value in {"task": "t", "actor": "ann", "path": "a.py", "segment": "one"}.items():
        assert f'list="known-{name}"' in text
        assert f'<datalist id="known-{name}"><option value="{value}">' in text


def test_without_a_commit_the_page_says_so_and_leads_to_other_points(served: Served) -> None:
    status, _, text = served.ask("/changes?since=HEAD")

    assert status == 200
    assert "there is no commit to compare with" in text
    assert "What changed since the last commit" in text
    assert text.count('class="switch"') == 1


def test_what_others_left_of_a_task_is_all_that_its_changes_show(
    stage: Stage, served: Served
) -> None:
    stage.write("a.txt", "one\ntwo\n")
    stage.edit("a.txt", ("one", "1"), task="t")
    stage.edit("a.txt", ("two", "2"), task="other")
    stage.edit("a.txt", ("1", "one"), task="t")

    assert "Nothing changed here." in served.ask("/changes?task=t")[2]


def test_a_file_to_which_too_much_happened_is_shown_without_reasons(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.engine.history.cumulative._MOST_COST", 0)
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"))

    text = served.ask("/changes?since=all")[2]

    assert "Too much happened to this file to tell the reason of each hunk." in text
    assert "no reason is known" in text


def test_many_reasons_of_one_hunk_are_folded(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "")
    for number in range(9):
        edit = Edit(action="append", content=f"line {number}", reason=f"reason {number}")
        assert stage.engine.edit([edit], Options(actor="agent"), "a.txt").ok

    told = served.ask("/changes?since=all")[2].partition('class="reasons"')[2]
    first, _, rest = told.partition("<details>")

    assert first.count('class="because"') == 6
    assert ">3 more reasons</summary>" in rest
    assert rest.count('class="because"') == 3


def test_a_change_of_what_runs_code_is_marked_as_worth_a_look(stage: Stage, served: Served) -> None:
    stage.write("a.txt", "one\n")
    plain = stage.edit("a.txt", ("one", "two"))
    stage.write("Makefile", "all:\n\techo one\n")
    marked = stage.edit("Makefile", ("echo one", "echo two"))

    _, _, rows = served.ask("/")
    pages = [served.ask(f"/tx/{each.transaction}")[2] for each in (plain, marked)]

    assert rows.count("worth a look") == 1
    assert ["worth a look: Makefile runs code" in page for page in pages] == [False, True]


def test_a_page_says_in_words_what_no_diff_shows(stage: Stage, served: Served) -> None:
    options = Options(actor="agent", tool="mcp write")
    made = stage.engine.write(WriteFile("a.txt", ""), options).transaction
    moved = stage.engine.write(MoveFile("a.txt", "b.txt"), options).transaction

    pages = [served.ask(f"/tx/{each}")[2] for each in (made, moved)]

    assert "An empty file." in pages[0]
    assert "The text stays as it is." in pages[1]


def test_a_page_of_very_long_changes_says_how_much_it_leaves_out(
    stage: Stage, served: Served
) -> None:
    stage.write("a.txt", "".join(f"{number}\n" for number in range(1, 9001)))
    edits = [
        Edit(lines="1-4100", content="new\n" * 4100),
        Edit(lines="4601", content="new"),
        Edit(lines="9000", content="new"),
    ]
    done = stage.engine.edit(edits, Options(actor="agent"), "a.txt").transaction

    _, _, text = served.ask(f"/tx/{done}")

    assert "more rows of this change are not shown." in text
    assert "more rows are not shown here." in text


def test_a_page_with_nothing_to_show_says_so(served: Served) -> None:
    words = {
        "/insight": "No calls in this time.",
        "/refusals?code=stale": "No call was refused in this time.",
        "/changes": "Nothing changed since you looked.",
        "/changes?since=all": "Nothing changed here.",
    }

    assert [path for path, said in words.items() if said not in served.ask(path)[2]] == []


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/assets/none.css", 404, "there is no such file\n"),
    ],
)
def test_what_is_no_page_says_so_in_a_line(
    served: Served, path: str, status: int, said: str
) -> None:
    found, _, text = served.ask(path)

    assert (found, text) == (status, said)


def test_decisions_and_marks_that_say_nothing_sound_are_refused(served: Served) -> None:
    _, decided = served.post("/api/decide", {"id": "p-00000000", "decisions": {"0": "perhaps"}})
    _, seen = served.post("/api/seen", {"ids": "1"})

    assert "`decisions` says true or false for each edit" in str(decided)
    assert "`ids` is a list of transactions" in str(seen)


def test_a_file_that_is_proposed_as_a_whole_is_shown_without_a_reason(
    stage: Stage, served: Served
) -> None:
    options = Options(actor="agent", tool="mcp write", propose=True)
    waiting = stage.engine.write(WriteFile("a.txt", "one\n"), options).transaction

    page = served.ask(f"/proposals/{waiting}")[2]

    assert "<h1>Change a.txt</h1>" in page
    assert "<b>All of it</b>" in page
