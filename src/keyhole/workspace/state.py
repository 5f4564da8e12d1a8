"""The state directory of a workspace: journal, locks, versions shown; opened when needed."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.disk import kernel
from keyhole.disk.locks import Locks
from keyhole.journal.model import Journal, Retention
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from keyhole.workspace.sessions import Sessions
    from keyhole.workspace.versions_seen import ShownVersions


class State:
    """Everything keyhole keeps outside the tree, private to the user."""

    def __init__(
        self, directory: Path, lock_timeout: float, retention: Retention, *, durable: bool = True
    ) -> None:
        self.directory = directory
        self._lock_timeout = lock_timeout
        self._retention = retention
        self._durable = durable

    @property
    def exists(self) -> bool:
        """Tell whether there is a journal."""
        return "journal" in self.__dict__ or (self.directory / "journal.db").exists()

    @cached_property
    def journal(self) -> Journal:
        """Return the journal, opened when it is first needed."""
        from keyhole.journal.sqlite import SqliteJournal

        self._make()
        return SqliteJournal(self.directory, durable=self._durable)

    @cached_property
    def locks(self) -> Locks:
        """Return the locks between processes."""
        self._make()
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        return Locks(os.open(self.directory / "locks", flags), self._lock_timeout)

    @cached_property
    def shown(self) -> ShownVersions:
        """Return the memory of what agents were shown."""
        from keyhole.workspace.versions_seen import ShownVersions

        self._make()
        return ShownVersions(self.directory)

    @cached_property
    def sessions(self) -> Sessions:
        """Return who else is connected to this workspace."""
        from keyhole.workspace.sessions import Sessions

        return Sessions(self.directory)

    @property
    def has_shown(self) -> bool:
        """Tell whether anybody was shown anything."""
        return "shown" in self.__dict__ or (self.directory / "shown.db").exists()

    def close(self) -> None:
        """Let go of what was opened, and tidy up once a day."""
        opened = self.__dict__
        if "shown" in opened:
            self.shown.close()
        if "journal" in opened:
            with suppress(Refused):
                self.journal.tidy_if_due(self._retention, time.time())
            self.journal.close()
        if "locks" in opened:
            os.close(self.locks.dir_fd)
        if "sessions" in opened:
            self.sessions.close()
        for name in ("shown", "journal", "locks", "sessions"):
            opened.pop(name, None)

    def set_aside(self, refused: Refused) -> Refusal:
        """Give up a journal that is damaged; the next call starts a new one."""
        journal: Journal = self.__dict__.pop("journal")
        return journal.set_aside(refused.refusals[0].headline)

    def _make(self) -> None:
        try:
            _make_lasting(self.directory / "locks")
            self.directory.chmod(0o700)
        except OSError as error:
            raise Refused(_no_state(self.directory, error)) from None


def _make_lasting(directory: Path) -> None:
    """Make a directory and those above it durable, so that no intent is lost."""
    if directory.is_dir():
        return
    _make_lasting(directory.parent)
    directory.mkdir(mode=0o700, exist_ok=True)
    fd = os.open(directory.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        kernel.flush(fd)
    finally:
        os.close(fd)


def state_trouble(directory: Path, error: OSError) -> Refusal:
    """Return the refusal of a call that the state directory, or recovery, could not serve."""
    return Refusal(
        "journal",
        f"keyhole's own files in {directory} cannot be used: {error.strerror or error}",
        help="send the same request again; if it stays so, check the disk and `keyhole doctor`",
    )


def _no_state(directory: Path, error: OSError) -> Refusal:
    return Refusal(
        "journal",
        f"the state directory {directory} cannot be made: {error.strerror}",
        help="make it writable, or set XDG_STATE_HOME to a directory that is",
    )
