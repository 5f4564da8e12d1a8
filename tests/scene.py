"""A workspace on a real disk for tests: an engine with a state directory of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keyhole.engine import Engine


@contextmanager
def engine_at(base: Path, **files: str) -> Iterator[Engine]:
    """Open an engine on a directory with these files; `a_md` is the file `a.md`."""
    root = base / "root"
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name.replace("_", ".")).write_bytes(text.encode())
    engine = Engine.open(root, base / "state")
    try:
        yield engine
    finally:
        engine.close()
