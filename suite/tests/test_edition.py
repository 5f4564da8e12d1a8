"""The frozen edition: what its generator writes, and readable by itself."""

from __future__ import annotations

import hashlib
from pathlib import Path

import edit_suite
from edit_suite import edition as generator
from edit_suite.case import STEPS, VERBS, Case

HOME = Path(edit_suite.__file__).parent / "editions" / "2026"
# Every name and every byte of it.
FROZEN = "42d0d92dc96236aae8aeb07501b0e1b41486a6c0f1a7707a45cb034757110c65"


def _tree(root: Path) -> dict[str, bytes]:
    found = (each for each in root.rglob("*") if each.is_file())
    return {each.relative_to(root).as_posix(): each.read_bytes() for each in found}


def test_the_generator_writes_the_committed_edition(tmp_path: Path) -> None:
    generator.write(tmp_path / "again")

    assert _tree(tmp_path / "again") == _tree(HOME)


def test_the_edition_is_frozen() -> None:
    digest = hashlib.sha256()
    for name, data in sorted(_tree(HOME).items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)

    assert digest.hexdigest() == FROZEN, "cases of 2026 never change: make the next edition"


def test_there_are_at_least_four_hundred_cases(edition: list[Case]) -> None:
    assert len(edition) >= 400


def test_a_case_is_the_same_after_it_was_written_and_read(edition: list[Case]) -> None:
    assert edition == generator.cases()


def test_every_case_says_what_a_user_would_lose(edition: list[Case]) -> None:
    assert [case.id for case in edition if not (case.loss and case.provenance and case.title)] == []


def test_every_call_is_a_verb_or_a_step(edition: list[Case]) -> None:
    known = {*VERBS, *STEPS}

    assert {call.verb for case in edition for call in case.calls} == known


def test_every_case_that_lands_changes_something(edition: list[Case]) -> None:
    idle = [case.id for case in edition if any(after == case.baseline for after in case.afters)]

    assert idle == []
