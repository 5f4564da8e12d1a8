"""What a server is started with."""

from __future__ import annotations

from pathlib import Path

from keyhole.fastclasses import dataclass, field
from keyhole.surfaces.mcp.limits import ServerLimits
from keyhole.surfaces.mcp.workspaces import Allowed


@dataclass(frozen=True, slots=True)
class Setup:
    """The roots, what is allowed below them, the tools on offer, and the task of plain calls."""

    roots: tuple[Path, ...] = ()
    allowed: Allowed = field(default_factory=Allowed)
    tools: tuple[str, ...] = ()
    task: str = ""
    limits: ServerLimits = field(default_factory=ServerLimits)
