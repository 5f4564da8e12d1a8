"""A secret that survives a restart, in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

# For so long a secret stays known.
KNOWN_SECONDS = 90 * 24 * 3600


def kept_secret(path: Path) -> str:
    """Return the secret of a file that only its owner can read; make it if there is none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        known = json.loads(path.read_text(encoding="ascii"))
        mode = path.stat()
        is_private = not mode.st_mode & 0o077 and mode.st_uid == os.getuid()
        fresh = time.time() - float(known["made"]) < KNOWN_SECONDS
        if is_private and fresh and len(str(known["session"])) >= 43:
            return str(known["session"])
    session = secrets.token_urlsafe(32)
    with suppress(OSError):  # then it ends with the page
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh_path = path.with_suffix(f".{secrets.token_hex(4)}")
        fd = os.open(fresh_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            json.dump({"session": session, "made": time.time()}, file)
        fresh_path.replace(path)
    return session
