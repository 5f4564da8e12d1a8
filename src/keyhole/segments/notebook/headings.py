"""Headings of a notebook, and the cells that stand below each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# Code in the Markdown, in which `# ...` is a comment.
_FENCED = re.compile(
    r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(?s:.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE
)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def below_headings(cells: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield `Heading/cell#1`, the first cell below the cell with a heading, and so on.

    `cells` are addresses with the Markdown that the cells hold. The cells of a heading end at the
    next heading of its level or above. A heading that stands twice names none.
    """
    titles: dict[str, list[str]] = {}
    above: list[tuple[int, list[str]]] = []
    for address, prose in cells:
        found = _HEADING.findall(_FENCED.sub("", prose))
        least = min((len(marks) for marks, _ in found), default=7)
        above = [each for each in above if each[0] < least]
        for _, below in above:
            below.append(address)
        for marks, title in found:
            below = []
            titles[title] = [] if title in titles else below
            above = [*(each for each in above if each[0] < len(marks)), (len(marks), below)]
    for title, addresses in titles.items():
        for number, address in enumerate(addresses, 1):
            yield f"{title}/cell#{number}", address
