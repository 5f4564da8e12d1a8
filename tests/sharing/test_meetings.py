"""Where two checkouts meet, said in lines of the text as it reads."""

from pathlib import Path

import pytest

from keyhole.journal.model import Call, Entry, EntryDraft
from keyhole.sharing.meetings import lines_of
from keyhole.sharing.sides import Stretch
from tests.team import TEXT, Team, edit


@pytest.mark.needs("postgres")
def test_directories_that_git_knows_nothing_of_meet_too(tmp_path: Path, database: str) -> None:
    team = Team(tmp_path, database)
    one, other = (team.open(directory(tmp_path / name), name, "p") for name in ("one", "other"))
    edit(one, "line 19\n", "nineteen\n", "T")
    edit(other, "line 1\n", "first\n", "T")
    edit(one, "line 9\n", "nine\n", "A")

    receipt = edit(other, "line 9\n", "IX\n", "B")

    assert [each["task"] for each in receipt.conflicts] == ["A"]
    team.close()


def directory(path: Path) -> Path:
    path.mkdir()
    (path / "f.txt").write_text(TEXT, encoding="utf-8")
    return path


ENTRY = Entry("1-0000", 1, EntryDraft("0" * 12, 0.0, Call(), ()))


def test_an_encoding_that_a_text_declares_moves_no_line() -> None:
    text = "# -*- coding: latin-1 -*-\nß = 'ß'\nx = 2\n"
    start = text.index("x = 2")

    assert lines_of(text, Stretch(start, len(text), ENTRY)) == (3, 3)
