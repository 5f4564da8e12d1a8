"""A hook of a host: its JSON becomes a happening, and the tree is looked at."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.checkpoints.happenings import Happening
from keyhole.engine.hooks.events import happening_of, place_of
from keyhole.engine.observe.look import Watched, look_at
from keyhole.engine.root import find_root
from keyhole.engine.settings import load, state_home
from keyhole.journal.place import workspace_id
from keyhole.refusals import Refused

if TYPE_CHECKING:
    from keyhole.workspace.tree import Tree

_MARKS = (".git", "keyhole.toml")


def take_hook(host: str, body: bytes, environment: Mapping[str, str]) -> str:
    """Look at the tree that a hook is about; return what went wrong, "" if nothing did.

    What is missed is found by the next look, so nothing here is worth stopping an agent for.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = {}
    if not isinstance(said, dict):
        said = {}
    try:
        root = _project(place_of(said, environment) or ".", environment)
        if root is None:
            return ""
        _look(root, happening_of(host, said) if said else Happening())
    except Refused as refused:
        return str(refused)
    except OSError as error:
        return str(error)
    return ""


def _look(root: Path, happening: Happening) -> None:
    """Look at a workspace; it is opened where there is more to record than the happening."""
    given = load(root)
    if given.read_only or given.task_mode in {"research", "analyze"}:
        return
    with ExitStack() as opened:

        def tree() -> Tree:
            from keyhole.engine.opening import open_place

            place = open_place(root)
            opened.callback(place.close)
            return place.tree

        state = given.state_home / "keyhole" / workspace_id(str(root))
        look_at(Watched(str(root), state, given.max_bytes, cache(tree)), happening)


def _project(here: str, environment: Mapping[str, str]) -> Path | None:
    """Return the root of the project, None where there is none: a directory alone is no project."""
    root = find_root(Path(here), environment)
    known = state_home(environment) / "keyhole" / workspace_id(str(root)) / "journal.db"
    if known.is_file() or any(os.path.lexists(root / mark) for mark in _MARKS):
        return root
    return None
