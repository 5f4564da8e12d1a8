"""Trust: a person allows the programs that a workspace names, as long as they stay the same."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from keyhole.disk.bounded import PROGRAM, UnfitFile, digest_of
from keyhole.fastclasses import dataclass
from keyhole.linters.base import Linter

CONFIGURATION = "keyhole.toml"
NO_FILE = "no such file"
_NO_HASH = "no hash"


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust in one workspace; agents can write neither its record nor keyhole.toml."""

    root: str
    state: str

    @property
    def _record(self) -> str:
        return os.path.join(self.state, "trust.json")

    def grant(self, linters: Iterable[Linter]) -> dict[str, str]:
        """Trust keyhole.toml and the files that its commands name; return their hashes.

        The hash of keyhole.toml is that of the version the linters were read from.
        """
        own = [linter for linter in linters if linter.source]
        words = [word for linter in own for word in linter.command if self._is_own(word)]
        files = {CONFIGURATION: own[0].source if own else self._digest(CONFIGURATION)}
        files |= {os.path.normpath(word): self._digest(word) for word in words}
        os.makedirs(self.state, 0o700, exist_ok=True)
        temporary = f"{self._record}.{os.getpid()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump({"files": files}, file)
        os.replace(temporary, self._record)
        return files

    def revoke(self) -> bool:
        """Revoke the trust; tell whether it was given."""
        was = os.path.exists(self._record)
        with suppress(FileNotFoundError):
            os.unlink(self._record)
        return was

    def objection(self, touched: Collection[str] = ()) -> str:
        """Return why no program of the workspace may run, "" if all is as it was trusted.

        A file that the call itself changes is no longer trusted.
        """
        files = self._files()
        if files is None:
            return f"{CONFIGURATION} is not trusted"
        changed = [
            path
            for path, digest in files.items()
            if path in touched or digest.startswith(_NO_HASH) or self._digest(path) != digest
        ]
        return f"{changed[0]} changed since it was trusted" if changed else ""

    def covers(self, linter: Linter) -> bool:
        """Tell whether a linter was read from the keyhole.toml that is trusted."""
        return (self._files() or {}).get(CONFIGURATION) == linter.source

    def _files(self) -> Mapping[str, str] | None:
        try:
            with open(self._record, encoding="utf-8") as file:
                record = json.load(file)
        except (OSError, ValueError):
            return None
        files = record.get("files") if isinstance(record, dict) else None
        return files if isinstance(files, dict) and CONFIGURATION in files else None

    def _is_own(self, word: str) -> bool:
        """Tell whether a word of a command names a file of the workspace."""
        if os.path.isabs(word) or "{" in word:
            return False
        path = os.path.normpath(os.path.join(self.root, word))
        return path.startswith(f"{self.root}/") and os.path.isfile(path)

    def _digest(self, path: str) -> str:
        """Return the hash of a file; what is none, or too large to be hashed often, has no hash."""
        try:
            return digest_of(os.path.join(self.root, path), PROGRAM) or NO_FILE
        except (UnfitFile, OSError) as unfit:
            return f"{_NO_HASH}: {unfit}"
