"""Surgical file edits: the public names, each loaded on first use."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keyhole.answers.receipt import Receipt
    from keyhole.edits.model.operations import Edit
    from keyhole.engine.history.tracker import EditTracker, FileEditTracker
    from keyhole.refusals import Refusal, Refused
    from keyhole.segments.detector import SegmentDetector
    from keyhole.segments.locations import SegmentLocation
    from keyhole.surfaces.library import Workspace
    from keyhole.text.changes import Change, ChangeSet, Clash
    from keyhole.text.document import Document
    from keyhole.toolsets.safe_edit.requests import IndentationStrategy, SegmentEdit, SegmentType

__version__ = "0.2.0.dev0"

__all__ = [
    "Change",
    "ChangeSet",
    "Clash",
    "Document",
    "Edit",
    "EditTracker",
    "FileEditTracker",
    "IndentationStrategy",
    "Receipt",
    "Refusal",
    "Refused",
    "SegmentDetector",
    "SegmentEdit",
    "SegmentLocation",
    "SegmentType",
    "Workspace",
    "__version__",
]

# The command line starts through this file, so nothing is imported until a name is asked for.
_HOMES = {
    "Change": "keyhole.text.changes",
    "ChangeSet": "keyhole.text.changes",
    "Clash": "keyhole.text.changes",
    "Document": "keyhole.text.document",
    "Edit": "keyhole.edits.model.operations",
    "EditTracker": "keyhole.engine.history.tracker",
    "FileEditTracker": "keyhole.engine.history.tracker",
    "IndentationStrategy": "keyhole.toolsets.safe_edit.requests",
    "Receipt": "keyhole.answers.receipt",
    "Refusal": "keyhole.refusals",
    "Refused": "keyhole.refusals",
    "SegmentDetector": "keyhole.segments.detector",
    "SegmentEdit": "keyhole.toolsets.safe_edit.requests",
    "SegmentLocation": "keyhole.segments.locations",
    "SegmentType": "keyhole.toolsets.safe_edit.requests",
    "Workspace": "keyhole.surfaces.library",
}


if not TYPE_CHECKING:  # Type checkers would otherwise believe in every misspelt name.

    def __getattr__(name: str) -> object:
        """Load a public name from the room it lives in."""
        if name not in _HOMES:
            raise AttributeError(f"module 'keyhole' has no attribute {name!r}")
        globals()[name] = getattr(import_module(_HOMES[name]), name)
        return globals()[name]


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
