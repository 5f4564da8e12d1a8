import json

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.checks.validate import validate
from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, WriteFile
from keyhole.edits.model.plan import Diagnostic, Plan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.edits.planned import planned

SOUND = "def f():\n    return (1)\n\n\ndef g():\n    return 2\n"
BROKEN = "def f():\n    return (1\n\n\ndef g():\n    return 2\n"


def anything(_: str) -> bool:
    return True


def refused(plan: Plan, mode: str = "strict") -> str:
    with pytest.raises(Refused) as caught:
        validate(plan, mode, anything)
    text = Receipt.refused(caught.value.refusals).as_text()
    for file in plan.files:
        text = text.replace(file.before.hash if file.before else "?", "HASH")
    return text


def test_a_broken_edit_is_refused_with_place_caret_edit_and_the_way_to_force() -> None:
    edit = Edit(path="a.py", find="return (1)", content="return (1")

    assert refused(planned(SOUND, edit)) == (
        "refused: nothing was changed\n"
        "syntax-broken (edit 0, a.py): a.py would be broken at line 2, column 12:"
        " '(' was never closed\n"
        "  at: 1| def f():\n"
        "      2|     return (1\n"
        "                    ^\n"
        "      3| \n"
        "      4| \n"
        "  hash: HASH\n"
        "  help: correct the new text and send the call again;"
        " or set mode interactive to write it as it is"
    )


def test_a_sound_edit_passes_as_it_is() -> None:
    plan = planned(SOUND, Edit(path="a.py", find="return 2", content="return 3"))

    assert validate(plan, "strict", anything) == plan


def test_interactive_writes_and_warns() -> None:
    plan = planned(SOUND, Edit(path="a.py", find="return (1)", content="return (1"))

    checked = validate(plan, "interactive", anything)

    assert checked.files[0].after == plan.files[0].after
    assert checked.files[0].diagnostics == (
        Diagnostic("warning", "syntax-broken", "'(' was never closed", 2, 12),
    )


def test_verify_only_gives_the_diff_beside_the_verdict() -> None:
    edits = [
        Edit(path="a.py", find="return (1)", content="return (1"),
        Edit(path="a.py", find="return 2", content="# ... rest of the code ...\n    return 2"),
    ]
    with pytest.raises(Refused) as caught:
        validate(planned(SOUND, edits[0]), "verify_only", anything)
    (refusal,) = caught.value.refusals

    assert refusal.data["diff"] == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n def f():\n"
        "-    return (1)\n+    return (1\n \n \n def g():\n"
    )
    assert Receipt.refused([refusal]).as_text().count("+++ b/a.py") == 1


def test_a_broken_file_can_be_edited_elsewhere_and_the_receipt_says_what_is_broken() -> None:
    plan = planned(BROKEN, Edit(path="a.py", find="return 2", content="return 3"))

    checked = validate(plan, "strict", anything)

    assert checked.files[0].diagnostics == (
        Diagnostic("warning", "syntax-broken", "'(' was never closed", 2, 12, new=False),
    )
    assert "  warning: as before: '(' was never closed (line 2, syntax-broken)" in Receipt.done(
        checked, "applied", spelling={}
    ).as_text().split("\n")


def test_a_broken_file_can_be_repaired() -> None:
    plan = planned(BROKEN, Edit(path="a.py", find="return (1", content="return (1)"))

    assert validate(plan, "strict", anything).files[0].diagnostics == ()


def test_a_second_breakage_is_refused() -> None:
    edit = Edit(path="a.py", find="return 2", content="return [2")

    assert "a.py would be broken at line 6, column 12: '[' was never closed" in refused(
        planned(BROKEN, edit)
    )


def test_a_repair_and_a_breakage_in_one_call_are_one_result() -> None:
    edits = [
        Edit(path="a.py", find="return (1", content="return (1)"),
        Edit(path="a.py", find="return 2", content="return [2"),
    ]

    assert "syntax-broken (edit 1, a.py)" in refused(planned(BROKEN, *edits))


def test_only_the_result_of_the_whole_call_counts() -> None:
    edits = [
        Edit(path="a.py", find="return (1)", content='return """(1)'),
        Edit(path="a.py", find="return 2", content='return 2"""'),
    ]

    assert validate(planned(SOUND, *edits), "strict", anything).files[0].diagnostics == ()


def test_every_broken_file_of_a_call_is_told() -> None:
    files = {"a.py": Document("x = (1)\n"), "b.json": Document("[1]\n"), "c.py": Document("y\n")}
    edits = [
        Edit(path="a.py", find="(1)", content="(1"),
        Edit(path="b.json", find="[1]", content="[1"),
        Edit(path="c.py", find="y", content="z"),
    ]

    with pytest.raises(Refused) as caught:
        validate(resolve(edits, Snapshot(files)), "strict", anything)

    assert [(each.path, each.edit) for each in caught.value.refusals] == [
        ("a.py", 0),
        ("b.json", 1),
    ]


def test_a_new_file_must_be_sound() -> None:
    assert "a.py would be broken at line 1" in refused(
        planned(None, WriteFile("a.py", "def f(:\n"))
    )


def test_a_file_written_whole_is_judged_by_what_changes() -> None:
    write = WriteFile("a.py", BROKEN.replace("return 2", "return 3"))

    (file,) = validate(planned(BROKEN, write), "strict", anything).files

    assert [each.new for each in file.diagnostics] == [False]


def test_deleting_and_moving_are_not_judged() -> None:
    deleted = planned(BROKEN, DeleteFile("a.py"))
    moved = resolve([MoveFile("a.py", "b.py")], Snapshot({"a.py": Document(BROKEN), "b.py": None}))

    assert validate(deleted, "strict", anything) == deleted
    assert validate(moved, "strict", anything) == moved


def test_a_link_may_lead_to_a_file_of_the_same_call() -> None:
    text = "# A\n\n[b](b.md) [c](c.md) [d](d.md)\n"
    files = {"a.md": None, "b.md": None, "c.md": Document("# C\n"), "d.md": Document("# D\n")}
    plan = resolve(
        [WriteFile("a.md", text), WriteFile("b.md", "# B\n"), DeleteFile("c.md")], Snapshot(files)
    )

    checked = validate(plan, "strict", lambda path: path in {"c.md", "d.md"})

    assert [each.message for each in checked.files[0].diagnostics] == [
        "the link leads to c.md, which does not exist"
    ]


def test_checking_again_replaces_what_was_said() -> None:
    plan = planned(BROKEN, Edit(path="a.py", find="return 2", content="return 3"))
    once = validate(plan, "strict", anything)

    assert validate(once, "strict", anything) == once


def test_a_notebook_stays_one_that_can_be_read() -> None:
    sound = Document.from_bytes(b'{"cells": [], "nbformat": 4}', "notebook")
    broken = Document.from_bytes(b'{"cells": []', "notebook")

    def found(before: Document, content: str) -> list[bool]:
        plan = resolve([WriteFile("a.ipynb", content)], Snapshot({"a.ipynb": before}))
        (file,) = validate(plan, "interactive", anything).files
        return [each.new for each in file.diagnostics if "cannot be read" in each.message]

    assert found(sound, "{") == [True]
    assert found(broken, '{"cells": [') == [False]
    assert found(broken, sound.stored) == []


def test_a_cell_that_was_broken_is_moved_as_it_is() -> None:
    sources = ("a = 1", "def f(:", "b = 2")
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in sources]
    notebook = Document.from_bytes(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode(), "notebook"
    )
    moves = Edit(path="a.ipynb", segment="cell#2", action="move", to="end")
    copies = Edit(path="a.ipynb", segment="cell#2", action="after", content="def f(:")
    moved, copied = (resolve([each], Snapshot({"a.ipynb": notebook})) for each in (moves, copies))

    (file,) = validate(moved, "strict", anything).files
    assert [(each.new, each.segment) for each in file.diagnostics] == [(False, "cell#3")]
    with pytest.raises(Refused, match="syntax-broken"):
        validate(copied, "strict", anything)
