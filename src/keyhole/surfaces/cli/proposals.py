"""keyhole proposals: the edits that wait for a person's word."""

from __future__ import annotations

from keyhole.engine.verdicts import ShownProposal, waiting
from keyhole.surfaces.cli.grammar import LOOKING, OUTPUT, Argument, Command, Given, switch
from keyhole.surfaces.cli.output import DONE, answer, is_terminal, paged_text, root_rows
from keyhole.surfaces.cli.session import opened


def run(given: Given) -> int:
    """List the proposals, or show one as it would be carried out now."""
    with opened(given) as engine:
        if name := given.text("ID"):
            return answer(ShownProposal(engine.review.proposal(name)), given)
        found = waiting(engine.review.proposals(), decided=given.on("--all"))
    if given.on("--json") or not is_terminal() or not found.proposals:
        return answer(found, given)
    from keyhole.surfaces.cli.tables import proposals_table

    paged_text("\n".join([proposals_table(found.proposals, given), *root_rows(given)]))
    return DONE


COMMAND = Command(
    "proposals",
    "list the edits that wait for your word, or show one",
    run,
    about="""\
One that waits is shown as it would be carried out on the files as they stand now, with what can no
longer be; one that was decided, as it was proposed. The last line of what waits, `shown`, is what
`approve` and `reject` name where no terminal asks.""",
    example="""\
$ keyhole proposals
$ keyhole proposals p-0f3a9c21""",
    arguments=(Argument("ID", "one proposal", required=False, kind="proposal"),),
    groups={
        "which": (switch("--all", "also those that were decided"),),
        "workspace": LOOKING,
        "output": OUTPUT,
    },
)
