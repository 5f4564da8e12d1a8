"""The checks on every path that writes, on a real disk."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import DeleteFile, Edit, InOrder, MoveFile, Operation, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest
from keyhole.fastclasses import replace
from keyhole.phrases import render
from tests.scene import engine_at

ME = Options(actor="tester")
SOUND = "def f():\n    return (1)\n\n\ndef g():\n    return 2\n"
BROKEN = SOUND.replace("(1)", "(1")
PATCH = """\
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 def f():
-    return (1)
+    return (1
"""

Call = Callable[[Engine, Options], Receipt]


def by_text(engine: Engine, options: Options) -> Receipt:
    return engine.edit([Edit(find="return (1)", content="return (1")], options, "a.py")


def by_lines(engine: Engine, options: Options) -> Receipt:
    return engine.edit([Edit(lines="2", content="    return (1")], options, "a.py")


def by_segment(engine: Engine, options: Options) -> Receipt:
    return engine.edit([Edit(segment="f", content="def f():\n    return (1\n")], options, "a.py")


def by_patch(engine: Engine, options: Options) -> Receipt:
    return engine.patch(PATCH, options)


def by_writing(engine: Engine, options: Options) -> Receipt:
    known = replace(options, expected_hash=engine._tree.read("a.py").hash)
    return engine.write(WriteFile("a.py", BROKEN), known)


WAYS = [by_text, by_lines, by_segment, by_patch, by_writing]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_py=SOUND) as engine:
        yield engine


def text(engine: Engine, path: str = "a.py") -> str:
    return (Path(engine.root) / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("way", WAYS)
def test_strict_refuses_what_breaks_the_file_and_changes_nothing(engine: Engine, way: Call) -> None:
    receipt = way(engine, ME)

    assert (receipt.ok, receipt.outcome) == (False, "not_applied")
    assert [each.code for each in receipt.refusals] == ["syntax-broken"]
    assert receipt.refusals[0].help.endswith("or set mode interactive to write it as it is")
    assert text(engine) == SOUND


@pytest.mark.parametrize("way", WAYS)
def test_interactive_writes_it_and_warns(engine: Engine, way: Call) -> None:
    receipt = way(engine, replace(ME, mode="interactive"))

    assert (receipt.ok, receipt.outcome) == (True, "applied")
    assert receipt.files[0].diagnostics == (
        {
            "severity": "warning",
            "code": "syntax-broken",
            "message": "'(' was never closed",
            "line": 2,
            "column": 12,
            "new": True,
        },
    )
    assert text(engine) == BROKEN


@pytest.mark.parametrize("way", WAYS)
def test_verify_only_writes_nothing_and_gives_the_verdict(engine: Engine, way: Call) -> None:
    receipt = way(engine, replace(ME, mode="verify_only"))

    assert [each.code for each in receipt.refusals] == ["syntax-broken"]
    assert "+    return (1\n" in str(receipt.refusals[0].data["diff"])
    assert text(engine) == SOUND


@pytest.mark.parametrize("mode", ["strict", "verify_only"])
def test_a_dry_run_of_a_sound_edit_is_verified(engine: Engine, mode: str) -> None:
    options = replace(ME, mode=mode, dry_run=True)

    receipt = engine.edit([Edit(find="return 2", content="return 3")], options, "a.py")

    assert (receipt.ok, receipt.outcome, receipt.files[0].diagnostics) == (True, "verified", ())
    assert text(engine) == SOUND


def test_one_broken_file_holds_back_the_whole_call(engine: Engine) -> None:
    edits: list[Operation] = [
        Edit(path="a.py", find="return 2", content="return 3"),
        WriteFile("b.json", '{"a": 1,}'),
    ]

    receipt = engine.edit(edits, ME)

    assert [(each.path, each.edit) for each in receipt.refusals] == [("b.json", 1)]
    assert text(engine) == SOUND


def test_undo_returns_to_a_broken_text_and_says_so(engine: Engine) -> None:
    by_text(engine, replace(ME, mode="interactive"))
    engine.edit([Edit(find="return (1", content="return (1)")], ME, "a.py")

    receipt = engine.undo(UndoRequest(), ME)

    assert receipt.ok
    assert [each["code"] for each in receipt.files[0].diagnostics] == ["syntax-broken"]
    assert text(engine) == BROKEN


def test_an_undo_that_makes_a_broken_text_which_never_was_is_refused(engine: Engine) -> None:
    first = engine.edit(
        [Edit(find="return (1)", content='return """')], replace(ME, mode="interactive"), "a.py"
    )
    engine.edit([Edit(find="return 2\n", content='return 2"""\n')], ME, "a.py")
    before = text(engine)

    receipt = engine.undo(UndoRequest(id=first.transaction), ME)

    assert [each.code for each in receipt.refusals] == ["syntax-broken"]
    assert text(engine) == before
    assert engine.undo(UndoRequest(id=first.transaction), replace(ME, mode="interactive")).ok


def test_a_broken_file_can_be_moved(engine: Engine) -> None:
    by_text(engine, replace(ME, mode="interactive"))

    assert engine.write(MoveFile("a.py", "b.py"), ME).ok
    assert text(engine, "b.py") == BROKEN


def test_an_edit_left_out_for_a_conflict_is_missing_from_what_is_checked(engine: Engine) -> None:
    engine.edit([Edit(find="return 2", content="return 20")], replace(ME, task="one"), "a.py")
    other = replace(ME, actor="other", task="two", on_conflict="skip")
    both = [
        Edit(find="return (1)", content='return """1'),
        Edit(find="return 20", content='return 2"""'),
    ]

    receipt = engine.edit(both, other, "a.py")

    assert [each.code for each in receipt.refusals] == ["syntax-broken"]
    assert text(engine) == SOUND.replace("return 2", "return 20")


def test_links_are_looked_up_in_the_tree(engine: Engine) -> None:
    (Path(engine.root) / "docs").mkdir()
    page = "# A\n\n[a](../a.py) [d](.) [n](nope.md) [x](no/where.md) [o](../../out.md)\n"

    receipt = engine.write(WriteFile("docs/p.md", page), ME)

    assert [each["message"] for each in receipt.files[0].diagnostics] == [
        "the link leads to nope.md, which does not exist",
        "the link leads to no/where.md, which does not exist",
    ]


def test_a_file_that_is_gone_is_not_written_for_the_version_that_was_expected(
    engine: Engine,
) -> None:
    known = replace(ME, expected_hash=engine._tree.read("a.py").hash)
    assert engine.write(DeleteFile("a.py"), ME).ok

    [refusal] = engine.write(WriteFile("a.py", SOUND), known).refusals

    assert (refusal.code, refusal.path, refusal.hash_current) == ("stale", "a.py", "")
    assert not engine._tree.exists("a.py")
    assert engine.write(WriteFile("a.py", SOUND), ME).ok


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_link_is_told_of_with_the_file_it_leads_to(engine: Engine, *, dry_run: bool) -> None:
    root = Path(engine.root)
    (root / "b.py").symlink_to("a.py")
    options = replace(ME, dry_run=dry_run)

    behind = engine.edit([Edit(find="return 2", content="pass")], options, "b.py").files[0]
    other = Edit(find="(1)", content="1", match="exact")
    beside = engine.edit([other], options, f"{root}/./a.py").files[0]

    assert behind.path == "b.py"
    assert behind.plan.warnings == ("b.py leads through a link: the file is a.py",)
    assert beside.plan.warnings == ()


def test_an_edit_that_is_sent_again_is_no_error(engine: Engine) -> None:
    edit = Edit(find="return 2", content="return 3")
    other = Edit(find="return (1)", content="return 1")
    assert engine.edit([edit], ME, "a.py").outcome == "applied"
    assert engine.edit([edit], ME, "a.py").outcome == "already-applied"
    assert engine.edit([other], ME, "a.py").outcome == "applied"

    again = engine.edit([edit], ME, "a.py")
    stranger = engine.edit([edit], Options(actor="other"), "a.py")

    assert again.outcome == "already-applied"
    assert again.files[0].plan.edits[0].notes == (
        "the new text already stands at line 6, and the quoted text stood there before",
    )
    assert [refusal.code for refusal in stranger.refusals] == ["not-found"]


TWIN = "def f():\n    a = 1\n    return a\n"


@pytest.mark.parametrize("first", [TWIN, "\n" + TWIN, TWIN + "\n", "    return a\n" + TWIN])
def test_a_stale_edit_lands_on_the_line_it_named_and_on_no_twin_of_it(
    tmp_path: Path, first: str
) -> None:
    with engine_at(tmp_path, a_txt=TWIN * 3) as engine:
        seen = engine._tree.read("a.txt").hash
        above = Edit(lines="1", action="before", content=first, indent="keep")
        engine.edit([above], Options(actor="other"), "a.txt")

        stale = Options(actor="me", expected_hash=seen)
        receipt = engine.edit([Edit(lines="2", content="    a = 99")], stale, "a.txt")

        assert receipt.ok
        assert engine._tree.read("a.txt").text == first + TWIN.replace("1", "99") + TWIN * 2


def test_a_stale_edit_finds_its_line_through_saves_and_undos_in_between(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TWIN * 3) as engine:
        seen = engine._tree.read("a.txt").hash
        other = Options(actor="other")
        above = Edit(lines="1", action="before", content=TWIN, indent="keep")
        engine.edit([above], other, "a.txt")
        (tmp_path / "root/a.txt").write_text("# saved\n" + TWIN * 4, "utf-8")
        gone = engine.edit([Edit(lines="3-4", action="delete")], other, "a.txt").transaction
        engine.undo(UndoRequest(gone), other)

        stale = Options(actor="me", expected_hash=seen)
        engine.edit([Edit(lines="5", content="    a = 99")], stale, "a.txt")

        expected = "# saved\n" + TWIN * 2 + TWIN.replace("1", "99") + TWIN
        assert engine._tree.read("a.txt").text == expected


def test_a_stale_edit_where_the_journal_begins_anew_is_compared_as_a_whole(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\n") as engine:
        seen = engine.read("a.txt", ReadRequest(), "me").hash
        engine.write(DeleteFile("a.txt"), Options(actor="other"))
        engine.write(WriteFile("a.txt", "zero\none\ntwo\n"), Options(actor="other"))

        stale = Options(actor="me", expected_hash=seen)
        engine.edit([Edit(lines="2", content="2")], stale, "a.txt")

        assert engine._tree.read("a.txt").text == "zero\none\n2\n"


def test_a_stale_edit_of_a_line_that_is_gone_does_not_land_on_a_twin_that_came(
    tmp_path: Path,
) -> None:
    with engine_at(tmp_path, a_txt="one\nf\ntwo\nlast\n") as engine:
        seen = engine._tree.read("a.txt").hash
        for line, text in (("2", "other"), ("3", "f")):
            engine.edit([Edit(lines=line, content=text)], Options(actor="other"), "a.txt")

        stale = Options(actor="me", expected_hash=seen)
        receipt = engine.edit([Edit(lines="2", content="mine")], stale, "a.txt")

        assert [each.code for each in receipt.refusals] == ["stale"]
        assert engine._tree.read("a.txt").text == "one\nother\nf\nlast\n"


@pytest.mark.parametrize(
    ("seen", "saved", "edit", "after"),
    [
        ("one\ntwo\n", "one\ntwo", Edit(action="append", content="three"), "one\ntwo\nthree"),
        ("one\ntwo", "one\ntwo\n", Edit(action="append", content="three"), "one\ntwo\nthree\n"),
        ("one\ntwo\n", "one\ntwo", Edit(lines="2", action="after", content="3"), "one\ntwo\n3"),
        ("one\ntwo", "one\ntwo\n", Edit(lines="2", action="delete"), "one\n"),
        ("one\ntwo\n", "one\ntwo", Edit(lines="2", action="delete"), "one"),
        ("one\ntwo\n", "one\ntwo", Edit(find="two", content="2"), "one\n2"),
        ("one\ntwo\n", "one\r\ntwo\r\n", Edit(find="two", content="2"), "one\r\n2\r\n"),
        ("a\nb\n", "a\rb\r", Edit(action="append", content="c"), "a\rb\rc\r"),
        ("a\rb\r", "a\nb", Edit(action="append", content="c"), "a\nb\nc"),
        ("a\nb\n", "a\r\nb", Edit(action="prepend", content="0"), "0\r\na\r\nb"),
        ("a\nb\n", "\ufeffa\nb", Edit(action="append", content="c"), "\ufeffa\nb\nc"),
        ("a\nb\n", "\na\nb\n\n", Edit(lines="2", content="B"), "\na\nB\n\n"),
        ("a\nb\n", "", Edit(action="append", content="c"), "c\n"),
        ("a\r\n", "a", Edit(action="append", content="b"), "a\r\nb"),
    ],
)
def test_a_stale_edit_keeps_lines_apart_whatever_became_of_their_ends(
    tmp_path: Path, seen: str, saved: str, edit: Edit, after: str
) -> None:
    with engine_at(tmp_path, a_txt=seen) as engine:
        known = engine.read("a.txt", ReadRequest(), "me").hash
        file = tmp_path / "root/a.txt"
        file.write_bytes(saved.encode())

        receipt = engine.edit([edit], Options(actor="me", expected_hash=known), "a.txt")

        assert receipt.ok, receipt.as_text()
        assert file.read_bytes() == after.encode()


def test_a_stale_comment_mark_does_not_land_before_a_line_that_replaced_the_one_it_was_for(
    tmp_path: Path,
) -> None:
    with engine_at(tmp_path, a_txt="one\nwipe()\nlast\n") as engine:
        seen = engine.read("a.txt", ReadRequest(), "me").hash
        engine.edit([Edit(lines="2", content="deploy()")], Options(actor="other"), "a.txt")

        stale = Options(actor="me", expected_hash=seen)
        edit = Edit(find="wipe()", action="prepend", content="# ")
        receipt = engine.edit([edit], stale, "a.txt")

        assert [each.code for each in receipt.refusals] == ["stale"]
        assert text(engine, "a.txt") == "one\ndeploy()\nlast\n"


@pytest.mark.parametrize("saved", ["one\nlast\n", "one\nnew\nlast\n", "x\none\n"])
def test_a_stale_addition_beside_lines_that_went_is_refused(tmp_path: Path, saved: str) -> None:
    with engine_at(tmp_path, a_txt="one\nwipe()\nload()\nlast\n") as engine:
        seen = engine.read("a.txt", ReadRequest(), "me").hash
        (tmp_path / "root/a.txt").write_text(saved, "utf-8")

        patch = "@@ -1,2 +1,3 @@\n one\n+wait()\n wipe()\n"
        receipt = engine.patch(patch, Options(actor="me", expected_hash=seen), "a.txt")

        assert [each.code for each in receipt.refusals] == ["stale"]
        assert text(engine, "a.txt") == saved


def test_two_stale_deletions_at_the_end_leave_what_is_left(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\nthree\n") as engine:
        seen = engine.read("a.txt", ReadRequest(), "me").hash
        (tmp_path / "root/a.txt").write_text("one\ntwo\nthree", "utf-8")

        edits: list[Operation] = [
            Edit("a.txt", lines="2", action="delete"),
            Edit("a.txt", lines="3", action="delete"),
        ]
        receipt = engine.edit(edits, Options(actor="me", expected_hash=seen))

        assert receipt.ok
        assert text(engine, "a.txt") == "one"


JOB = "  build:\n    runs-on: linux\n    steps:\n      - checkout\n      - make all\n"
OTHER = "  lint:\n    runs-on: linux\n    steps:\n      - lint it\n"
JOBS = "name: ci\njobs:\n" + JOB + OTHER
WANTED = Edit(find=JOB, content=JOB.replace("make all", "make check"))
JOB_PATCH = """\
--- a/ci.yml
+++ b/ci.yml
@@ -3,5 +3,5 @@
   build:
     runs-on: linux
     steps:
       - checkout
-      - make all
+      - make check
"""


def colleague_saves(engine: Engine, text: str, by: str) -> None:
    if by == "outside":
        (Path(engine.root) / "ci.yml").write_text(text, "utf-8")
        return
    hash_ = engine._tree.read("ci.yml").hash
    known = Options(actor="other", mode="interactive", expected_hash=hash_)
    assert engine.write(WriteFile("ci.yml", text), known).ok


@pytest.mark.parametrize("by", ["outside", "write"])
@pytest.mark.parametrize("way", ["find", "patch", "hash"])
@pytest.mark.parametrize(
    ("copy", "original"),
    [
        (JOB.replace("build", "nightly"), JOB.replace("make all", "make most")),
        (JOB.replace("build", "nightly"), JOB.replace("checkout", "fetch")),
        (JOB.replace("checkout", "fetch"), JOB.replace("linux", "mac")),
    ],
)
def test_a_copy_made_since_is_never_edited_for_its_original(
    tmp_path: Path, by: str, way: str, copy: str, original: str
) -> None:
    with engine_at(tmp_path, ci_yml=JOBS) as engine:
        seen = engine.read("ci.yml", ReadRequest(), "tester").hash
        now = JOBS.replace(JOB, copy + original)
        colleague_saves(engine, now, by)

        if way == "patch":
            engine.patch(JOB_PATCH, ME)
        else:
            options = replace(ME, expected_hash=seen) if way == "hash" else ME
            engine.edit([WANTED], options, "ci.yml")

        right = now.replace(original, original.replace("make all", "make check"))
        assert text(engine, "ci.yml") in {now, right}


@pytest.mark.parametrize("how", ["read", "edit"])
@pytest.mark.parametrize("where", ["far", "above"])
def test_text_that_is_left_only_in_a_copy_is_not_the_place_that_was_shown(
    tmp_path: Path, how: str, where: str
) -> None:
    with engine_at(tmp_path, ci_yml=JOBS) as engine:
        if how == "read":
            engine.read("ci.yml", ReadRequest(), "tester")
        else:
            engine.edit([Edit(find="name: ci", content="name: all")], ME, "ci.yml")
        shown = text(engine, "ci.yml")
        changed = JOB.replace("linux", "mac")
        now = shown.replace(JOB, JOB + changed)
        now = shown.replace(JOB, changed) + JOB if where == "far" else now
        (tmp_path / "root/ci.yml").write_text(now, "utf-8")

        receipt = engine.edit([WANTED], ME, "ci.yml")

        (refusal,) = receipt.refusals
        assert refusal.code == "stale"
        assert text(engine, "ci.yml") == now
        accepted = engine.edit([Edit(accept=refusal.candidates[0].accept)], ME, "ci.yml")
        assert accepted.ok
        assert text(engine, "ci.yml") == now.replace(JOB, JOB.replace("make all", "make check"))


LINE = Edit(find="      - make all\n", content="      - make check\n")
SECOND = OTHER.replace("lint it", "make all")
TWICE = f"name: ci\njobs:\n{JOB}{SECOND}# that\n# is\n# all\n"


@pytest.mark.parametrize(
    ("narrowed", "was", "now"),
    [
        # The line was copied within the segment, and changed where it was.
        (
            replace(LINE, segment="jobs.build"),
            TWICE,
            TWICE.replace(
                "      - checkout\n      - make all", f"{LINE.find}      - checkout\n      - x"
            ),
        ),
        # Another job's line came to stand at these line numbers.
        (replace(LINE, lines="6-7"), TWICE, TWICE.replace(JOB, "")),
        # The first of two was changed, or taken out.
        (
            replace(LINE, occurrence="first"),
            TWICE,
            TWICE.replace(JOB, JOB.replace("make all", "make most")),
        ),
        (replace(LINE, occurrence="first"), TWICE, TWICE.replace(JOB, "")),
        (replace(LINE, occurrence="last"), TWICE, TWICE.replace(SECOND, "")),
        (replace(LINE, occurrence=2), TWICE, "      - make all\n" + TWICE),
    ],
)
@pytest.mark.parametrize("in_order", [False, True])
def test_a_narrowed_quote_is_for_the_place_that_was_shown(
    tmp_path: Path, narrowed: Edit, was: str, now: str, *, in_order: bool
) -> None:
    with engine_at(tmp_path, ci_yml=was) as engine:
        engine.read("ci.yml", ReadRequest(), "tester")
        (tmp_path / "root/ci.yml").write_text(now, "utf-8")
        call = InOrder("ci.yml", (narrowed,)) if in_order else replace(narrowed, path="ci.yml")

        receipt = engine.edit([call], ME)

        assert [each.code for each in receipt.refusals] == ["stale"]
        assert text(engine, "ci.yml") == now


@pytest.mark.parametrize(
    "narrowed",
    [
        replace(LINE, segment="jobs.build"),
        replace(LINE, lines="5-9"),
        replace(LINE, occurrence="first"),
        LINE,
    ],
)
@pytest.mark.parametrize("in_order", [False, True])
def test_a_narrowed_quote_goes_along_with_its_place(
    tmp_path: Path, narrowed: Edit, *, in_order: bool
) -> None:
    with engine_at(tmp_path, ci_yml=JOBS) as engine:
        engine.read("ci.yml", ReadRequest(), "tester")
        now = f"# our jobs\n{JOBS.replace('lint it', 'lint all')}"
        (tmp_path / "root/ci.yml").write_text(now, "utf-8")
        call = InOrder("ci.yml", (narrowed,)) if in_order else replace(narrowed, path="ci.yml")

        assert engine.edit([call], ME).ok
        assert text(engine, "ci.yml") == now.replace("make all", "make check")


def test_whoever_looked_at_the_copy_may_edit_it(tmp_path: Path) -> None:
    with engine_at(tmp_path, ci_yml=JOBS) as engine:
        engine.read("ci.yml", ReadRequest(), "tester")
        now = JOBS.replace(JOB, JOB.replace("linux", "mac")) + JOB
        (tmp_path / "root/ci.yml").write_text(now, "utf-8")
        engine.read("ci.yml", ReadRequest(), "tester")

        assert engine.edit([WANTED], ME, "ci.yml").ok


def test_a_block_that_was_moved_is_the_place_and_the_receipt_says_so(tmp_path: Path) -> None:
    with engine_at(tmp_path, ci_yml=JOBS) as engine:
        more = "".join(f"  job{number}:\n    runs-on: os{number}\n" for number in range(5))
        (tmp_path / "root/ci.yml").write_text(JOBS + more, "utf-8")
        engine.read("ci.yml", ReadRequest(), "tester")
        (tmp_path / "root/ci.yml").write_text(JOBS.replace(JOB, "") + more + JOB, "utf-8")

        receipt = engine.edit([WANTED], ME, "ci.yml")

        assert receipt.ok
        note = "the quoted text was moved since the version last shown"
        assert receipt.files[0].plan.edits[0].notes == (note,)


def test_a_recorded_copy_leaves_no_doubt_about_the_original(tmp_path: Path) -> None:
    with engine_at(tmp_path, ci_yml=JOBS) as engine:
        engine.read("ci.yml", ReadRequest(), "tester")
        other = Options(actor="other")
        copy = JOB.replace("build", "nightly")
        above = Edit(lines="3", action="before", content=copy, indent="keep")
        assert engine.edit([above], other, "ci.yml").ok
        assert engine.edit([Edit(lines="9", content="    runs-on: mac")], other, "ci.yml").ok

        receipt = engine.edit([WANTED], ME, "ci.yml")

        assert receipt.ok
        right = copy + JOB.replace("linux", "mac").replace("make all", "make check")
        assert text(engine, "ci.yml") == JOBS.replace(JOB, right)


def test_of_very_many_quotes_that_are_nowhere_the_first_are_told(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.edits.resolve._MOST_TOLD", 2)
    edits = [Edit(find=f"absent {number}", content="x") for number in range(5)]

    first, second, rest = engine.edit(edits, ME, "a.py").refusals

    assert [(each.code, each.edit) for each in (first, second)] == [
        ("not-found", 0),
        ("not-found", 1),
    ]
    assert (rest.code, rest.edit) == ("bad-request", None)
    assert render(rest.headline) == (
        "3 more edits of a.py were not looked at: 2 are refused already"
    )
