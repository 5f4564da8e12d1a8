"""Sessions: which clients' connections are open in this workspace, whichever server has them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from keyhole.disk.locks import is_locked, locked_file
from keyhole.journal.model import server_of


class Sessions:
    """A file for each server that edits here, locked as long as the server lives."""

    def __init__(self, state: Path) -> None:
        self._directory = state / "sessions"
        self._held: dict[str, int] = {}

    def keep(self, session: str) -> None:
        """Let others know that the server of a session is there."""
        server = server_of(session)
        if not server or server in self._held:
            return
        with suppress(OSError):  # who cannot say so is not warned of
            self._directory.mkdir(mode=0o700, exist_ok=True)
            self._held[server] = locked_file(self._directory / server)

    def is_kept(self, session: str) -> bool:
        """Tell whether the server of a session is in this process, and edited here."""
        return server_of(session) in self._held

    def is_open(self, session: str) -> bool:
        """Tell whether the server of a session lives; what a dead one left is cleared away."""
        server = server_of(session)
        if server in self._held:
            return True
        path = self._directory / server
        try:
            if is_locked(path):
                return True
            path.unlink()
        except OSError:
            pass
        return False

    def close(self) -> None:
        """Let the servers of this process go."""
        for server, fd in self._held.items():
            with suppress(OSError):
                (self._directory / server).unlink()
            os.close(fd)
        self._held.clear()
