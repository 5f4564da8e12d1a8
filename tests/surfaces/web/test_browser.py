"""The page in a real browser: what a person sees, and what their clicks do."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from keyhole.checkpoints.happenings import AFTER, BEFORE, PROMPT, Happening
from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.options import Options
from tests.surfaces.mcp.host import Host
from tests.surfaces.web.stage import Served, Stage

pytestmark = pytest.mark.needs("chromium")

LINES = "".join(f"line {number}\n" for number in range(1, 41))


def ready(page: Page) -> None:
    """Wait until the script runs and hears the server."""
    expect(page.locator("#live.on")).to_be_attached()


def confirm(page: Page) -> None:
    """Press the button, and wait for the transaction that it made."""
    page.locator("#confirm").click()
    expect(page).to_have_url(re.compile("/tx/"))


def many(stage: Stage) -> str:
    """Two edits of one file, one of another, in one transaction."""
    stage.write("a.txt", LINES)
    stage.write("b.txt", "one\n")
    edits = [
        Edit(path="a.txt", find="line 3\n", content="line three\n", reason="spell it out"),
        Edit(path="a.txt", find="line 33\n", content="line thirty-three\n", reason="and here"),
        Edit(path="b.txt", find="one", content="uno", reason="in Spanish"),
    ]
    options = Options(actor="agent", tool="mcp edit", task="words", reason="no digits")
    receipt = stage.engine.edit(edits, options)
    assert receipt.ok
    return receipt.transaction


def test_an_edit_made_through_the_protocol_arrives_by_itself(stage: Stage, page: Page) -> None:
    stage.write("live.txt", "old\n")
    ready(page)
    expect(page.locator(".empty")).to_contain_text("Nothing has happened here yet")

    class Beside(Host):
        @property
        def environment(self) -> dict[str, str]:
            return stage.environment

    edit = {"find": "old", "content": "new", "reason": "it was old"}
    with ThreadPoolExecutor(1) as beside:  # the browser's driver has this thread's event loop
        call = partial(Beside(stage.base).call, "edit", path="live.txt", edits=[edit], task="fresh")
        assert not beside.submit(call).result().is_error
    row = page.locator(".row.arrived")
    expect(row).to_contain_text("it was old")
    expect(row).to_contain_text("fresh")
    expect(row).to_contain_text("+1 −1")
    expect(page.locator(".empty")).to_have_count(0)

    stage.edit("live.txt", ("new", "newer"), reason="it was new")
    expect(page.locator(".row.arrived .title")).to_have_text(["it was new", "it was old"])


def test_filters_and_search_stand_in_the_address(stage: Stage, page: Page) -> None:
    stage.write("a.py", "def f():\n    return 1\n\n\ndef g():\n    return 2\n")
    stage.write("b.txt", "x\n")
    stage.edit("a.py", ("return 1", "return 10"), actor="ann", task="ten", reason="tenfold")
    stage.edit("a.py", ("return 2", "return 20"), actor="bob", task="twenty", reason="more")
    stage.edit("b.txt", ("x", "y"), actor="ann", reason="letters")
    stage.edit("b.txt", ("not there", "z"), actor="ann")
    titles = page.locator(".row .title")

    for address, wanted in {
        "/?path=a.py": ["more", "tenfold"],
        "/?actor=ann": ["Refused: `find` is not in b.txt", "letters", "tenfold"],
        "/?actor=ann&refusals=no": ["letters", "tenfold"],
        "/?task=twenty": ["more"],
        "/?segment=g": ["more"],
        "/?outcome=refused": ["Refused: `find` is not in b.txt"],
        "/?outcome=applied&path=b.txt": ["letters"],
        "/?since=1h&q=tenf": ["tenfold"],
        "/?q=return+20": ["more"],
        "/?until=2001-01-01": [],
    }.items():
        page.goto(address)
        expect(titles, address).to_have_text(wanted)

    page.goto("/?task=twenty")
    page.locator(".chip").click()
    expect(titles).to_have_count(4)
    page.locator(".filter summary").click()
    page.get_by_label("Actor").fill("bob")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("actor=bob"))
    expect(titles).to_have_text(["more"])


def test_a_long_history_is_paged(stage: Stage, page: Page) -> None:
    stage.write("n.txt", "0\n")
    for number in range(60):
        stage.edit("n.txt", (f"{number}\n", f"{number + 1}\n"), reason=f"step {number + 1}")
    page.goto("/")

    expect(page.locator(".row")).to_have_count(50)
    page.locator("#older").click()
    expect(page.locator(".row")).to_have_count(10)
    expect(page.locator(".row .title").last).to_have_text("step 1")
    expect(page.locator("#older")).to_have_count(0)


def test_a_transaction_shows_reasons_rungs_segments_and_both_views(
    stage: Stage, page: Page
) -> None:
    stage.write("a.py", "def f(a):\n    total = a + 1\n    return total\n" + "\n# x" * 30 + "\n")
    stage.edit("a.py", ("total = a + 1\nreturn total", "total = a + 2\nreturn total"), reason="why")
    page.goto("/")
    page.locator(".row a.title").click()

    expect(page.locator("h1")).to_have_text("why")
    banner = page.locator(".edit")
    expect(banner).to_contain_text("reason 0")
    expect(banner.locator(".segment")).to_have_text("f")
    expect(banner.locator(".rung")).to_have_text("indentation")
    assert page.locator(".diff.split .r.ch mark").all_inner_texts() == ["1", "2"]
    expect(page.locator(".diff .k").first).to_have_text("def")
    expect(page.locator(".fold summary")).to_contain_text("unchanged lines")
    page.locator(".fold summary").click()
    expect(page.locator(".fold .r").first).to_be_visible()

    page.get_by_role("link", name="Inline").click()
    expect(page.locator(".diff.inline .r.del")).to_have_count(1)
    expect(page.locator(".diff.inline .r.add")).to_have_text(["    total = a + 2"])


def test_a_transaction_is_undone_and_redone_after_a_preview(stage: Stage, page: Page) -> None:
    many(stage)
    before = stage.read("a.txt")
    page.goto("/tx/1")
    page.locator("#undo").click()

    expect(page.locator("h1")).to_contain_text("Undo transaction 1-")
    expect(page.locator(".diff .r.ch .n").nth(1)).to_have_text("line 3")
    assert stage.read("a.txt") == before
    page.get_by_label("Why").fill("digits were fine")
    confirm(page)
    expect(page.locator("h1")).to_have_text("digits were fine")
    assert (stage.read("a.txt"), stage.read("b.txt")) == (LINES, "one\n")

    page.goto("/tx/1")
    expect(page.locator(".head .word.undone")).to_be_visible()
    page.get_by_role("link", name="Redo").click()
    confirm(page)
    expect(page.locator("h1")).to_contain_text("Undo of 2-")
    assert (stage.read("a.txt"), stage.read("b.txt")) == (before, "uno\n")


def test_one_file_of_a_transaction_is_undone_and_redone(stage: Stage, page: Page) -> None:
    many(stage)
    page.goto("/tx/1")
    page.locator("[id='file-b.txt']").get_by_role("link", name="Undo file").click()
    confirm(page)
    expect(page.locator(".notes")).to_contain_text("takes back what it did to b.txt of 1-")
    assert stage.read("b.txt") == "one\n"
    assert "line three" in stage.read("a.txt")

    page.goto("/tx/1")
    page.locator("[id='file-b.txt']").get_by_role("link", name="Redo file").click()
    confirm(page)
    expect(page.locator(".notes")).to_be_visible()
    assert stage.read("b.txt") == "uno\n"


def test_one_edit_of_a_transaction_is_undone_and_redone(stage: Stage, page: Page) -> None:
    name = many(stage)
    page.goto("/tx/1")
    page.locator(f"#edit-{name}-1").get_by_role("link", name="Undo edit").click()
    expect(page.locator(".r.ch")).to_have_count(1)
    confirm(page)
    expect(page.locator(".notes")).to_contain_text("takes back edit 2 of 1-")
    assert stage.read("a.txt") == LINES.replace("line 3\n", "line three\n")

    page.goto("/tx/1")
    expect(page.locator(f"#edit-{name}-1 .word")).to_have_text("undone")
    page.locator(f"#edit-{name}-1").get_by_role("link", name="Redo edit").click()
    confirm(page)
    expect(page.locator(".notes")).to_be_visible()
    assert "thirty-three" in stage.read("a.txt")


def test_an_undo_that_conflicts_shows_both_versions(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"), reason="first")
    stage.edit("a.txt", ("two", "three"), reason="second")
    page.goto("/undo?id=1")

    expect(page.locator("h1")).to_contain_text("not as things are")
    expect(page.locator(".versions figure").first).to_contain_text("three")
    expect(page.locator(".versions figure").last).to_contain_text("one")
    expect(page.locator(".refusal")).to_contain_text("Changed since by 2-")
    expect(page.locator("#confirm")).to_have_count(0)


def test_what_is_undone_is_what_was_shown(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "one\ntwo\n")
    stage.edit("a.txt", ("one", "uno"))
    page.goto("/undo?id=1")
    stage.edit("a.txt", ("two", "dos"))

    page.locator("#confirm").click()

    expect(page.locator("#problem")).to_contain_text("than what was shown")
    assert stage.read("a.txt") == "uno\ndos\n"
    page.reload()
    confirm(page)
    expect(page.locator("h1")).to_contain_text("Undo of 1-")
    assert stage.read("a.txt") == "one\ndos\n"


def test_a_conflict_that_was_overruled_shows_the_other_side(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"), task="left", reason="left was here")
    stage.edit("a.txt", ("two", "three"), task="right", actor="other", on_conflict="warn")
    page.goto("/tx/2")

    panel = page.locator(".conflicts .panel")
    expect(panel).to_contain_text("went ahead all the same: task left edited there in 1-")
    expect(panel.locator("pre")).to_contain_text("+two")


def test_keys_move_open_undo_and_search(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("one", "two"), reason="first")
    stage.edit("a.txt", ("two", "three"), reason="second")
    page.goto("/")
    ready(page)

    page.keyboard.press("j")
    expect(page.locator(".row.at")).to_contain_text("second")
    page.keyboard.press("j")
    expect(page.locator(".row.at")).to_contain_text("first")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("second")
    ready(page)
    page.keyboard.press("u")
    expect(page.locator("h1")).to_contain_text("Undo transaction 2-")
    ready(page)
    page.keyboard.press("/")
    page.keyboard.type("first")
    page.keyboard.press("Enter")
    expect(page.locator(".row .title")).to_have_text(["first"])


def test_everything_reads_without_javascript(
    browser: Browser, stage: Stage, served: Served
) -> None:
    many(stage)
    context = browser.new_context(base_url=served.origin, java_script_enabled=False)
    page = context.new_page()
    page.goto(served.door.way_in)

    expect(page.locator(".row .title")).to_have_text(["no digits"])
    page.locator(".row .title").click()
    expect(page.locator(".diff .r.ch").first).to_contain_text("line three")
    page.locator(".fold summary").first.click()
    expect(page.locator(".fold .r").first).to_be_visible()
    page.locator("#undo").click()
    expect(page.locator(".diff .r.ch").first).to_contain_text("line three")
    expect(page.locator("noscript .hint, .hint")).to_contain_text("keyhole undo 1")
    page.goto("/")
    page.locator("#search").fill("thirty-three")
    page.keyboard.press("Enter")
    expect(page.locator(".row .title")).to_have_text(["no digits"])
    context.close()


def test_dark_and_light_follow_the_system_until_the_reader_chooses(
    stage: Stage, page: Page
) -> None:
    many(stage)

    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))

    page.emulate_media(color_scheme="light")
    light = background()
    page.emulate_media(color_scheme="dark")
    dark = background()
    page.locator("#theme").click()

    assert light != dark
    assert background() == light
    page.reload()
    assert background() == light


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/tx/1",
        "/tx/1?view=inline",
        "/undo?id=1",
        "/tasks",
        "/insight",
        "/file?path=long.txt",
        "/proposals",
    ],
)
def test_nothing_is_wider_than_a_phone(stage: Stage, page: Page, address: str) -> None:
    stage.write("long.txt", "word " * 100 + "\n" + "x" * 400 + "\n")
    stage.edit("long.txt", ("x" * 400, "y" * 400), reason="r" * 300, task="t" * 120)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)

    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_new_deleted_and_moved_files_are_shown_as_such(stage: Stage, page: Page) -> None:
    def write(path: str, **how: object) -> None:
        given = {"content": None, "delete": False, "move_to": "", "allow_shrink": False, **how}
        operation = operation_of(path, **given)  # type: ignore[arg-type]
        assert stage.engine.write(operation, Options(actor="agent")).ok

    write("a.txt", content="one\n")
    write("a.txt", move_to="b.txt")
    write("b.txt", delete=True)

    page.goto("/tx/1")
    expect(page.locator(".filehead")).to_contain_text("new file")
    expect(page.locator(".r.add")).to_have_text(["one"])
    page.goto("/tx/2")
    expect(page.locator(".filehead")).to_contain_text("a.txt → b.txt")
    page.goto("/tx/3")
    expect(page.locator(".filehead")).to_contain_text("deleted")
    expect(page.locator(".r.del")).to_have_text(["one"])


def proposed(stage: Stage) -> str:
    stage.write("a.txt", LINES)
    pairs = (("line 3\n", "three\n"), ("line 20\n", "twenty\n"), ("line 33\n", "thirty-three\n"))
    receipt = stage.edit("a.txt", *pairs, propose=True, reason="words", task="words")
    assert receipt.outcome == "proposed"
    return receipt.transaction


def test_a_proposal_arrives_and_each_edit_is_accepted_or_rejected(stage: Stage, page: Page) -> None:
    ready(page)
    name = proposed(stage)
    expect(page.locator(".badge")).to_have_text("1")
    page.get_by_role("link", name="Proposals").click()
    page.locator(".row a.title").click()

    expect(page.locator("#decide")).to_be_disabled()
    expect(page.locator("#decide")).to_have_text("3 to decide")
    page.locator("[id='unit-0.0']").get_by_text("Accept").click()
    page.locator("[id='unit-0.1']").get_by_text("Reject").click()
    page.locator("[id='unit-0.2']").get_by_text("Accept").click()
    page.get_by_label("A word for the agent").fill("leave twenty")
    expect(page.locator("#decide")).to_have_text("Accept 2, reject 1")
    page.locator("#decide").click()

    expect(page).to_have_url(re.compile("/tx/"))
    expect(page.locator("h1")).to_have_text("words")
    expect(page.locator(".notes")).to_contain_text(f"proposed as {name}, accepted by review:tester")
    wanted = LINES.replace("line 3\n", "three\n").replace("line 33\n", "thirty-three\n")
    assert stage.read("a.txt") == wanted
    page.get_by_role("link", name=name).click()
    expect(page.locator(".notes")).to_contain_text("leave twenty")
    expect(page.locator(".edit .word")).to_have_text(["accepted", "rejected", "accepted"])


def test_a_proposal_is_rejected_as_a_whole(stage: Stage, page: Page) -> None:
    name = proposed(stage)
    page.goto(f"/proposals/{name}")
    page.locator("#reject-all").click()
    page.locator("#decide").click()

    expect(page.locator(".head .word.rejected")).to_be_visible()
    assert stage.read("a.txt") == LINES
    page.goto("/proposals")
    expect(page.locator(".badge")).to_have_count(0)
    expect(page.locator(".row .word")).to_have_text(["rejected"])


def test_a_proposal_is_shown_on_the_file_as_it_stands(stage: Stage, page: Page) -> None:
    name = proposed(stage)
    stage.edit("a.txt", ("line 1\n", "zero\nline 1\n"))
    stage.edit("a.txt", ("line 20\n", "line XX\n"))
    page.goto(f"/proposals/{name}")

    expect(page.locator(".panel.warn")).to_contain_text("was changed at the same place")
    expect(page.locator(".versions figure").first).to_contain_text("line XX")
    expect(page.locator(".diff .r.ch i.n").first).to_have_attribute("data-n", "4")
    page.locator("#accept-all").click()
    expect(page.locator("#decide")).to_have_text("Accept 2, reject 1")
    page.locator("#decide").click()
    expect(page).to_have_url(re.compile("/tx/"))
    assert stage.read("a.txt").startswith("zero\nline 1\nline 2\nthree\n")
    assert "line XX\n" in stage.read("a.txt")


def test_a_word_about_a_file_that_moved_on_meanwhile_is_not_taken(stage: Stage, page: Page) -> None:
    page.goto(f"/proposals/{proposed(stage)}")
    stage.edit("a.txt", ("line 9\n", "nine\n"))
    page.locator("#accept-all").click()
    page.locator("#decide").click()

    expect(page.locator("#problem")).to_contain_text("moved on since this was shown")
    assert "three" not in stage.read("a.txt")


def test_a_file_tells_who_last_changed_each_segment_and_a_segment_all_its_changes(
    stage: Stage, page: Page
) -> None:
    stage.write("a.py", "def f():\n    return 1\n\n\ndef g():\n    return 2\n")
    stage.edit("a.py", ("return 1", "return 10"), actor="ann", task="ten", reason="tenfold")
    stage.edit("a.py", ("return 2", "return 20"), actor="bob", task="twenty")
    late = {"actor": "bob", "task": "hundred", "on_conflict": "warn"}
    stage.edit("a.py", ("return 10", "return 100"), **late)
    page.goto("/tx/1")
    page.locator(".filehead .path").click()

    rows = page.locator(".blame tbody tr")
    expect(rows.nth(0)).to_contain_text("bob")
    expect(rows.nth(0)).to_contain_text("hundred")
    expect(rows.nth(1)).to_contain_text("twenty")
    expect(page.locator(".row")).to_have_count(3)
    rows.nth(0).get_by_role("link", name="f", exact=True).click()
    expect(page.locator("h1")).to_have_text("f")
    expect(page.locator(".row .title")).to_have_text(["reason 0", "tenfold"])


def test_a_task_is_one_diff_with_its_refusals_and_is_undone_as_a_whole(
    stage: Stage, page: Page
) -> None:
    stage.write("a.txt", LINES)
    stage.write("b.txt", "one\n")
    stage.edit("a.txt", ("line 3\n", "three\n"), task="words", reason="first")
    stage.edit("a.txt", ("line 20\n", "XX\n"), task="other", reason="not of it")
    stage.edit("a.txt", ("nowhere", "x"), task="words")
    stage.edit("b.txt", ("one", "uno"), task="words", reason="last")
    page.goto("/tasks")
    page.get_by_role("link", name="words").click()

    refused = "Refused: `find` is not in a.txt"
    expect(page.locator(".row .title")).to_have_text(["last", refused, "first"])
    expect(page.locator(".file")).to_have_count(2)
    expect(page.locator(".r.ch")).to_have_count(2)
    expect(page.locator(".r.ch .n").nth(1)).to_have_text("three")
    page.locator("#undo").click()
    expect(page.locator("h1")).to_have_text("Undo the whole task words?")
    confirm(page)
    expect(page.locator(".notes li")).to_have_count(2)
    assert stage.read("a.txt") == LINES.replace("line 20\n", "XX\n")
    assert stage.read("b.txt") == "one\n"
    page.goto("/task?name=words")
    expect(page.locator("main")).to_contain_text("All of it was taken back")
    expect(page.locator("#undo")).to_have_count(0)


def test_insight_draws_the_numbers_that_stats_prints(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "one\n")
    stage.edit("a.txt", ("nowhere", "x"))
    stage.edit("a.txt", ("one", "two"))
    stage.edit("a.txt", ("two", "three"))
    page.goto("/")
    page.get_by_role("link", name="Insight").click()

    stats = stage.engine.stats().as_data()
    assert (stats["retry_rate"], stats["self_recovery_rate"]) == (0.5, 1.0)
    assert page.locator(".figure b").all_inner_texts() == ["2", "67%", "50%", "0%", "100%"]
    expect(page.locator("svg.chart")).to_have_count(6)
    refusals = page.get_by_role("img", name="Refusals by code")
    expect(refusals).to_contain_text("not-found")
    page.get_by_role("link", name="All").click()
    expect(page.locator(".figure b").first).to_have_text("2")


def three(stage: Stage) -> None:
    """Two tasks that edited two files, and a file that is new."""
    stage.write("src/a.txt", LINES)
    stage.write("src/b.txt", "one\n")
    stage.edit("src/a.txt", ("line 3\n", "three\n"), task="words", reason="first")
    stage.edit("src/a.txt", ("line 33\n", "thirty-three\n"), task="other", reason="second")
    stage.edit("src/b.txt", ("one", "uno"), task="words", reason="third")


def test_what_changed_since_one_looked_is_one_diff_and_then_nothing(
    stage: Stage, page: Page
) -> None:
    three(stage)
    page.goto("/")
    expect(page).to_have_title(re.compile(r"^\(3\) Timeline"))
    expect(page.locator(".row.unseen")).to_have_count(3)
    page.get_by_role("link", name="Changes").click()

    expect(page.locator(".head .meta")).to_contain_text("2 files in 3 transactions")
    expect(page.locator(".leaf")).to_have_count(2)
    expect(page.locator(".hunk .task")).to_have_text(["words", "other", "words"])
    expect(page.locator(".hunk .why")).to_have_text(["reason 0"] * 3)
    expect(page.locator(".r.ch")).to_have_count(3)
    page.get_by_role("button", name="Mark all as seen").click()
    expect(page.locator(".empty")).to_contain_text("Nothing changed since you looked")
    expect(page).to_have_title(re.compile("^Changes"))

    stage.edit("src/b.txt", ("uno", "eins"), task="words", reason="fourth")
    page.goto("/changes")
    expect(page.locator(".hunk .tx-id")).to_have_text([re.compile("^4-")])
    page.goto("/changes?task=words")
    expect(page.locator(".hunk .because")).to_have_count(3)


def test_what_is_marked_as_seen_is_what_was_shown(stage: Stage, page: Page) -> None:
    three(stage)
    page.goto("/changes?task=other")
    page.get_by_role("button", name="Mark these as seen").click()
    expect(page).to_have_title(re.compile(r"^\(2\)"))
    expect(page).to_have_url(re.compile("task=other"))
    page.goto("/changes")
    expect(page.locator(".hunk .task")).to_have_text(["words", "words"])
    page.goto("/changes?path=src")
    expect(page.locator("#see-all")).to_have_count(0)


def test_a_transaction_that_was_opened_is_seen_and_a_key_makes_it_new_again(
    stage: Stage, page: Page
) -> None:
    three(stage)
    page.goto("/")
    page.locator(".row a.title").last.click()
    expect(page.locator("h1")).to_have_text("first")
    ready(page)
    expect(page).to_have_title(re.compile(r"^\(2\)"))
    page.go_back()
    ready(page)
    page.reload()
    expect(page.locator(".row.unseen")).to_have_count(2)
    page.keyboard.press("k")
    page.keyboard.press("m")
    expect(page.locator(".row.unseen")).to_have_count(1)
    expect(page.locator(".bar .badge")).to_have_text("1")


def test_a_file_stays_viewed_until_it_changes(stage: Stage, page: Page) -> None:
    three(stage)
    page.goto("/changes?since=all")
    page.get_by_label("Viewed").first.check()
    expect(page.locator(".file.viewed")).to_have_count(1)
    expect(page.locator("#viewed")).to_have_text("1 of 2 viewed")
    page.reload()
    expect(page.locator(".file.viewed")).to_have_count(1)

    stage.edit("src/a.txt", ("line 9\n", "nine\n"))
    page.reload()
    expect(page.locator(".file.viewed")).to_have_count(0)


def test_files_further_down_come_when_they_are_near(stage: Stage, page: Page) -> None:
    for number in range(14):
        stage.write(f"f{number:02}.txt", "old\n")
        stage.edit(f"f{number:02}.txt", ("old", f"new {number}"))
    page.goto("/changes")
    ready(page)

    expect(page.locator(".file")).to_have_count(14)
    page.locator(".leaf a").last.click()
    expect(page.locator("[id='file-f13.txt'] .r.ch")).to_have_count(1)


def test_keys_go_through_hunks_files_and_transactions(stage: Stage, page: Page) -> None:
    three(stage)
    page.goto("/changes")
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".hunk.at .task")).to_have_text("other")
    page.keyboard.press("Tab")
    expect(page.locator(".hunk.at a:focus")).to_have_count(1)
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator(".file.at")).to_have_attribute("id", "file-src/b.txt")
    expect(page.locator(".file.at")).to_be_focused()
    page.goto("/tx/1")
    ready(page)
    page.keyboard.press("p")
    expect(page.locator("h1")).to_have_text("second")
    ready(page)
    page.keyboard.press("n")
    expect(page.locator("h1")).to_have_text("first")


def test_the_way_back_leads_to_the_row_that_was_left(stage: Stage, page: Page) -> None:
    three(stage)
    page.goto("/")
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("second")
    page.go_back()

    expect(page.locator(".row.at")).to_contain_text("second")
    expect(page.locator(".row.at a.title")).to_be_focused()


def test_a_list_that_is_brought_up_to_date_keeps_the_focus(stage: Stage, page: Page) -> None:
    three(stage)
    page.goto("/")
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".row.at a.title")).to_be_focused()
    beside = page.context.new_page()
    beside.goto(str(page.locator(".row a.title").nth(2).get_attribute("href")))
    ready(beside)

    # The other page has marked what it shows as seen.
    expect(page.locator(".row.unseen")).to_have_count(2)
    expect(page.locator(".row.at a.title")).to_have_text("second")
    page.bring_to_front()
    expect(page.locator(".row.at a.title")).to_be_focused()


def test_what_is_new_waits_while_somebody_reads(stage: Stage, page: Page) -> None:
    three(stage)
    page.goto("/")
    ready(page)
    page.keyboard.press("j")
    stage.edit("src/b.txt", ("uno", "eins"), reason="fourth")

    expect(page.locator("#news")).to_have_text("1 new")
    expect(page.locator(".row")).to_have_count(3)
    page.locator("#news").click()
    expect(page.locator(".row .title")).to_have_text(["fourth", "third", "second", "first"])
    expect(page.locator("#news")).to_have_count(0)


def test_a_refused_call_tells_what_was_sent_and_what_came_of_it(stage: Stage, page: Page) -> None:
    stage.write("a.txt", "return total\n")
    stage.edit("a.txt", ("return totals plus", "return 1"))
    stage.edit("a.txt", ("nowhere", "x"))
    stage.edit("a.txt", ("return total", "return 1"))
    page.goto("/refusals")

    expect(page.locator(".row .came")).to_have_text(["recovered", "recovered"])
    expect(page.get_by_role("img", name="Refusals by code")).to_contain_text("not-found")
    page.locator(".row a.title").last.click()
    expect(page.locator(".sent").first).to_contain_text("return totals plus")
    expect(page.locator(".sent").first).to_contain_text("reason 0")
    expect(page.locator(".head .word.applied")).to_have_text("recovered")
    expect(page.locator(".head")).to_contain_text("after 1 more refusals")
    page.goto("/?outcome=refused")
    page.locator(".row a.title").first.click()
    expect(page.locator(".sent")).to_contain_text("nowhere")


def test_a_rewind_that_clashes_goes_back_with_the_rest(stage: Stage, page: Page) -> None:
    look = stage.engine.checkpoints.look
    stage.write("a.txt", "one\n"), stage.write("b.txt", "one\n")
    look()
    look(Happening(PROMPT, "codex", "s", "turn", said="make it two"))
    look(Happening(BEFORE, "codex", "s", "turn", "shell", "u", "sed -i s/one/two/ *.txt"))
    stage.write("a.txt", "two\n"), stage.write("b.txt", "two\n")
    look(Happening(AFTER, "codex", "s", "turn", "shell", "u"))
    stage.write("b.txt", "two and a person's\n")
    page.goto("/undo?prompt=turn")
    # The page of a button tells of what is there now, the person's line among it.
    look()
    page.reload()
    page.locator("#partly").click()

    expect(page.locator(".hint").first).to_contain_text("left as it is")
    page.locator("#confirm").click()
    expect(page.locator("h1")).to_contain_text("rewind")
    assert (stage.read("a.txt"), stage.read("b.txt")) == ("one\n", "two and a person's\n")
