"""New text that is spelt otherwise than what the file has: two encodings in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.plan import FilePlan

# How a document keeps bytes that are none of its encoding.
_FOREIGN = re.compile("[\udc80-\udcff]")


def mixed_encodings(file: FilePlan) -> Iterator[Problem]:
    """Yield a warning where other bytes than ASCII join bytes that nobody could read."""
    if file.before is None or not _FOREIGN.search(file.before.text):
        return
    for change, (start, end) in zip(file.changes.changes, file.changes.spans_after(), strict=True):
        if not _FOREIGN.sub("", change.text).isascii():
            name = file.before.encoding
            message = f"the file has bytes that are not {name}, and this is written in {name}"
            yield Problem(start, end, message, doubtful=True, code="mixed-encodings")
            return
