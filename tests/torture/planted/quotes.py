"""Faults of quotes, planted: to show that a search for wrong places would notice."""

from __future__ import annotations

import re
from collections.abc import Callable

from keyhole.edits.by_text import quoted
from keyhole.matching import ladder, rewrite_literal, stretch
from keyhole.matching.query import Occurrence
from keyhole.matching.view import View
from keyhole.text.align import differences

_WORD = re.compile(r"\w", re.ASCII)


def elision_leaves_its_block() -> None:
    """Let what a quote leaves out run over the end of its block, and its pieces be shifted."""
    vars(stretch)["first_outside"] = lambda *_: None
    vars(ladder)["in_one_frame"] = lambda *_: True


def quote_cuts_a_line() -> None:
    """Let a quote of lines cut one, unless its words change or go where they are cut."""
    vars(quoted)["cuts_line"] = vars(rewrite_literal)["cuts_line"] = _changes_at_a_cut


def _changes_at_a_cut(view: View, site: Occurrence, _: str = "") -> bool:
    old, new = site.quote.old, site.quote.new
    if site.pairs or new is None or "\n" not in old + new:
        return False
    before, after = view.around(site.start, site.end)
    lines = old.split("\n")
    for hunk in differences(lines, new.split("\n")):
        sizes = hunk.old_end - hunk.old_start, hunk.new_end - hunk.new_start
        edges = [before] if lines[0] and hunk.old_start == 0 else []
        edges += [after] if lines[-1] and hunk.old_end == len(lines) else []
        if any(map(_WORD.search, edges)) and (not sizes[1] or sizes[0] != sizes[1]):
            return True
        in_word = [_WORD.match(before[-1:]) and _WORD.match(old)] if before in edges else []
        in_word += [_WORD.match(old[-1:]) and _WORD.match(after)] if after in edges else []
        if any(in_word):
            return True
    return False


PLANTED: dict[str, Callable[[], None]] = {
    "elision leaves its block": elision_leaves_its_block,
    "a quote cuts a line": quote_cuts_a_line,
}
