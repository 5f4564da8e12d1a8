"""Forty calls of a typical session come out as the case file shows them, in both forms."""

from pathlib import Path

import pytest

from tests.facts import unsaid
from tests.session_cases import answers, parse

FILE = Path(__file__).parents[2] / "cases" / "sessions" / "typical.md"
SESSION = parse(FILE.read_text(encoding="utf-8"))


def test_the_answers_are_as_written_and_say_the_same_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "root").mkdir()

    for call, (text, data) in zip(SESSION.calls, answers(SESSION, tmp_path / "root"), strict=True):
        assert text == call.text, call.title
        assert data == call.data, call.title
        assert unsaid(text, data) == [], call.title


def test_there_are_forty() -> None:
    assert len(SESSION.calls) == 40
