"""A cheap look at a file's raw bytes that tells whether it cannot hold what is looked for.

A prefilter may let a file pass in vain, but it never leaves out one that holds the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from keyhole.matching.regex import bytes_matcher
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.text.document import Document, stored_as
from keyhole.text.encodings import is_utf8_by_default

# What a file that is called so may hold: its name comes before its bytes.
Prefilter = Callable[[str, bytes], bool]

# Names of segments that the outline gives by itself; they stand in no file.
_GIVEN = frozenset(
    {
        "imports",
        "docstring",
        "frontmatter",
        "preamble",
        "this",
        "companion",
        "constructor",
        "init",
        "deinit",
    }
)
_LEAST_WORD = 2
_WORD = re.compile(r"[a-z0-9_]+")
# Bytes that may spell a name another way: escapes, and a header that names a template.
_RESPELLING = re.compile(rb"\\[uUxo0-7N&]|template=|SCAFFOLD:")
# Marks that a heading shows nothing of, and links, tags and entities that may stand inside a word.
_MARKS = b"*_`~\\"
_INSIDE_WORDS = re.compile(rb"[a-zA-Z0-9][\[<&]|[)>;][a-zA-Z0-9]")


def text_filter(query: str) -> Prefilter | None:
    """Return the prefilter of a search for plain text; None if every file has to be read."""
    piece = max(re.split(r"[\r\n]+", query), key=len)
    try:
        needle = piece.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    if not needle:
        return None
    return lambda path, data: (
        needle in data or not is_utf8_by_default(data) or stored_as(path, None) is not None
    )


def regex_filter(pattern: str) -> Prefilter | None:
    """Return the prefilter of a search by an expression."""
    matches = bytes_matcher(pattern)

    def passes(path: str, data: bytes) -> bool:
        if stored_as(path, None):
            return True
        plain = data.isascii() and b"\r" not in data and is_utf8_by_default(data)
        return not plain or matches(data)

    return passes


def name_filter(query: str) -> Prefilter | None:
    """Return the prefilter of a query for segments by their address.

    The words of an address stand in the file, whatever their case, if it is code in plain ASCII.
    """
    words = [word for word in _WORD.findall(query.casefold()) if len(word) >= _LEAST_WORD]
    needles = [
        word.encode()
        for word in words
        if not word.isdigit() and not any(word in given for given in _GIVEN)
    ]
    if not needles:
        return None
    bare = [needle.translate(None, _MARKS) for needle in needles]

    def passes(path: str, data: bytes) -> bool:
        if stored_as(path, None) or not data.isascii() or _RESPELLING.search(data):
            return True
        language = language_of(path, Document(""))
        if language == "markdown":
            lower = data.lower().translate(None, _MARKS)
            return all(needle in lower for needle in bare) or bool(_INSIDE_WORDS.search(data))
        lower = data.lower()
        known = language == "python" or language in LANGUAGES
        return not known or all(needle in lower for needle in needles)

    return passes
