"""What a transaction or a proposal is called: its reason, or what stands for it."""

from __future__ import annotations

from keyhole.answers.history import PastTransaction, ProposalSummary
from keyhole.engine.proposals import ProposalPreview


def title_of(past: PastTransaction) -> str:
    """Return the reason of a transaction, or what stands for one."""
    entry, call = past.entry, past.entry.call
    reasons = [call.reason, *(edit.reason for file in entry.files for edit in file.edits)]
    if said := next((reason for reason in reasons if reason.strip()), ""):
        return said
    if call.undoes:
        return f"Undo of {', '.join(dict.fromkeys(each.entry for each in call.undoes))}"
    names = ", ".join(change.path.rpartition("/")[2] for change in entry.files[:3])
    if entry.call.details.get("observed"):
        return f"Changed {names}"
    return f"{(call.tool.rpartition(' ')[2] or 'edit').capitalize()} {names}"


def proposed_title(summary: ProposalSummary | ProposalPreview) -> str:
    """Return why something was proposed, or what stands for it."""
    each = summary.proposed
    reasons = [each.asked.reason, *(e.reason for file in each.plan.files for e in file.edits)]
    if said := next((reason for reason in reasons if reason.strip()), ""):
        return said
    return f"Change {', '.join(file.path for file in each.plan.files[:3])}"
