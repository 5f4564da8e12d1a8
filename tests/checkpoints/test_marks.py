from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, PROMPT, Happening
from keyhole.checkpoints.kept_out import ListedFile
from keyhole.checkpoints.marks import Marks


@pytest.fixture(name="marks")
def _marks(tmp_path: Path) -> Iterator[Marks]:
    made = Marks(tmp_path)
    yield made
    made.close()


def at(kind: str, use: str = "", session: str = "s", prompt: str = "") -> Happening:
    return Happening(kind, "host", session, prompt, "Bash" if use else "", use, "said")


def test_a_tool_is_at_work_until_it_ends(marks: Marks) -> None:
    marks.add(at(BEFORE, "1"), 0, 10.0)
    marks.add(at(BEFORE, "2", "t"), 0, 11.0)
    first = [each.use for each in marks.at_work(12.0)]
    marks.add(at(AFTER, "1"), 0, 12.0)

    assert first == ["1", "2"]
    assert [each.actor for each in marks.at_work(13.0)] == ["host:Bash"]


def test_a_batch_that_is_over_ends_tools_that_were_refused(marks: Marks) -> None:
    marks.add(at(BEFORE, "1"), 0, 10.0), marks.add(at(BEFORE, "2"), 0, 10.0)
    marks.add(Happening("look", "host", "s", ended=("1",)), 0, 11.0)

    assert [each.use for each in marks.at_work(12.0)] == ["2"]


def test_a_new_prompt_ends_what_a_session_left_open(marks: Marks) -> None:
    marks.add(at(BEFORE, "1"), 0, 10.0)
    marks.add(at(PROMPT, prompt="p"), 0, 11.0)

    assert marks.at_work(12.0) == ()


def test_a_tool_that_never_ended_is_over_after_a_day(marks: Marks) -> None:
    marks.add(at(BEFORE, "1"), 0, 10.0)

    assert marks.at_work(10.0 + 25 * 3600) == ()


def test_a_prompt_is_found_by_its_name_or_how_it_begins(marks: Marks) -> None:
    one = marks.add(at(PROMPT, prompt="abcd-1"), 3, 1.0)
    marks.add(at(BEFORE, "1", prompt="abcd-1"), 4, 2.0)
    marks.add(at(PROMPT, prompt="efgh"), 5, 3.0)

    assert marks.began("abcd-1") == marks.began("abcd") == one
    assert marks.began("ab") is None
    assert marks.began("none") is None
    assert [each.happening.prompt for each in marks.prompts(9)] == ["efgh", "abcd-1"]


def test_marks_are_found_by_number_moment_and_use(marks: Marks) -> None:
    one, two = marks.add(at(BEFORE, "u"), 3, 1.0), marks.add(at(AFTER, "u"), 4, 2.0)

    assert (marks.mark(2), marks.at(1.5), marks.of_use("u")) == (two, one, one)
    assert (marks.mark(9), marks.at(0.5), marks.of_use("")) == (None, None, None)
    assert [*marks.after(1)] == [two]
    assert [each.use for each in marks.open_at(1)] == ["u"]
    assert marks.open_at(2) == ()


def test_what_is_written_together_is_written_whole_or_not_at_all(marks: Marks) -> None:
    def write_and_fail() -> None:
        with marks.together():
            marks.add(at(BEFORE, "1"), 0, 10.0)
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()

    assert marks.mark(1) is None
    with marks.together():
        marks.add(at(BEFORE, "1"), 0, 10.0)
    assert marks.mark(1)


def test_listed_files_are_told_when_they_change(marks: Marks) -> None:
    one = ListedFile("a\udcff", "large", 1, 1)

    assert marks.relist([one]) == [one]
    assert marks.relist([one]) == []
    assert marks.relist([]) == [one]
