"""Proposals in the terminal: the list, one as it stands, and a person's word about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from keyhole.answers.history import ProposalSummary
from keyhole.answers.receipt import Receipt
from keyhole.engine.proposals import Decision, ProposalPreview, Unit
from keyhole.fastclasses import dataclass
from keyhole.phrases import Row, say, shown
from keyhole.refusals import Refusal, Refused


@dataclass(frozen=True, slots=True)
class Waiting:
    """Proposals, those that wait first."""

    proposals: tuple[ProposalSummary, ...]

    def as_data(self) -> dict[str, object]:
        """Return the proposals in a list."""
        return {"proposals": [each.as_data() for each in self.proposals]}

    def as_text(self) -> str:
        """Return a line a proposal."""
        return "\n".join(each.as_text() for each in self.proposals) or "no proposals"


def waiting(found: Sequence[ProposalSummary], *, decided: bool) -> Waiting:
    """Return the proposals that wait, newest first, and behind them the others if asked for."""
    open_ = [each for each in found if each.proposed.verdict is None]
    rest = [each for each in found if each.proposed.verdict is not None]
    return Waiting((*open_, *(rest if decided else ())))


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """A proposal as it would be carried out now, or was proposed if somebody decided about it.

    `shown` is what a verdict has to name.
    """

    preview: ProposalPreview

    @property
    def shown(self) -> str:
        """Return the hash of what is shown."""
        return self.preview.seal

    @property
    def summary(self) -> ProposalSummary:
        """Return who proposed it, and why."""
        return ProposalSummary(self.preview.proposed)

    @property
    def is_open(self) -> bool:
        """Tell whether it waits for a word."""
        return self.preview.proposed.verdict is None

    @property
    def clashing(self) -> tuple[Unit, ...]:
        """Return what can no longer be carried out."""
        units = self.preview.units if self.is_open else ()
        return tuple(unit for unit in units if unit.clash)

    def _receipt(self) -> Receipt:
        plan = self.preview.plan if self.is_open else self.preview.proposed.plan
        return Receipt.done(plan, "proposed", dry_run=True, spelling={})

    def as_data(self) -> dict[str, object]:
        """Return the proposal with its diffs."""
        receipt = self._receipt()
        clashes = [
            {"path": each.path, "edit": each.edit, "clash": each.clash} for each in self.clashing
        ]
        diffs = {each.path: each.diff for each in receipt.files}
        return {**self.summary.as_data(), "diffs": diffs, "clashes": clashes, "shown": self.shown}

    def as_text(self) -> str:
        """Return the same for reading."""
        return "\n".join(self.as_rows())

    def as_rows(self) -> Iterator[str]:
        """Yield the text row by row, diffs with their role."""
        yield self.summary.as_text()
        receipt = self._receipt()
        for file in self.preview.proposed.plan.files:
            for edit in file.edits:
                why = f": {edit.reason}" if edit.reason else ""
                yield f"  edit {edit.index} in {file.path}{why}"
        for each in receipt.files:
            yield Row("diff", shown(each.diff.rstrip("\n")))
        for unit in self.clashing:
            which = "" if unit.edit is None else f"edit {unit.edit}: "
            yield Row("warning", f"cannot be carried out: {which}{unit.clash}")
        if self.is_open:
            yield f"shown: {self.shown}"


def decision_of(
    proposal: ShownProposal, edits: Collection[int], by: str, *, shown: str, comment: str
) -> Decision:
    """Return the word that accepts some edits of a proposal and turns the others down."""
    units = proposal.preview.units
    known = {unit.edit for unit in units if unit.edit is not None}
    if strays := sorted(set(edits) - known):
        headline = (
            f"proposal {proposal.preview.proposed.id} has no edit {strays[0]} to decide alone"
        )
        help_line = say("look at {proposals:tool} for its edits")
        raise Refused(Refusal("bad-request", headline, help=help_line, data={"field": "edit"}))
    accepted = {unit.key: unit.edit in edits and not unit.clash for unit in units}
    return Decision(proposal.preview.proposed.id, accepted, shown, by, comment)


def whole_decision(
    proposal: ShownProposal, by: str, *, accept: bool, shown: str, comment: str
) -> Decision:
    """Return the word that accepts all that still fits, or turns all of it down."""
    accepted = {unit.key: accept and not unit.clash for unit in proposal.preview.units}
    return Decision(proposal.preview.proposed.id, accepted, shown, by, comment)
