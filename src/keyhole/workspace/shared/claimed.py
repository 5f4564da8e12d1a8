"""What is known here of claims in this checkout, so that an edit of other files asks nobody."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from keyhole.values import dataclass
from keyhole.workspace.shared.identity import write_quickly
from keyhole.workspace.shared.leases import Lease

_NAME = "claims.json"
# For so long after it ran out a claim is remembered, for its holder may yet come back.
_REMEMBERED = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class KnownLease:
    """A claim by its place and task, and when it runs out by the clock of this machine."""

    path: str
    segment: str
    task: str
    until: float


def load(state: Path) -> tuple[KnownLease, ...]:
    """Return the claims that processes of this machine have heard of."""
    try:
        text = (state / _NAME).read_text(encoding="utf-8")
    except OSError:
        return ()
    with suppress(ValueError, TypeError):
        found = [KnownLease(*row) for row in json.loads(text)]
        return tuple(each for each in found if each.until > time.time() - _REMEMBERED)
    return ()


def learn(state: Path, paths: Iterable[str], leases: Iterable[Lease]) -> None:
    """Replace what is known of some files by what the server says of this checkout."""
    asked, now = set(paths), time.time()
    kept = [each for each in load(state) if each.path not in asked]
    new = [
        KnownLease(lease.path, lease.segment, lease.task, now + lease.left)
        for lease in leases
        if lease.mine and lease.path in asked
    ]
    rows = [[each.path, each.segment, each.task, each.until] for each in [*kept, *new]]
    with suppress(OSError):
        write_quickly(state / _NAME, json.dumps(rows))
