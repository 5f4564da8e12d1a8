"""Options of a call: what a caller says besides the edits, and who calls."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.arguments import FLAG, HASHES, SECONDS, TEXT, check_kinds
from keyhole.fastclasses import dataclass, field
from keyhole.journal.model import Call
from keyhole.phrases import ArgumentName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import spelled

MODES = ("strict", "interactive", "verify_only")
ON_CONFLICT = ("refuse", "warn", "skip", "force", "ask")
# What becomes of edits that delete more than half of a long file.
SHRINK = ("allow", "refuse", "skip")
_KINDS = {
    **dict.fromkeys(("mode", "on_conflict", "task", "reason", "actor", "tool"), TEXT),
    **dict.fromkeys(("dry_run", "propose", "backup", "carry_over"), FLAG),
    "expected_hash": HASHES,
    "claim": SECONDS,
}


def session_name(server: str, number: int = 0) -> str:
    """Return the task of the calls of one connection that name none; `server` is eight digits."""
    return f"session-{server}-{number}" if number else f"session-{server}"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one call; a value that means nothing is refused."""

    expected_hash: str | Mapping[str, str] = ""
    mode: str = "strict"
    dry_run: bool = False
    on_conflict: str = "refuse"
    task: str = ""
    reason: str = ""
    actor: str = ""
    tool: str = "library"
    # Keep each file that changes as it was, beside it.
    backup: bool = False
    shrink: str = "allow"
    # Edits of an older version are carried over to the present one; else they are refused.
    carry_over: bool = True
    # For how many seconds the task has what it edits to itself, where a journal is shared.
    claim: float = 0.0
    # Queue the edits for a person's decision instead of writing them.
    propose: bool = False
    # By what names the host knows the call, for the journal.
    ids: Mapping[str, str] = field(default_factory=dict)
    # The connection that the call came over: see `session_name`.
    session: str = ""
    # Whether each task of a caller has to see what the others wrote, as if it were another caller.
    apart: bool = False

    def __post_init__(self) -> None:
        """Refuse values that mean nothing."""
        check_kinds({name: getattr(self, name) for name in _KINDS}, _KINDS)
        for name in ("actor", "task"):  # so the journal keeps them, and so they are compared
            object.__setattr__(self, name, spelled(getattr(self, name)))
        given = (
            ("mode", self.mode, MODES),
            ("on_conflict", self.on_conflict, ON_CONFLICT),
            ("shrink", self.shrink, SHRINK),
        )
        for name, value, choices in given:
            if value not in choices:
                one_of = ", ".join(choices)
                headline = say("{} is {}; it is one of {}", ArgumentName(name), repr(value), one_of)
                raise Refused(Refusal("bad-request", headline, data={"field": name}))

    @property
    def writes(self) -> bool:
        """Tell whether the call is to change files."""
        return not self.dry_run and self.mode != "verify_only"

    @property
    def call(self) -> Call:
        """Return who asked, for the journal."""
        details: dict[str, object] = {"ids": dict(self.ids)} if self.ids else {}
        details |= {"session": self.session} if self.session else {}
        own = (self.actor, self.task, self.tool, self.reason, self.on_conflict)
        return Call(*own, details=details)
