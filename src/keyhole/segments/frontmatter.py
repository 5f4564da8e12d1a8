"""Front matter: the block of YAML or TOML that may open a text, and what only looks like it."""

from __future__ import annotations

import re
from typing import NamedTuple

from keyhole.segments.outline import SegmentDraft

# What stands alone on the first line, and what may close the block then.
MARKS = {"---": r"(?:---|\.\.\.)", "+++": r"\+\+\+"}
_OPENING = re.compile(r"(?P<mark>---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    mark: re.compile(rf"^{closing}[ \t]*\r?$\n?", re.MULTILINE) for mark, closing in MARKS.items()
}
_YAML_LINE = re.compile(
    r"[^\s#:\-][^:\n]*:(?:[ \t]|$)|\"[^\"\n]*\"[ \t]*:|#|-(?:[ \t]|$)|[ \t]|[\]})]|$"
)
_YAML_KEY = re.compile(r"^[^\s#:\-][^:\n]*:(?:[ \t]|$)", re.MULTILINE)
_KEY_BELOW = re.compile(r"(?:\s*#[^\n]*\n)*\s*[\"']?[^\W\d][\w .-]*[\"']?\s*[:=]")


class Matter(NamedTuple):
    """The body of a block that opens a text, and where what follows begins.

    `end` and `behind` are -1 if the block is not closed.
    """

    syntax: str
    start: int
    end: int
    behind: int


def front_matter(flat: str) -> SegmentDraft | None:
    """Return the front matter of a text; a paragraph between two rules is none."""
    found = opened(flat)
    if found is None or found.end < 0:
        return None
    body = found.start, found.end
    if found.syntax == "yaml" and not _is_yaml(flat[slice(*body)]):
        return None
    span = 0, found.behind
    return SegmentDraft("frontmatter", "frontmatter", ("frontmatter",), span, {"body": body})


def meant(flat: str) -> Matter | None:
    """Return what is meant as front matter, sound or not: a key stands right below the mark."""
    found = opened(flat)
    return found if found and _KEY_BELOW.match(flat, found.start) else None


def opened(flat: str) -> Matter | None:
    """Return the block between two marks that opens a text, whatever it holds."""
    opening = _OPENING.match(flat)
    if opening is None:
        return None
    syntax = "toml" if opening["mark"] == "+++" else "yaml"
    closing = _CLOSING[opening["mark"]].search(flat, opening.end())
    end, behind = closing.span() if closing else (-1, -1)
    return Matter(syntax, opening.end(), end, behind)


def _is_yaml(body: str) -> bool:
    """Tell whether every line can be one of a YAML mapping; an empty block counts."""
    lines = body.split("\n")
    if not body.strip():
        return "\n" not in body[:2]
    return bool(_YAML_KEY.search(body)) and all(map(_YAML_LINE.match, lines))
