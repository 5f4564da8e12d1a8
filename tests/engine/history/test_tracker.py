from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.tracker import EditTracker, TrackedEdit
from keyhole.engine.options import Options
from keyhole.engine.upkeep import end_task
from keyhole.refusals import Refused
from tests.scene import engine_at

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def insert_above(engine: Engine, count: int) -> None:
    text = "new\n" * count
    edit = Edit(path="a.txt", action="prepend", content=text)
    assert engine.edit([edit], Options(actor="tester")).ok


def test_overlapping_regions_of_two_tasks_conflict(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        tracker.record_edit("a.txt", "one", (3, 5))

        assert tracker.check_conflicts("a.txt", (5, 7), "two") == [TrackedEdit("one", 3, 5)]
        assert tracker.check_conflicts("a.txt", (6, 7), "two") == []


def test_bug_66_regions_move_with_the_lines(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        tracker.record_edit("a.txt", "one", (3, 5))
        insert_above(engine, 4)

        assert tracker.check_conflicts("a.txt", (3, 5), "two") == []
        assert tracker.check_conflicts("a.txt", (8, 8), "two") == [TrackedEdit("one", 7, 9)]


def test_bug_66_a_task_never_conflicts_with_itself(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        tracker.record_edit("a.txt", "one", (3, 5))

        assert tracker.check_conflicts("a.txt", (3, 5), "one") == []


def test_bug_66_one_file_has_one_name(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        tracker.record_edit("./a.txt", "one", (1, 1))
        absolute = str(Path(engine.root) / "a.txt")

        assert tracker.check_conflicts(absolute, (1, 1), "two") == [TrackedEdit("one", 1, 1)]


@pytest.mark.parametrize(("at", "met"), [((4, 3), 1), ((3, 2), 0), ((6, 5), 0), ((11, 10), 0)])
def test_bug_66_an_insertion_conflicts_inside_a_region_only(
    tmp_path: Path, at: tuple[int, int], met: int
) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        tracker.record_edit("a.txt", "one", (3, 5))

        assert len(tracker.check_conflicts("a.txt", at, "two")) == met


def test_two_insertions_at_one_point_conflict(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        tracker.record_edit("a.txt", "one", (4, 3))

        assert tracker.check_conflicts("a.txt", (4, 3), "two") == [TrackedEdit("one", 4, 3)]


def test_what_the_engine_wrote_for_a_task_is_known(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        edit = Edit(path="a.txt", find="line 4", content="LINE 4")
        receipt = engine.edit([edit], Options(actor="tester", task="one"))
        tracker = EditTracker(engine._tree)

        (met,) = tracker.check_conflicts("a.txt", (4, 4), "two")

        assert met == TrackedEdit("one", 4, 4, receipt.transaction)


def test_bug_66_tasks_that_ended_are_forgotten(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        edit = Edit(path="a.txt", find="line 4", content="LINE 4")
        engine.edit([edit], Options(actor="tester", task="one"))
        tracker = EditTracker(engine._tree)
        tracker.record_edit("a.txt", "three", (4, 4))

        end_task(engine._tree, "one")
        tracker.forget("three")

        assert tracker.check_conflicts("a.txt", (4, 4), "two") == []


def test_bug_66_threads_share_a_tracker(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine:
        tracker = EditTracker(engine._tree)
        with ThreadPoolExecutor(8) as pool:
            for task in range(40):
                pool.submit(tracker.record_edit, "a.txt", f"task {task}", (1, 1))

        assert len(tracker.check_conflicts("a.txt", (1, 1), "mine")) == 40


@pytest.mark.parametrize("region", [(0, 1), (2, 0), (9, 11), (12, 11)])
def test_lines_that_are_not_there_are_refused(tmp_path: Path, region: tuple[int, int]) -> None:
    with engine_at(tmp_path, a_txt=TEN) as engine, pytest.raises(Refused):
        EditTracker(engine._tree).record_edit("a.txt", "one", region)
