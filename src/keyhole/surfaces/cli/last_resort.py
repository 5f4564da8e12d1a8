"""What is said when nothing else was: one line instead of a traceback."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

INTERNAL = 3
INTERRUPTED = 130


class LastResort:
    """Turns whatever escapes the block into an exit code."""

    def __init__(self) -> None:
        self.code = INTERNAL

    def __enter__(self) -> Self:
        """Begin the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Say in one line what went wrong, unless the user asked for the trace."""
        if error is None or isinstance(error, SystemExit):
            return False
        if isinstance(error, KeyboardInterrupt):
            self.code = INTERRUPTED
            return True
        from keyhole.surfaces.settings import wants_trace

        if wants_trace():
            sys.excepthook(type(error), error, trace)
        else:
            sys.stderr.write(f"internal error: {_one_line(error)}\n{_HOW}\n")
        return True


_HOW = "  help: set KEYHOLE_TRACE=1 and run it again for the trace, and report it as a bug"


def _one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
