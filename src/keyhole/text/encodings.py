"""The encoding that bytes are in: by their mark, by what their first lines say, or as given."""

from __future__ import annotations

import codecs
import re

# Longest first: the UTF-32 mark begins with the UTF-16 one.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WIDE_MARKS = tuple(mark for mark, name in _BOMS if name != "utf-8")
_DECLARED = (
    re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)"),
    re.compile(rb"""^<\?xml[^>]*?\sencoding=["']([-\w.]+)["']"""),
)
# Decoders that look for a mark of their own, and what they are where there is none.
_UNMARKED = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}
# How much of a file is looked at for what it is.
HEAD = 8192


def mark_of(data: bytes) -> tuple[bytes, str]:
    """Return the byte-order mark of a file and the encoding it stands for, both empty if none."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return bom, name
    return b"", ""


def is_utf8_by_default(data: bytes) -> bool:
    """Tell whether a file says of itself no encoding but UTF-8, by a mark or in its first lines."""
    if data.startswith(WIDE_MARKS):
        return False
    second = data.find(b"\n", data.find(b"\n") + 1) if b"\n" in data else -1
    head = data[:second] if 0 <= second < HEAD else data[:HEAD]
    return b"coding" not in head


def encoding_given(name: str | None) -> str:
    """Return the encoding that a name means, "" if it means none."""
    known = _known(name) if name else ""
    return _UNMARKED.get(known, known)


def encoding_declared(data: bytes) -> str:
    """Return the encoding that the first two lines name; one with wide characters names itself."""
    for line in data[:HEAD].split(b"\n", 2)[:2]:
        for pattern in _DECLARED:
            if found := pattern.search(line):
                known = _known(found.group(1).decode("ascii"))
                return "" if known in _UNMARKED else known
    return ""


def _known(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""


def lossless_errors(encoding: str) -> str:
    """Return how bytes that are not valid in an encoding are kept."""
    return "surrogatepass" if encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"


def decoded(data: bytes, encoding: str) -> str | None:
    """Decode, or None where the bytes would not come back the same."""
    errors = lossless_errors(encoding)
    try:
        text = data.decode(encoding, errors)
        same = encoding in {"utf-8", "ascii"} or text.encode(encoding, errors) == data
    except (UnicodeError, LookupError):
        # LookupError: a codec such as rot13 or zlib, which is none of text.
        return None
    return text if same else None
