"""TreeOptions: what the user allows in a workspace, and where the limits are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.disk.kernel import Kernel
from keyhole.fastclasses import dataclass, field
from keyhole.journal.model import Retention

if TYPE_CHECKING:
    from keyhole.sharing.identity import Sharing

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """What the user allows, and where the limits are."""

    read_only: bool = False
    # Edits are queued for a person's decision instead of being written.
    propose: bool = False
    # What tasks of this workspace are for: see access.py; "" allows everything.
    task_mode: str = ""
    # The one file that the tools for articles edit; "" is any.
    article: str = ""
    max_bytes: int = 32 * MEBIBYTE
    allow_extensions: tuple[str, ...] = ()
    allow_protected: tuple[str, ...] = ()
    # Directories that keyhole keeps for the user, besides its state: no agent reads or writes them.
    homes: tuple[Path, ...] = ()
    encoding: str | None = None
    # Where the user keeps templates, and whether an edit writes when it was into the header.
    templates: tuple[Path, ...] = ()
    refresh_updated: bool = True
    lock_timeout: float = 10.0
    kernel: Kernel = field(default_factory=Kernel)
    retention: Retention = field(default_factory=Retention)
    sharing: Sharing | None = None
