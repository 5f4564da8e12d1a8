"""Faults of workspaces that overlap, planted to show that the harness would notice."""

from __future__ import annotations

from collections.abc import Callable

from keyhole.storage import commit
from keyhole.storage.steps import Directories
from keyhole.workspace import tree
from keyhole.workspace.held import FileLocks


def locks_end_at_the_workspace() -> None:
    """Lock nothing that another workspace would see, and look at nothing again."""
    vars(commit)["shut_out"] = lambda *_: True
    vars(tree)["lock_files"] = lambda *_: FileLocks()
    Directories.lock = lambda *_: True  # type: ignore[method-assign]


PLANTED: dict[str, Callable[[], None]] = {
    "locks end at the workspace": locks_end_at_the_workspace,
}
