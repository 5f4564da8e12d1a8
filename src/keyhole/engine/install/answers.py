"""What an installation did, file by file, and how to see it working."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.fastclasses import dataclass
from keyhole.phrases import Row, render

# What the ids of installations begin with: those of a workspace never do.
INSTALLATION = "install-"
_WHAT = {
    "server": "the server",
    "only": "the host's own tools for editing, switched off",
    "hooks": "hooks, by which the host tells of its tools",
    "instructions": "a section for the model",
}


@dataclass(frozen=True, slots=True)
class HostChange:
    """One file of a host: what of ours is in it, and what became of that."""

    path: str
    what: str
    outcome: str = "absent"
    diff: str = ""
    # What `keyhole undo` takes it back by.
    transaction: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the change as a JSON object."""
        return {
            "path": self.path,
            "what": self.what,
            "outcome": self.outcome,
            "transaction": self.transaction,
            "diff": self.diff,
        }


@dataclass(frozen=True, slots=True)
class Installed:
    """A host into whose configuration keyhole was put, or out of whose it was taken."""

    host: str
    title: str
    server: str
    scope: str
    changes: tuple[HostChange, ...]
    dry_run: bool = False
    taken_out: bool = False
    see: str = ""
    # Whether this file was tried with the host itself.
    tried: bool = False
    notes: tuple[str, ...] = ()

    def as_data(self) -> dict[str, object]:
        """Return the changes as a JSON object."""
        return {
            "ok": True,
            "host": self.host,
            "server": self.server,
            "scope": self.scope,
            "dry_run": self.dry_run,
            "files": [change.as_data() for change in self.changes],
            "see": "" if self.taken_out else self.see,
            "checked_with": "the host" if self.tried else "its documentation",
            "notes": list(self.notes),
        }

    def as_text(self) -> str:
        """Return a line a file, and the next move."""
        return "\n".join(self.as_rows())

    def as_rows(self) -> Iterator[str]:
        """Yield the text row by row."""
        yield self._verdict()
        for change in self.changes:
            done = f"{change.outcome} as {change.transaction}".removesuffix(" as ")
            yield f"  {change.path}: {_WHAT[change.what]}, {done}"
            if self.dry_run and change.diff:
                yield change.diff.rstrip("\n")
        yield from (Row("note", f"  note: {render(note)}") for note in self.notes)
        if self.taken_out or self.dry_run:
            return
        if not self.tried:
            yield "  note: the file is as the host's documentation says; not tried with the host"
        yield f"  see it: {self.see}"
        yield f"  take it out: keyhole uninstall {self.host} --{self.scope}"

    def _verdict(self) -> str:
        done = {change.outcome for change in self.changes} - {"unchanged"}
        if self.dry_run and not done:
            return (
                f"{self.title}: keyhole is set up already as the server `{self.server}` (dry run)"
            )
        if self.dry_run:
            return f"{self.title}: this would be written (dry run: nothing was written)"
        if self.taken_out:
            return f"{self.title}: the server `{self.server}` was taken out"
        state = "is set up as" if done else "was set up already as"
        return f"{self.title}: keyhole {state} the server `{self.server}`"
