import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.linting.lint import Linting
from keyhole.engine.options import Options
from keyhole.engine.verdicts import ShownProposal, whole_decision
from keyhole.fastclasses import replace
from keyhole.linters.base import Linter
from keyhole.workspace.tree import TreeOptions
from tests.linters.stage import FINDS_BAD

TOOL = Linter(
    "tool", (sys.executable, "-c", FINDS_BAD, "{path}"), ("python",), input="file", timeout=60
)
ME = Options(actor="tester")


def opened(home: Path, *linters: Linter, read_only: bool = False) -> Engine:
    (home / "root").mkdir(exist_ok=True)
    linting = Linting(linters or (TOOL,), dict(os.environ))
    return Engine.open(home / "root", home / "state", TreeOptions(read_only=read_only), linting)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    found = opened(tmp_path)
    yield found
    found.close()


def put(engine: Engine, path: str, text: str) -> Path:
    file = Path(engine.root) / path
    file.write_text(text, encoding="utf-8")
    return file


def edit(engine: Engine, find: str, content: str, options: Options = ME) -> Receipt:
    return engine.edit([Edit(find=find, content=content)], options, "a.py")


def test_a_new_error_is_refused_and_nothing_is_written(engine: Engine) -> None:
    file = put(engine, "a.py", "bad\ngood\n")

    receipt = edit(engine, "good", "bad_too")

    (refusal,) = receipt.refusals
    assert file.read_text(encoding="utf-8") == "bad\ngood\n"
    assert (refusal.code, refusal.edit, refusal.path) == ("lint-broken", 0, "a.py")
    assert refusal.headline == "the edit adds 1 new error to a.py, says tool"
    assert refusal.where == "line 2: no good (tool bad)"
    assert refusal.help == (
        "mend it in the same call; or set mode interactive to write it as it is"
    )
    assert refusal.hash_current
    assert refusal.data == {
        "line": 2,
        "column": 1,
        "diagnostics": [
            {
                "severity": "error",
                "code": "bad",
                "message": "no good",
                "line": 2,
                "column": 1,
                "linter": "tool",
                "new": True,
            }
        ],
    }


def test_an_old_error_stops_nobody(engine: Engine) -> None:
    put(engine, "a.py", "bad\ngood\n")

    receipt = edit(engine, "good", "better")

    assert receipt.outcome == "applied"
    assert receipt.files[0].diagnostics == ()


def test_interactive_writes_it_and_tells(engine: Engine) -> None:
    file = put(engine, "a.py", "good\n")

    receipt = edit(engine, "good", "bad", replace(ME, mode="interactive"))

    assert receipt.outcome == "applied"
    assert file.read_text(encoding="utf-8") == "bad\n"
    assert [item["code"] for item in receipt.files[0].diagnostics] == ["bad"]
    assert "  error: no good (line 1, bad)" in receipt.as_text().split("\n")


def test_verify_only_says_that_it_would_be_refused_with_the_diff(engine: Engine) -> None:
    file = put(engine, "a.py", "good\n")

    (refusal,) = edit(engine, "good", "bad", replace(ME, mode="verify_only")).refusals

    assert refusal.code == "lint-broken"
    assert str(refusal.data["diff"]).endswith("@@ -1 +1 @@\n-good\n+bad\n")
    assert file.read_text(encoding="utf-8") == "good\n"


def test_a_dry_run_says_what_the_call_would(engine: Engine) -> None:
    put(engine, "a.py", "good\n")

    dry = replace(ME, dry_run=True)
    assert [each.code for each in edit(engine, "good", "bad", dry).refusals] == ["lint-broken"]
    assert edit(engine, "good", "better", dry).outcome == "verified"


def test_a_linter_that_does_not_block_is_told_of_only(tmp_path: Path) -> None:
    engine = opened(tmp_path, replace(TOOL, blocking=False))
    put(engine, "a.py", "good\n")

    receipt = edit(engine, "good", "bad")
    engine.close()

    assert receipt.outcome == "applied"
    assert [item["linter"] for item in receipt.files[0].diagnostics] == ["tool"]


def test_a_linter_in_trouble_is_a_warning_of_the_receipt(tmp_path: Path) -> None:
    engine = opened(tmp_path, replace(TOOL, command=("no-such-tool",)))
    put(engine, "a.py", "good\n")

    receipt = edit(engine, "good", "bad")
    engine.close()

    assert receipt.outcome == "applied"
    assert receipt.warnings == ("tool was not run: there is no program `no-such-tool`",)


def test_the_edit_to_blame_is_named(engine: Engine) -> None:
    put(engine, "a.py", "one\ntwo\nthree\n")
    edits = [Edit(find="one", content="1"), Edit(find="three", content="bad")]

    (refusal,) = engine.edit(edits, ME, "a.py").refusals

    assert refusal.edit == 1


def test_very_many_errors_are_counted_and_the_first_are_shown(engine: Engine) -> None:
    receipt = engine.write(WriteFile("a.py", "bad\n" * 30), ME)

    (refusal,) = receipt.refusals
    assert refusal.headline == "the edit adds 30 new errors to a.py, says tool"
    assert refusal.where.split("\n")[-1] == "and 20 more"
    assert refusal.edit == 0


def test_every_file_that_breaks_is_named(engine: Engine) -> None:
    put(engine, "a.py", "good\n")
    put(engine, "b.py", "good\n")
    edits = [Edit(path=f"{name}.py", find="good", content="bad") for name in "ab"]

    refusals = engine.edit(edits, ME).refusals

    assert [(each.path, each.edit) for each in refusals] == [("a.py", 0), ("b.py", 1)]


def test_nothing_runs_in_a_workspace_that_is_only_read(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    code = f"open({str(canary)!r}, 'w').close()"
    engine = opened(tmp_path, replace(TOOL, command=(sys.executable, "-c", code)), read_only=True)
    put(engine, "a.py", "good\n")

    receipt = edit(engine, "good", "bad", replace(ME, dry_run=True))
    engine.close()

    assert receipt.warnings == ("linters do not run in a read-only workspace",)
    assert not canary.exists()


def test_nothing_runs_for_a_path_that_agents_may_not_write(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    code = f"open({str(canary)!r}, 'w').close()"
    linter = replace(TOOL, command=(sys.executable, "-c", code), languages=("*",))
    engine = opened(tmp_path, linter)

    (refusal,) = engine.write(WriteFile(".git/hooks/x.py", "x\n"), ME).refusals
    engine.close()

    assert refusal.code == "protected-path"
    assert not canary.exists()


def test_the_files_are_not_locked_while_a_linter_looks(tmp_path: Path) -> None:
    """A linter that waits for another caller's edit of the same file lets it through."""
    code = """
import os, sys, time
if "mine" in open(sys.argv[1]).read():
    open(sys.argv[2], "w").close()
    while not os.path.exists(sys.argv[3]):
        time.sleep(0.01)
"""
    begun, done = tmp_path / "begun", tmp_path / "done"
    command = (sys.executable, "-c", code, "{path}", str(begun), str(done))
    slow, other = opened(tmp_path, replace(TOOL, command=command)), opened(tmp_path, TOOL)
    file = put(slow, "a.py", "one\n\n\n\ntwo\n")
    receipts = []
    caller = threading.Thread(target=lambda: receipts.append(edit(slow, "one", "mine")))
    caller.start()
    while not begun.exists():
        threading.Event().wait(0.01)

    receipts.append(edit(other, "two", "yours"))
    done.touch()
    caller.join()
    slow.close()
    other.close()

    assert [receipt.outcome for receipt in receipts] == ["applied", "applied"]
    assert file.read_text(encoding="utf-8") == "mine\n\n\n\nyours\n"


def test_a_file_that_changed_meanwhile_is_looked_at_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = f"import sys; open({str(log)!r}, 'a').write(open(sys.argv[1]).read())"
    engine = opened(tmp_path, replace(TOOL, command=(sys.executable, "-c", code, "{path}")))
    put(engine, "a.py", "good\n")

    edit(engine, "good", "better")
    engine.close()

    # Once, ahead: under the lock the file is still the one that was looked at.
    assert log.read_text(encoding="utf-8") == "better\n"


def test_an_undo_returns_to_a_text_with_errors_unasked(engine: Engine) -> None:
    file = put(engine, "a.py", "bad\n")
    edit(engine, "bad", "good")

    receipt = engine.undo(UndoRequest(), ME)

    assert receipt.outcome == "applied"
    assert file.read_text(encoding="utf-8") == "bad\n"


def test_an_undo_that_makes_a_text_which_never_was_is_looked_at(tmp_path: Path) -> None:
    """Both edits are fine alone and together; what is left without the first is not."""
    code = """
import sys
text = open(sys.argv[1]).read()
if "use" in text and "define" not in text:
    print(f"{sys.argv[1]}:3: error: used and not defined [use]")
"""
    engine = opened(tmp_path, replace(TOOL, command=(sys.executable, "-c", code, "{path}")))
    file = put(engine, "a.py", "one\n\n\n\n\ntwo\n")
    first = edit(engine, "one", "define")
    edit(engine, "two", "use")

    wish = UndoRequest(id=first.transaction)
    (refusal,) = engine.undo(wish, ME).refusals
    assert (refusal.code, refusal.path) == ("lint-broken", "a.py")
    edits = [Edit(find="define", content="other"), Edit(find="use", content="used")]
    (refusal,) = engine.edit(edits, ME, "a.py").refusals
    assert (refusal.code, refusal.edit) == ("lint-broken", None)  # none of them is at that line
    dry = engine.undo(wish, replace(ME, mode="interactive", dry_run=True))
    assert [item["code"] for item in dry.files[0].diagnostics] == ["use"]
    forced = engine.undo(wish, replace(ME, mode="interactive"))
    assert [item["code"] for item in forced.files[0].diagnostics] == ["use"]
    assert file.read_text(encoding="utf-8") == "one\n\n\n\n\nuse\n"
    engine.close()


def test_what_a_person_accepts_is_looked_at_as_it_stands_then(engine: Engine) -> None:
    file = put(engine, "a.py", "one\ntwo\n")
    proposed = edit(engine, "one", "1", replace(ME, propose=True))
    unasked = edit(engine, "two", "bad", replace(ME, propose=True, mode="interactive"))

    def accept(name: str) -> Receipt:
        shown = ShownProposal(engine.review.proposal(name))
        seal = shown.shown
        return engine.review.decide(
            whole_decision(shown, "anna", accept=True, shown=seal, comment="")
        )

    assert accept(proposed.transaction).files[0].diagnostics == ()
    [told] = accept(unasked.transaction).files[0].diagnostics
    assert (told["code"], file.read_text(encoding="utf-8")) == ("bad", "1\nbad\n")


def test_a_refusal_also_names_the_linter_that_is_missing(tmp_path: Path) -> None:
    missing = Linter("gone", ("there-is-no-such-linter",), ("python",))
    engine = opened(tmp_path, TOOL, missing)
    put(engine, "a.py", "good\n")

    (refusal,) = edit(engine, "good", "bad").refusals

    assert refusal.where == (
        "line 1: no good (tool bad)\n"
        "warning: gone was not run: there is no program `there-is-no-such-linter`"
    )
