"""What a trial is: a file, what happened to it, a call, and what may stand there afterwards."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from tests.torture.place.files import File

UNIQUE, EITHER, REFUSE, SAME = "unique", "either", "must refuse", "same as before"


@dataclass(frozen=True)
class Call:
    """One call: the fields of an edit, or a patch, and the options beside it."""

    fields: dict[str, object] = field(default_factory=dict)
    patch: str = ""
    mode: str = "interactive"
    expected_hash: str = ""


@dataclass(frozen=True)
class Save:
    """Somebody saves the file: a colleague through keyhole, or a program that does not know it."""

    file: File
    through_keyhole: bool = False


@dataclass(frozen=True)
class Touch:
    """Somebody adds a line at the top of the file as it is then."""

    line: str
    through_keyhole: bool = False


@dataclass(frozen=True)
class Look:
    """The caller reads the file, or its outline."""

    outline: bool = False


Step = Save | Touch | Look | Call


@dataclass(frozen=True)
class Trial:
    """A call whose right outcome is known: `right` holds every text that is right afterwards.

    A refusal is right too, but where the truth is UNIQUE it is counted. With SAME the file stays as
    the calls before have left it.
    """

    file: File
    call: Call
    truth: str
    right: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    # The receipt may say "exact" only if this stands in the file.
    quote: str = ""
    # The name in the call is not the segment's own, so "exact" would be a lie.
    folded: bool = False

    @property
    def before(self) -> str:
        """Return the text at the call."""
        saved = [step.file.text for step in self.steps if isinstance(step, Save)]
        return saved[-1] if saved else self.file.text


def hash_of(text: str) -> str:
    """Return what the contract calls the hash of a file."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def replaced(
    file: File,
    old: tuple[str, ...],
    new: tuple[str, ...],
    truth: str,
    right: File | None,
    **more: object,
) -> Trial:
    """Return the trial of an edit that quotes lines of a file and says what they become."""
    quote = "\n".join(old)
    call = Call({"find": quote, "content": "\n".join(new), **more})
    texts = (right.text,) if right else ()
    return Trial(file, call, truth, texts, quote=quote)
