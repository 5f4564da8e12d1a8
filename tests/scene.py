"""A workspace on a real disk for tests: its files, an engine, a state directory of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keyhole.engine.facade import Engine


def put(root: Path, path: str, body: str | bytes) -> Path:
    """Write a file below a root, and make the directories that it needs."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body.encode() if isinstance(body, str) else body)
    return target


@contextmanager
def engine_at(base: Path, **files: str) -> Iterator[Engine]:
    """Open an engine on a directory with these files; `a_md` is the file `a.md`."""
    root = base / "root"
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        put(root, name.replace("_", "."), text)
    engine = Engine.open(root, base / "state")
    try:
        yield engine
    finally:
        engine.close()
