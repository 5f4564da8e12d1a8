"""The lines of a patch, and what became of their ends on the way here."""

from __future__ import annotations

import re


def lines_of(text: str, own: re.Pattern[str]) -> list[str]:
    r"""Return the lines of a patch; `own` matches those that no file's text can be.

    Where these end with `\r` too, the patch was converted as a whole, and no `\r` is a file's.
    """
    lines = text.split("\n")
    if "\r" not in text:
        return lines
    marks = [line for line in lines if own.match(line)]
    if all(line.endswith("\r") for line in marks):
        return [line.removesuffix("\r") for line in lines]
    return lines
