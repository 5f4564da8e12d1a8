"""Dry runs: a call that writes nothing is refused for the same reasons as one that writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from keyhole.engine.edit.check_conflicts import Cleared, check_conflicts
from keyhole.engine.edit.plan import planned, snapshot_of
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from keyhole.storage.paths.access import LOOKING
from keyhole.workspace.tree import Tree


def preview(
    tree: Tree, request: Request, options: Options, seen: Mapping[str, Collection[str]]
) -> Cleared:
    """Return the plan that a call would carry out now; nothing is locked.

    A read-only workspace still answers dry runs.
    """
    looks = tree.options.read_only or tree.options.task_mode in LOOKING
    if not looks:
        tree.check_writing(tuple(sorted(request.paths)))
    plan = planned(tree, request, snapshot_of(tree, request.paths, options.actor), options)
    if looks:
        return Cleared(plan)
    # A large deletion is asked about when it is made; here is where one looks at it.
    return check_conflicts(tree, plan, replace(options, shrink="allow"), seen)
