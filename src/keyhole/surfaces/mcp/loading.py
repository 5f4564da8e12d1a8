"""What calls need and a list of tools does not: loaded after the list, if that can be."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_ENGINE, _CALLS = "keyhole.engine.facade", "keyhole.surfaces.mcp.calls"


def load() -> None:
    """Load the engine, and what brings calls to it."""
    import_module(_ENGINE)
    import_module(_CALLS)


def load_once() -> None:
    """Load it now if Python has not compiled it yet: behind the fence it cannot keep the result."""
    if not sys.dont_write_bytecode and not _is_compiled():
        load()


def _is_compiled() -> bool:
    spec = find_spec(_ENGINE)
    return spec is not None and spec.cached is not None and Path(spec.cached).exists()
