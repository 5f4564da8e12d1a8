"""The refusal of a patch that cannot be read, or asks for what patches may not do."""

from __future__ import annotations

from keyhole.refusals import Refusal, Refused

MOST_OPERATIONS = 10_000


def bad_patch(headline: str, help_line: str) -> Refused:
    """Return the refusal, to be raised."""
    return Refused(Refusal("bad-patch", headline.replace("\n", " "), help=help_line))


def check_count(count: int) -> None:
    """Refuse a patch with too many hunks as soon as that is known; the rest is not read."""
    if count > MOST_OPERATIONS:
        headline = f"the patch has more than {MOST_OPERATIONS} hunks"
        raise Refused(Refusal("too-large", headline, help="send it in parts"))
