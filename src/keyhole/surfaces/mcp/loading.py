"""What calls need, and what only the protocol's library needs: loaded when it is needed."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_ENGINE, _CALLS = "keyhole.engine.facade", "keyhole.surfaces.mcp.calls"
_LIBRARY = "keyhole.surfaces.mcp.library"


def load() -> None:
    """Load the engine, and what brings calls to it."""
    import_module(_ENGINE)
    import_module(_CALLS)


def load_once() -> None:
    """Load all of it if Python has not compiled it yet: behind the fence it cannot keep that."""
    if not sys.dont_write_bytecode and not (_is_compiled(_ENGINE) and _is_compiled(_LIBRARY)):
        load()
        import_module(_LIBRARY)


def _is_compiled(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and spec.cached is not None and Path(spec.cached).exists()
