"""Where the journal of a workspace lies: one state directory for each root."""

from __future__ import annotations

import os

# The name of the journal.
JOURNAL = "journal.db"


def workspace_id(root: str) -> str:
    """Return the name of a workspace's state directory: one for each root."""
    # Python's own: `hashlib` loads OpenSSL, which takes a twentieth of a hook.
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:  # pragma: no cover: as it is named in later versions
        from hashlib import sha256

    return str(sha256(os.fsencode(root)).hexdigest())[:16]
