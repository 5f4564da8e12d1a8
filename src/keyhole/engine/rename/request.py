"""What a rename is asked: which symbol, by its address, and its new name."""

from __future__ import annotations

from keyhole.edits.model.operations import bad, check_text
from keyhole.fastclasses import dataclass

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Rename:
    """A symbol by the file and segment that define it, and what it is called from now on."""

    path: str
    segment: str
    to: str
    # Whether the name is changed in comments and strings too.
    comments: bool = False

    def __post_init__(self) -> None:
        """Refuse a rename of nothing, and a name that is none in any language."""
        for name in ("path", "segment", "to"):
            check_text(name, getattr(self, name))
            if not getattr(self, name):
                bad(name, "is missing")
        if len(self.to) > _LONGEST or not self.to.lstrip("$#@").isidentifier():
            bad("to", f"is {self.to[:80]!r}; it is one name", "give a name without dots or blanks")
