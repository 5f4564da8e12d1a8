"""The answer of a look at the tree: what others did since the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass

if TYPE_CHECKING:
    from keyhole.answers.history import PastTransaction
    from keyhole.checkpoints.kept_out import ListedFile
    from keyhole.checkpoints.marks import Mark
    from keyhole.journal.model import Entry


@dataclass(frozen=True, slots=True)
class Observation:
    """What a look found: the transactions it recorded, and the files that are not kept."""

    checkpoint: int
    entries: tuple[Entry, ...] = ()
    listed: tuple[ListedFile, ...] = ()
    is_first: bool = False
    # How many files a look took in.
    kept: int = 0

    def as_data(self) -> dict[str, object]:
        """Return it for a program."""
        return {
            "checkpoint": f"c{self.checkpoint}",
            "first": self.is_first,
            "transactions": [_past(each).as_data() for each in self.entries],
            "listed": [{"path": each.path, "why": each.why} for each in self.listed],
        }

    def as_text(self, detail: str = "brief") -> str:
        """Return a line for each transaction, and the checkpoint to come back to."""
        rows = [_past(each).as_text(detail) for each in self.entries]
        rows += [f"not kept, {each.why}: {each.path}" for each in self.listed]
        if self.is_first:
            rows.append(f"first look: {self.kept} files are kept; what changes from now on is seen")
        elif not rows:
            rows.append("nothing changed but by keyhole")
        return "\n".join([*rows, f"checkpoint c{self.checkpoint}"])


def _past(entry: Entry) -> PastTransaction:
    from keyhole.answers.history import PastTransaction  # a hook shows none

    return PastTransaction(entry)


def _moment(mark: Mark) -> str:
    from keyhole.answers.history import moment

    return moment(mark.time)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts to go back to, the latest first."""

    marks: tuple[Mark, ...]

    def as_data(self) -> dict[str, object]:
        """Return them for a program."""
        return {
            "prompts": [
                {
                    "prompt": each.happening.prompt,
                    "checkpoint": f"c{each.id}",
                    "time": _moment(each),
                    "host": each.happening.host,
                    "session": each.happening.session,
                    "said": each.happening.said,
                }
                for each in self.marks
            ]
        }

    def as_text(self, detail: str = "brief") -> str:
        """Return a line for each."""
        del detail
        rows = [
            f"{each.happening.prompt or '-'}  c{each.id}  {_moment(each)}  "
            f"{each.happening.host} {each.happening.session}: {each.happening.said}"
            for each in self.marks
        ]
        return "\n".join(rows) or "no prompts; hosts tell of them once their hooks are installed"


@dataclass(frozen=True, slots=True)
class PromptGroup:
    """A prompt with what was done for it, and beside it until the next one, newest first."""

    mark: Mark
    done: tuple[PastTransaction, ...]

    @property
    def point(self) -> str:
        """Return by what name one goes back to it."""
        return self.mark.happening.prompt or f"c{self.mark.id}"
