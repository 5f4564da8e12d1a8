"""Sweeps on a real tree, by the engine: preview, choice, one transaction, one undo."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.answers.sweep import HOW_TO_WRITE
from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import Request
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.sweep import find
from keyhole.engine.sweep.find import find_places
from keyhole.engine.sweep.preview import summary_of
from keyhole.engine.sweep.request import Sweep
from keyhole.engine.sweep.sweep import swept
from keyhole.phrases import render
from keyhole.workspace.tree import TreeOptions
from tests.scene import engine_at, put

FILES = {
    "src/a.py": "import old\n\n\ndef f():\n    return old(1)\n",
    "src/b.py": "x = old(2)\r\n",
    "src/c.py": "y = 1\n",
    "notes.md": "old\n",
}
OLD = Edit(find="old", content="fresh", reason="renamed")
ME = Options(actor="me")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path) as engine:
        for path, text in FILES.items():
            put(Path(engine.root), path, text)
        yield engine


def sweep(engine: Engine, edit: Edit = OLD, options: Options = ME, **more: object) -> Receipt:
    given = {"glob": "*.py", **more}
    return engine.refactoring.sweep(Sweep((edit,), **given), options)  # type: ignore[arg-type]


def texts(engine: Engine) -> dict[str, str]:
    return {path: (Path(engine.root) / path).read_bytes().decode() for path in FILES}


def place_ids(receipt: Receipt) -> list[str]:
    assert receipt.sweep is not None
    return [place.id for file in receipt.sweep.listed for place in file.places]


def said(receipt: Receipt) -> tuple[str, str, str]:
    [refusal] = receipt.refusals
    return refusal.code, render(refusal.headline), render(refusal.where)


def test_the_first_call_shows_the_places_and_writes_nothing(engine: Engine) -> None:
    put(Path(engine.root), ".gitignore", "build\n")
    put(Path(engine.root), "build/a.py", "old\n")
    put(Path(engine.root), "build/deep/b.py", "old\n")
    put(Path(engine.root), "build/notes.md", "old\n")
    (Path(engine.root) / "build/link.py").symlink_to("a.py")
    put(Path(engine.root), "vendor/a.py", "old\n")

    receipt = sweep(engine)

    assert texts(engine) == FILES
    ids = place_ids(receipt)
    assert receipt.as_text() == "\n".join(
        [
            "verified (dry run: nothing was written)",
            "3 places in 2 files",
            "left out: 2 ignored by .gitignore, 1 vendored",
            "src/a.py: 2 places",
            f"  {ids[0]}  line 1  [imports]",
            "    - import old",
            "    + import fresh",
            f"  {ids[1]}  line 5  [f]",
            "    -     return old(1)",
            "    +     return fresh(1)",
            "src/b.py: 1 place",
            f"  {ids[2]}  line 1  [x]",
            "    - x = old(2)",
            "    + x = fresh(2)",
            f"help: {HOW_TO_WRITE}",
        ]
    )


def test_the_count_carries_it_out_and_one_undo_takes_it_back(engine: Engine) -> None:
    receipt = sweep(engine, expected_count=3)
    swept = texts(engine)
    engine.undo(UndoRequest(), ME)

    assert (receipt.outcome, receipt.sweep and receipt.sweep.changed) == ("applied", 3)
    assert swept == {
        **FILES,
        "src/a.py": "import fresh\n\n\ndef f():\n    return fresh(1)\n",
        "src/b.py": "x = fresh(2)\r\n",
    }
    assert texts(engine) == FILES


def test_another_count_is_refused_with_what_there_is(engine: Engine) -> None:
    receipt = sweep(engine, expected_count=4)

    assert said(receipt) == (
        "count-differs",
        "`expected_count` is 4, and there are 3 places in 2 files",
        "src/a.py 2, src/b.py 1",
    )
    assert texts(engine) == FILES


def test_ids_choose_places(engine: Engine) -> None:
    ids = place_ids(sweep(engine))

    only = sweep(engine, only=(ids[1],))
    left = sweep(engine, without=(place_ids(sweep(engine))[1],))

    assert [each.sweep and each.sweep.changed for each in (only, left)] == [1, 1]
    assert texts(engine)["src/a.py"] == "import fresh\n\n\ndef f():\n    return fresh(1)\n"
    assert texts(engine)["src/b.py"] == "x = old(2)\r\n"


def test_a_place_that_changed_is_refused_with_the_call_or_alone(engine: Engine) -> None:
    ids = place_ids(sweep(engine))
    put(Path(engine.root), "src/a.py", "import old\n\n\ndef f():\n    return 1 + old(1)\n")

    all_of_them = sweep(engine, only=tuple(ids))
    unchanged = texts(engine)
    alone = sweep(engine, only=tuple(ids), options=Options(actor="me", on_conflict="skip"))

    assert said(all_of_them) == (
        "stale",
        "1 of the places in `only` changed, or are gone",
        f"{ids[1]} in src/a.py",
    )
    assert unchanged["src/b.py"] == FILES["src/b.py"]
    assert [render(each) for each in alone.warnings] == [f"{ids[1]} in src/a.py is left out"]
    assert texts(engine)["src/a.py"] == "import fresh\n\n\ndef f():\n    return 1 + old(1)\n"


def test_a_place_that_is_to_stay_and_changed_stops_the_call(engine: Engine) -> None:
    ids = place_ids(sweep(engine))
    put(Path(engine.root), "src/b.py", "x = old(3)\n")

    receipt = sweep(engine, without=(ids[2],), options=Options(actor="me", on_conflict="skip"))

    assert said(receipt)[:2] == ("stale", "1 of the places in `without` changed, or are gone")


def test_places_that_are_all_gone_are_stale(engine: Engine) -> None:
    skips = Options(actor="me", on_conflict="skip")

    receipt = sweep(engine, only=("0000-0123456789",), options=skips)

    assert said(receipt)[2] == "0000-0123456789"


def test_to_leave_out_every_place_is_to_do_nothing(engine: Engine) -> None:
    assert said(sweep(engine, without=tuple(place_ids(sweep(engine)))))[:2] == (
        "bad-request",
        "`without` leaves out every place",
    )


def test_edits_that_meet_in_a_file_are_refused_with_its_name(engine: Engine) -> None:
    edits = OLD, Edit(find="old(1)", content="none")

    [refusal] = engine.refactoring.sweep(Sweep(edits, "*.py"), ME).refusals

    assert (refusal.code, refusal.path) == ("overlapping-edits", "src/a.py")


def test_all_files_change_or_none(engine: Engine) -> None:
    receipt = sweep(engine, Edit(find="old(1)", content="old(1"), expected_count=1)
    both = sweep(engine, Edit(find=r"old\((.)\)", regex=True, content=r"(\1"), expected_count=2)

    assert [refusal.code for refusal in receipt.refusals] == ["syntax-broken"]
    assert {refusal.path for refusal in both.refusals} == {"src/a.py", "src/b.py"}
    assert texts(engine) == FILES


def test_a_pattern_keeps_what_it_captures(engine: Engine) -> None:
    edit = Edit(pattern="old($X)", content="log.old($X, True)")

    receipt = sweep(engine, edit, expected_count=2)

    assert receipt.ok
    assert texts(engine)["src/b.py"] == "x = log.old(2, True)\r\n"
    [edited, _] = receipt.files
    assert edited.plan.edits[0].matched == "pattern"


def test_files_without_such_code_are_counted(engine: Engine) -> None:
    receipt = sweep(engine, Edit(pattern="old($X)", content="new($X)"), glob="*")
    refused = sweep(engine, Edit(pattern="old($X)", content="new($X)"), glob="*.md")

    assert receipt.sweep is not None
    assert receipt.sweep.left_out == {"without such code": 1}
    assert said(refused)[0] == "wrong-segment-kind"


def test_a_file_of_another_language_is_told_of(engine: Engine) -> None:
    put(Path(engine.root), "notes.txt", "old\n")
    put(Path(engine.root), "bytes.py", b"old\0")
    edit = Edit(pattern="old", content="new")

    receipt = sweep(engine, edit, glob="*")
    alone = sweep(engine, edit, glob="*.txt")

    assert receipt.sweep is not None
    assert receipt.sweep.left_out == {"without such code": 2, "binary": 1}
    assert said(alone)[0] == "wrong-segment-kind"


def test_a_glob_of_nothing_and_a_text_of_nowhere_are_refused(engine: Engine) -> None:
    assert said(sweep(engine, glob="*.rs"))[:2] == ("no-file", "`glob` `*.rs` names no file")
    assert (
        said(sweep(engine, glob="*.rs", path="src"))[1] == "`glob` `*.rs` names no file below src"
    )
    assert said(sweep(engine, Edit(find="absent", content="x")))[:2] == (
        "not-found",
        "no place in the 3 files that `glob` names",
    )


def test_what_except_leaves_out_is_counted_and_one_that_names_nothing_is_told(
    engine: Engine,
) -> None:
    receipt = sweep(engine, left_out=("./src/a.py", "a.py,b.py"))

    assert receipt.sweep is not None
    assert (receipt.sweep.count, receipt.sweep.left_out) == (1, {"excepted": 1})
    assert [render(each) for each in receipt.warnings] == [
        "`except` `a.py,b.py` names none of the files that `glob` names"
    ]


def test_files_in_an_encoding_that_the_user_set_are_swept(tmp_path: Path) -> None:
    put(tmp_path / "root", "a.py", b"# \xe9\nold\n")
    options = TreeOptions(encoding="latin-1")
    engine = Engine.open(tmp_path / "root", tmp_path / "state", options)

    assert sweep(engine, expected_count=1).ok
    assert said(sweep(engine))[1] == "no place in the 1 files that `glob` names"
    assert (tmp_path / "root/a.py").read_bytes() == b"# \xe9\nfresh\n"
    engine.close()


def test_files_that_agents_may_not_write_are_left_out(engine: Engine) -> None:
    put(Path(engine.root), ".idea/tasks.py", "old\n")

    receipt = sweep(engine, expected_count=3)

    assert receipt.sweep is not None
    assert receipt.sweep.left_out == {"protected": 1}
    assert (Path(engine.root) / ".idea/tasks.py").read_text(encoding="utf-8") == "old\n"


def test_a_workspace_for_reading_shows_places_and_changes_none(tmp_path: Path) -> None:
    put(tmp_path / "root", "a.py", "old\n")
    engine = Engine.open(tmp_path / "root", tmp_path / "state", TreeOptions(read_only=True))

    assert sweep(engine).sweep is not None
    assert said(sweep(engine, expected_count=1))[0] == "read-only"
    engine.close()


def test_a_hash_is_for_a_file_and_not_for_a_glob(engine: Engine) -> None:
    receipt = sweep(engine, options=Options(actor="me", expected_hash="0" * 16))

    assert said(receipt)[1] == "`expected_hash` and `glob` do not go together"


def test_a_dry_run_checks_what_would_be_written(engine: Engine) -> None:
    looks = Options(actor="me", dry_run=True)

    receipt = sweep(engine, expected_count=3, options=looks)

    assert (receipt.outcome, receipt.dry_run) == ("verified", True)
    assert texts(engine) == FILES


def test_cells_keep_their_line_ends_and_stale_outputs_are_told(tmp_path: Path) -> None:
    output = {"name": "stdout", "output_type": "stream", "text": ["hi"]}
    cell = {"cell_type": "code", "metadata": {}, "outputs": [output], "source": "a = 1\r\nold = 2"}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4})
    file = put(tmp_path / "root", "a.ipynb", text)
    with engine_at(tmp_path) as engine:
        new = Edit(find="old = 2", content="b = 2\nc = 3")
        receipt = sweep(engine, new, glob="*.ipynb", expected_count=1)

    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    assert cells == [{**cell, "source": "a = 1\r\nb = 2\r\nc = 3"}]
    assert receipt.as_text().split("\n")[-1].partition(" 1 place, ")[2] == (
        "lines 2-3 in `cell#1`; the outputs of cell#1 are those of the old source"
    )
    assert "those of the old source" in json.dumps(receipt.as_data("lean"))


def test_a_file_that_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    put(tmp_path / "root", "a.py", "old = 1\n")
    put(tmp_path / "root", "b.py", "old = 1\n" * 100)
    put(tmp_path / "root", "c.ipynb", '{"cells": [old')
    engine = Engine.open(tmp_path / "root", tmp_path / "state", TreeOptions(max_bytes=100))

    receipt = sweep(engine, glob="*")
    fewer = sweep(engine, left_out=("b.py",))

    assert receipt.sweep is not None
    assert fewer.sweep is not None
    assert (receipt.sweep.left_out, fewer.sweep.left_out) == (
        {"unreadable": 2},
        {"excepted": 1},
    )
    engine.close()


def test_a_file_that_changed_since_the_look_is_shown_without_its_lines(engine: Engine) -> None:
    found = find_places(engine._tree, Sweep((OLD,), "*.py"))
    put(Path(engine.root), "src/a.py", "other\n")
    (Path(engine.root) / "src/b.py").unlink()

    summary = summary_of(engine._tree, found)

    assert [(each.path, each.count, each.places) for each in summary.listed] == [
        ("src/a.py", 2, ()),
        ("src/b.py", 1, ()),
    ]


def saving(engine: Engine, times: int) -> Callable[[Request, Options], Receipt]:
    """Carry out as the engine does, while an outsider saves a file `times` times before."""
    left = [times]

    def carry_out(request: Request, options: Options) -> Receipt:
        if left[0]:
            left[0] -= 1
            file = Path(engine.root) / "src/b.py"
            file.write_text(
                f"# saved {left[0]}\n" + file.read_text(encoding="utf-8"), encoding="utf-8"
            )
        return engine._carry_out(request, options)

    return carry_out


def test_a_save_between_look_and_lock_is_looked_at_again(engine: Engine) -> None:
    wanted = Sweep((OLD,), "*.py", expected_count=3)

    receipt = swept(engine._tree, wanted, ME, saving(engine, 2))

    assert receipt.ok
    assert texts(engine)["src/b.py"] == "# saved 0\n# saved 1\nx = fresh(2)\n"


def test_a_call_has_a_limit_of_files(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MOST_FILES", 1)

    assert said(sweep(engine))[:2] == ("too-large", "there are places in more than 1 files")


def test_a_call_has_a_limit_of_places(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MOST_PLACES", 1)

    assert said(sweep(engine))[:2] == ("too-large", "there are more than 1 places in 1 files")


def test_a_thousand_places_cost_eight_kilobytes(engine: Engine) -> None:
    for number in range(100):
        put(Path(engine.root), f"src/deep/module_{number}.py", "value = old + old\n" * 5)

    first = sweep(engine)

    assert first.sweep is not None
    assert first.sweep.count == 1003
    assert len(first.as_text().encode()) < 8000
    seen, page = place_ids(first), first
    while page.sweep and page.sweep.following:
        page = sweep(engine, offset=page.sweep.following)
        assert len(page.as_text().encode()) < 8000
        seen += place_ids(page)
    full = sweep(engine, is_full=True)
    assert len(seen) == len(set(seen)) == 1003
    assert place_ids(full) == seen


def test_what_reads_like_a_pattern_and_stays_is_told(engine: Engine) -> None:
    put(Path(engine.root), "a.rs", "fn g() {\n    f(0);\n    print!(f(1));\n}\n")
    edit = Edit(pattern="f($X)", content="h($X)")

    preview = sweep(engine, edit, glob="*.rs")
    written = sweep(engine, edit, glob="*.rs", expected_count=1)

    told = (
        "the pattern reads like 1 more place that the grammar takes for something else, "
        "left as they are: a.rs:3"
    )
    assert [render(each) for each in preview.warnings] == [told]
    assert [render(each) for each in written.warnings] == [told]


def test_where_only_what_reads_alike_is_found_it_is_told(engine: Engine) -> None:
    put(Path(engine.root), "a.rs", "fn g() {\n    print!(f(1));\n}\n")

    receipt = sweep(engine, Edit(pattern="f($X)", content="h($X)"), glob="*.rs")

    code, headline, where = said(receipt)
    assert (code, headline) == ("not-found", "no place in the 1 files that `glob` names")
    assert where.startswith("the pattern reads like 1 more place")
