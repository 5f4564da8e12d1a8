"""XML: what expat minds; entities are not expanded, and nothing outside the text is read."""

from __future__ import annotations

import re

from keyhole.edits.checks.syntax.problem import Problem, at_line
from keyhole.segments.outline import plain_lines
from keyhole.text.document import masked
from keyhole.values import replace

# The text is characters already: what it says of its bytes no longer holds.
_DECLARED = re.compile(r"(<\?xml[^>]*?)(\sencoding\s*=\s*(?:\"[^\"]*\"|'[^']*'))")
_TEMPLATE = re.compile(r"\{\{|\{%|<%")


def xml_problems(text: str) -> tuple[Problem, ...]:
    """Return the first thing that is wrong with a text as XML."""
    from xml.parsers import expat

    if not text.strip():
        return ()
    flat = masked(plain_lines(text))
    flat = _DECLARED.sub(lambda match: match[1] + " " * len(match[2]), flat, count=1)
    parser = expat.ParserCreate("utf-8")
    # With a handler for the rest, expat hands references over instead of expanding them.
    parser.DefaultHandler = lambda _: None
    try:
        parser.Parse(flat.encode(), True)  # noqa: FBT003 - expat takes no keywords
    except expat.ExpatError as error:
        if "amplification" in str(error):
            return ()
        message = expat.ErrorString(error.code)
        problem = at_line(flat, error.lineno, error.offset + 1, message)
        return (replace(problem, doubtful=bool(_TEMPLATE.search(flat))),)
    return ()
