"""Candidates: edits that refusals offered, kept by id so that one short call accepts one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from keyhole.edits.model.plan import CandidateEdit
from keyhole.fastclasses import dataclass
from keyhole.text.changes import Change

# More than this many offers, and the oldest go: an offer dies anyway when its file changes.
_KEPT = 512
_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Candidates:
    """A directory of candidates; losing one costs a caller one more call, so nothing is flushed."""

    directory: Path

    def keep(self, offered: Sequence[CandidateEdit]) -> None:
        """Remember candidates, and forget the oldest ones."""
        if not offered:
            return
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for offer in offered:
            _write(self.directory / offer.accept, _spelled(offer))
        self._forget_old()

    def get(self, accept: str) -> CandidateEdit | None:
        """Return the candidate with this id, or None when it is unknown or was dropped."""
        if not _ID.fullmatch(accept):
            return None
        try:
            body = (self.directory / accept).read_bytes()
            return _read(accept, body)
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def _forget_old(self) -> None:
        names = sorted(os.scandir(self.directory), key=lambda entry: entry.stat().st_mtime_ns)
        for entry in names[: max(len(names) - _KEPT, 0)]:
            Path(entry.path).unlink(missing_ok=True)


def _write(path: Path, body: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(body)


def _spelled(offer: CandidateEdit) -> bytes:
    changes = [[change.start, change.end, change.text] for change in offer.changes]
    data = {
        "path": offer.path,
        "hash": offer.hash,
        "changes": changes,
        "span": list(offer.span),
        "rest": list(offer.rest),
    }
    return json.dumps(data).encode("ascii")


def _read(accept: str, body: bytes) -> CandidateEdit:
    data = json.loads(body)
    changes = tuple(Change(start, end, text) for start, end, text in data["changes"])
    start, end = data["span"]
    rest = tuple(data.get("rest", ()))
    return CandidateEdit(accept, data["path"], data["hash"], changes, (start, end), rest)
