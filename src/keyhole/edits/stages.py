"""Which operations of a call follow each other, and which files take each other's names."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.operations import (
    CopyFile,
    DeleteFile,
    Edit,
    InOrder,
    MoveFile,
    Operation,
    WriteFile,
)

Numbered = tuple[int, Operation]


def is_series(operations: Sequence[Operation]) -> bool:
    """Tell whether operations follow each other, or files take each other's names."""
    return any(map(stage_of, operations)) or bool(leaving(operations))


def stage_of(operation: Operation) -> int:
    """Return the stage an operation belongs to; only parts of patches have one."""
    return 0 if isinstance(operation, Edit | InOrder) else operation.stage


def leaving(operations: Sequence[Operation]) -> frozenset[str]:
    """Return the files that operations take away while they give their names to others."""
    gone = {each.path for each in operations if isinstance(each, DeleteFile | MoveFile)}
    come = {each.path for each in operations if isinstance(each, WriteFile | CopyFile)}
    come |= {each.to for each in operations if isinstance(each, MoveFile)}
    return frozenset(gone & come)


def paths_of(operation: Operation) -> set[str]:
    """Return the files that an operation reads or writes."""
    if isinstance(operation, MoveFile):
        return {operation.path, operation.to}
    return {operation.path, operation.source if isinstance(operation, CopyFile) else operation.path}
