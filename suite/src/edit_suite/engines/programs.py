"""Programs that take a patch: `git apply`, GNU patch, and `apply_patch` of codex."""

from __future__ import annotations

from pathlib import Path

from edit_suite.case import Call
from edit_suite.engines.base import Contract, Program
from edit_suite.engines.patches import begin_patch
from edit_suite.place import Place


def git_apply() -> Program:
    """Return `git apply`, which finds hunks that moved and refuses the whole patch otherwise."""

    def command(call: Call, place: Place) -> tuple[list[str], str]:
        # A repository around the scratch directory would change what paths mean.
        ceiling = f"GIT_CEILING_DIRECTORIES={place.root.parent}"
        return ["env", ceiling, "git", "apply", "-"], place.local_diff(call["diff"])

    return Program("git-apply", command)


def gnu_patch() -> Program:
    """Return GNU patch as a script would call it: no questions, no backups, no reject files."""

    def command(call: Call, place: Place) -> tuple[list[str], str]:
        flags = ["--batch", "--forward", "--no-backup-if-mismatch", "--reject-file=-"]
        return ["patch", "-p1", *flags], place.local_diff(call["diff"])

    return Program("gnu-patch", command)


def codex(program: Path) -> Program:
    """Return codex's own `apply_patch`: its program acts so when it is called by that name."""

    def command(call: Call, place: Place) -> tuple[list[str], str]:
        diff = place.local_diff(str(call.arguments.get("diff", "")))
        return [str(program)], begin_patch(call, place.local(call.path), diff)

    # Alone it knows no root: codex confines it from outside.
    verbs = frozenset({"replace_text", "apply_diff", "write"})
    return Program(
        "codex-apply-patch",
        command,
        verbs,
        Contract(whole_lines=True, ended_lines=True, line_numbers=False, has_root=False),
    )
