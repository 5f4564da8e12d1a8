"""Carry a trial out in a real workspace and compare bytes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from keyhole import Edit, Receipt, Workspace
from keyhole.surfaces.library import CallOptions
from tests.torture.arena import memory_directory
from tests.torture.place.files import key
from tests.torture.place.trial import REFUSE, SAME, UNIQUE, Call, Look, Save, Touch, Trial, hash_of

RIGHT, HELD, REFUSED, GATED, VOID, WRONG = "right", "held", "refused", "gated", "void", "WRONG"
WORDS = (RIGHT, HELD, REFUSED, GATED, VOID, WRONG)
# Refusals of the gate: the edit was placed, and its text would break the file.
_GATE = {
    "syntax-broken",
    "bad-indentation",
    "elision-left",
    "merge-markers",
    "shrinks",
    "unparsable",
}
# The journal grows with each trial, so a new one is begun now and then.
_EVERY = 300


@dataclass(frozen=True)
class Verdict:
    """What became of a trial, and why."""

    word: str
    why: str
    answer: str
    now: str


class Bench:
    """A workspace in memory, for one trial after the other."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.ran = 0
        self._open()

    def _open(self) -> None:
        os.environ["XDG_STATE_HOME"] = str(self.home / "state")
        (self.home / "root").mkdir()
        self.root = self.home / "root"
        self.caller = Workspace(self.root, actor="caller")
        self.colleague = Workspace(self.root, actor="colleague")

    def close(self) -> None:
        """Let go of the workspaces."""
        self.caller.close()
        self.colleague.close()

    def _renew(self) -> None:
        self.close()
        shutil.rmtree(self.home / "root")
        shutil.rmtree(self.home / "state")
        self._open()

    def run(self, trial: Trial) -> Verdict:
        """Carry out a trial and judge it."""
        self.ran += 1
        if self.ran % _EVERY == 0:
            self._renew()
        path = self.root / f"f{self.ran}{trial.file.suffix}"
        path.write_bytes(trial.file.text.encode())
        before = self._prepared(trial, path)
        if before is None:
            path.unlink()
            return Verdict(VOID, "a call before was refused", "", "")
        receipt = self._called(trial.call, path)
        now = path.read_bytes().decode()
        path.unlink()
        word, why = judge(trial, receipt, before, now)
        return Verdict(word, why, receipt.as_text() if word == WRONG else _codes(receipt), now)

    def _prepared(self, trial: Trial, path: Path) -> str | None:
        """Make what happens before the call; return the text then, unless a call is refused."""
        for step in trial.steps:
            if isinstance(step, Look):
                (self.caller.outline if step.outline else self.caller.read)(path.name)
            elif isinstance(step, Save):
                self._save(step.file.text, path, through_keyhole=step.through_keyhole)
            elif isinstance(step, Touch):
                text = path.read_bytes().decode()
                text = f"{step.line}{trial.file.eol}{text}"
                self._save(text, path, through_keyhole=step.through_keyhole)
            elif not self._called(step, path).ok:
                return None
        return path.read_bytes().decode()

    def _save(self, text: str, path: Path, *, through_keyhole: bool) -> None:
        if not through_keyhole:
            path.write_bytes(text.encode())
            return
        known = hash_of(path.read_bytes().decode())
        told = self.colleague.write(
            path.name, text, allow_shrink=True, expected_hash=known, mode="interactive"
        )
        assert told.ok, told.as_text()
        assert path.read_bytes() == text.encode()

    def _called(self, call: Call, path: Path) -> Receipt:
        options: CallOptions = {"mode": call.mode, "expected_hash": call.expected_hash}
        if call.patch:
            return self.caller.patch(call.patch, path.name, **options)
        return self.caller.edit(Edit(**call.fields), path.name, **options)  # type: ignore[arg-type]


def judge(trial: Trial, receipt: Receipt, before: str, now: str) -> tuple[str, str]:
    """Return what became of a trial, and why."""
    if not receipt.ok:
        if now != before:
            return WRONG, "refused, and the file is another"
        codes = {refusal.code for refusal in receipt.refusals}
        if trial.truth != UNIQUE:
            return HELD, ""
        return (GATED, "") if codes <= _GATE else (REFUSED, "")
    right = (before,) if trial.truth == SAME else trial.right
    if now not in right:
        return WRONG, "must be refused" if trial.truth == REFUSE else "other bytes than those meant"
    return _told(trial, receipt, before)


def _told(trial: Trial, receipt: Receipt, before: str) -> tuple[str, str]:
    """Compare what the receipt says with what happened."""
    edits = [edit for file in receipt.files for edit in file.plan.edits]
    for edit in edits:
        if edit.already_applied or edit.matched != "exact":
            continue
        seen = trial.file.text if trial.call.expected_hash else before
        if trial.folded or (key(trial.quote) and not _stands(trial.quote, seen)):
            return WRONG, "told as exact"
    return RIGHT, ""


def _stands(quote: str, text: str) -> bool:
    return quote.replace("\r\n", "\n") in text.replace("\r\n", "\n")


def _codes(receipt: Receipt) -> str:
    return ", ".join(refusal.code for refusal in receipt.refusals) or receipt.outcome


@contextmanager
def bench() -> Iterator[Bench]:
    """Give a bench, in memory."""
    with memory_directory() as home:
        made = Bench(home)
        try:
            yield made
        finally:
            made.close()
