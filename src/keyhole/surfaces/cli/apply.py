"""keyhole apply: carry out a patch, whatever format it is in."""

from __future__ import annotations

from keyhole.surfaces.cli.grammar import (
    DETAIL,
    OUTPUT,
    WORKSPACE,
    WRITING,
    Argument,
    Command,
    Flag,
    Given,
)
from keyhole.surfaces.cli.output import tell
from keyhole.surfaces.cli.session import decoded, opened, options_of, path_in, piped, raw


def run(given: Given) -> int:
    """Carry out all of a patch as one transaction, or nothing of it."""
    file = given.text("PATCH")
    body = raw(file) if file else piped("give PATCH, or a pipe")
    # Without a word on it, a patch has the bytes of its files, each in its own encoding.
    patch = decoded(given, "patch", body) if given.text("--encoding") else body
    path = given.text("--path")
    with opened(given) as engine:
        root = engine.root
        receipt = engine.patch(patch, options_of(given), path_in(given, root, path) if path else "")
    return tell(receipt, given)


COMMAND = Command(
    "apply",
    "carry out a patch in any known format",
    run,
    about="""\
Takes a unified diff (plain or git's), a `*** Begin Patch`, SEARCH/REPLACE blocks with file names,
or JSON with edits, and tells by itself which it is. Hunks are placed by their lines, so wrong line
numbers and counts do not matter; one hunk that cannot be placed refuses the whole patch.""",
    example="""\
$ git diff | keyhole apply --root ../other-checkout
$ keyhole apply fix.patch --dry-run""",
    arguments=(
        Argument("PATCH", "the patch file; without it, or with -, standard input", required=False),
    ),
    groups={
        "what": (Flag("--path", "the patch is for this file, whatever its headers say", "PATH"),),
        "how": WRITING,
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
