"""What happened to one file of an interrupted transaction, told from the bytes that are there."""

from __future__ import annotations

from enum import Enum


class FileOutcome(Enum):
    """How far one file got, and who else was there."""

    UNPUBLISHED = "our change is not made yet"
    PUBLISHED = "our change is made"
    MATCHED = "somebody else made the same change, and ours is not made"
    OVERTAKEN = "our change was made, and somebody saved something else afterwards"
    BLOCKED = "somebody saved before our change was made"
    INTRUDED = "our change displaced a save that nobody had read"
    TANGLED = "our change displaced a save, and somebody saved again afterwards"

    @property
    def conflicts(self) -> bool:
        """Tell whether the transaction cannot go forward."""
        return self in {FileOutcome.BLOCKED, FileOutcome.INTRUDED, FileOutcome.TANGLED}

    @property
    def rescues(self) -> bool:
        """Tell whether the displaced bytes are somebody's and have no other home."""
        return self is FileOutcome.TANGLED


class Other(Enum):
    """What stands for anything that is not one of our two versions and was not read."""

    OTHER = "a directory, a link, or a file too large to be one of ours"


Content = bytes | Other | None


def verdict_of(
    before: bytes | None, after: bytes | None, now: Content, displaced: Content
) -> FileOutcome:
    """Judge by the bytes before and after, those at the name now, and those at the temporary.

    Where the evidence fits both, the answer is the one that goes forward: the change may have been
    acknowledged, and going forward never touches a file that holds somebody else's bytes.
    """
    if displaced is not None and displaced not in {before, after}:
        return FileOutcome.INTRUDED if now == after else FileOutcome.TANGLED
    if now == after:
        # An exchange leaves the old bytes at the temporary name: these new ones are not ours.
        is_ours = before == after or displaced is None or displaced == before
        return FileOutcome.PUBLISHED if is_ours else FileOutcome.MATCHED
    if now == before:
        # The temporary name holds the old bytes only after an exchange: somebody put them back
        # since.
        taken_back = displaced == before and before is not None
        return FileOutcome.OVERTAKEN if taken_back else FileOutcome.UNPUBLISHED
    staged = displaced == after and after is not None
    return FileOutcome.BLOCKED if staged else FileOutcome.OVERTAKEN
