import os
from pathlib import Path

import pytest

from keyhole import candidates
from keyhole.candidates import Candidates
from keyhole.edits.model.plan import CandidateEdit
from keyhole.text.changes import Change


def offer(number: int) -> CandidateEdit:
    return CandidateEdit(f"{number:012x}", "a.txt", "0" * 16, (Change(0, 1, "b"),), (0, 1))


def test_an_offer_is_kept_by_its_id(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "offers")
    kept.keep([offer(1)])

    assert kept.get(offer(1).accept) == offer(1)
    assert kept.get(offer(2).accept) is None
    assert kept.get("../other") is None


def test_the_oldest_offers_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "_KEPT", 2)
    kept = Candidates(tmp_path)
    for number in (1, 2):
        kept.keep([offer(number)])
        os.utime(tmp_path / offer(number).accept, (number, number))

    kept.keep([offer(3)])

    assert [kept.get(offer(number).accept) for number in (1, 2, 3)] == [None, offer(2), offer(3)]
