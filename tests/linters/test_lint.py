import os
import signal
import time

import pytest

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import replace
from keyhole.linters.check import LintReport
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from tests.linters.stage import FINDS_BAD, Stage, planted, seen

SAYS_SO = "import sys; print(f'{sys.argv[1]}:1: error: ran')"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = 1\n"),
        ("x = 1\n", "x  =  1\n\n\n"),
        ("x = 1\n", "\tx = 1"),
    ],
    ids=["nothing", "blanks", "indentation"],
)
def test_an_edit_of_nothing_but_blanks_asks_no_linter(
    stage: Stage, before: str, after: str
) -> None:
    stage.put("a.py", before)

    assert stage.lint(stage.plan(a_py=after), planted(SAYS_SO)) == LintReport()


def test_words_that_grow_together_are_more_than_blanks(stage: Stage) -> None:
    stage.put("a.py", "is not x\n")

    report = stage.lint(stage.plan(a_py="isnot x bad\n"), planted(FINDS_BAD))

    assert seen(report) == [("a.py", 1, "bad")]


@pytest.mark.parametrize(("name", "text"), [("a_md", "bad\n"), ("a_py", "bad\0\n"), ("a_py", None)])
def test_other_languages_and_files_without_text_ask_no_linter(
    stage: Stage, name: str, text: str | None
) -> None:
    stage.put("a.py", "x\n")

    assert stage.lint(stage.plan(**{name: text}), planted(SAYS_SO)) == LintReport()


def test_a_linter_for_everything_is_asked_about_everything(stage: Stage) -> None:
    linter = replace(planted(FINDS_BAD), languages=("*",))

    report = stage.lint(stage.plan(a_md="bad\n", b_txt="bad\n"), linter)

    assert seen(report) == [("a.md", 1, "bad"), ("b.txt", 1, "bad")]


def test_a_file_that_is_moved_brings_its_old_findings_along(stage: Stage) -> None:
    stage.put("old.py", "bad\n")
    before = Document.from_bytes(b"bad\n")
    after = before.with_text("bad\nfine\nbad\n")
    plan = Plan(
        (
            FilePlan("old.py", before, None, ChangeSet(4), moved_to="new.py"),
            FilePlan("new.py", None, after, ChangeSet(4), moved_from="old.py"),
        )
    )

    assert seen(stage.lint(plan, planted(FINDS_BAD))) == [("new.py", 3, "bad")]


def test_bytes_go_to_a_linter_as_they_would_be_written(stage: Stage) -> None:
    (stage.root / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    code = "import sys; print(sys.argv[1] + ':1: ' + open(sys.argv[1], 'rb').read().hex())"

    report = stage.lint(stage.plan(a_py="y = 'é'\r\n"), planted(code))

    assert report.findings["a.py"][0].message == "efbbbf79203d2027c3a9270d0a"


def test_linters_run_at_the_same_time(stage: Stage) -> None:
    """Two linters that wait for each other both end."""
    meeting = str(stage.home)
    code = """
import os, sys, time
me, other = sys.argv[2:4]
open(os.path.join(sys.argv[1], me), "w").close()
while not os.path.exists(os.path.join(sys.argv[1], other)):
    time.sleep(0.01)
"""
    one = planted(code, meeting, "one", "two", "{path}")
    two = replace(planted(code, meeting, "two", "one", "{path}"), name="second")

    assert stage.lint(stage.plan(a_py="x\n"), one, two).warnings == ()


def test_findings_of_all_linters_come_in_the_order_of_the_file(stage: Stage) -> None:
    first = planted("import sys; print(f'{sys.argv[1]}:3: b\\n{sys.argv[1]}:1: a')")
    second = replace(first, name="second")

    report = stage.lint(stage.plan(a_py="1\n2\n3\n"), first, second)

    assert [(each.line, each.linter) for each in report.findings["a.py"]] == [
        (1, "planted"),
        (1, "second"),
        (3, "planted"),
        (3, "second"),
    ]


def test_a_linter_that_does_not_block_breaks_nothing(stage: Stage) -> None:
    quiet = replace(planted(FINDS_BAD), name="quiet", blocking=False)

    report = stage.lint(stage.plan(a_py="bad\n"), quiet)

    assert seen(report) == [("a.py", 1, "bad")]
    assert report.broken == {}


def test_of_very_many_findings_the_errors_are_told_first(stage: Stage) -> None:
    code = """
import sys
for line in range(1, 101):
    severity = "error" if line > 90 else "warning"
    print(f"{sys.argv[1]}:{line}: {severity}: no")
"""
    report = stage.lint(stage.plan(a_py="x\n" * 100), planted(code))

    lines = [each.line for each in report.findings["a.py"]]
    assert lines == [*range(1, 41), *range(91, 101)]
    assert report.warnings == ("50 more findings in a.py are not listed",)


def test_an_interrupted_call_waits_for_nobody(stage: Stage) -> None:
    interrupts = f"import os, time; os.kill({os.getpid()}, {signal.SIGALRM:d}); time.sleep(600)"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    kept = signal.signal(signal.SIGALRM, interrupt)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            stage.lint(stage.plan(a_py="x\n"), planted(interrupts, timeout=600))
    finally:
        signal.signal(signal.SIGALRM, kept)

    assert time.monotonic() - began < 300
