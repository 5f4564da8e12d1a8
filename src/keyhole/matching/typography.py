"""Keep the file's own characters in a line that the edit changes elsewhere."""

from __future__ import annotations

from keyhole.matching.view import fold
from keyhole.text.align import differences


def keep_typography(was: str, stands: str, wanted: str) -> str:
    """Return `wanted` with the file's own characters where it repeats what the quote folded.

    Worked example: the file has It’s a “test”, the quote says It's a "test", the new text It's a
    "best": the result is It’s a “best”.
    """
    if (
        was == stands
        or len(was.rstrip()) != len(stands.rstrip())
        or (fold(was) == was and fold(stands) == stands)
    ):
        return wanted
    pieces, at = [], 0
    for hunk in differences(was, wanted):
        pieces += [stands[at : hunk.old_start], wanted[hunk.new_start : hunk.new_end]]
        at = hunk.old_end
    return "".join([*pieces, stands[at : len(was)]])
