"""The version of each file that the caller expects."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import HASH_DIGITS

_HASH = re.compile(r"[0-9a-f]{16}(?:[0-9a-f]{48})?")


def expected_of(
    given: str | Mapping[str, str], spelling: Mapping[str, str], paths: Collection[str]
) -> dict[str, str]:
    """Return the expected hash of each path; `spelling` is how the caller wrote it.

    One hash alone is for a call on one file; a mapping may use any spelling of a path.
    """
    if not given:
        return {}
    if isinstance(given, str):
        if len(paths) > 1:
            raise Refused(_bad("one hash cannot be for several files", "give {path: hash}"))
        return {path: _checked(given) for path in paths}
    back = {written: path for path, written in spelling.items()}
    expected = {}
    for path, value in given.items():
        name = back.get(path, path)
        if name not in paths:
            raise Refused(_bad(f"{path} is not a file of this call", "name the paths of the edits"))
        expected[name] = _checked(value)
    return expected


def _checked(value: object) -> str:
    folded = value.strip().lower() if isinstance(value, str) else ""
    if not _HASH.fullmatch(folded):
        raise Refused(
            _bad(
                f"{value!r} is not a hash", f"give {HASH_DIGITS} hex digits, as receipts show them"
            )
        )
    return folded[:HASH_DIGITS]


def _bad(what: str, help_line: str) -> Refusal:
    headline = say("{expected_hash}: {}", what)
    return Refusal("bad-request", headline, help=help_line, data={"field": "expected_hash"})
