"""The refusal of a patch that cannot be read, or asks for what patches may not do."""

from __future__ import annotations

from keyhole.refusals import Refusal, Refused


def bad_patch(headline: str, help_line: str) -> Refused:
    """Return the refusal, to be raised."""
    return Refused(Refusal("bad-patch", headline.replace("\n", " "), help=help_line))
