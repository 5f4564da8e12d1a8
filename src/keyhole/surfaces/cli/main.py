"""The entry of the command line: light to start, and never a traceback."""

from __future__ import annotations

import gc
import sys

# How many new objects make Python look for garbage among them. To start makes tens of thousands
# that all stay; with Python's usual 700, a twentieth of the start is spent on looking at them.
_COLLECT = 100_000


def run() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    gc.set_threshold(_COLLECT)
    code = main(sys.argv[1:])
    # Python looks once more before it leaves, as if that were not the end of them all.
    gc.freeze()
    sys.exit(code)


def main(arguments: list[str]) -> int:
    """Carry out one command; 0 is done, 1 refused, 2 a usage error, 3 an internal one."""
    if arguments in (["--version"], ["-V"]):
        # Nothing else is imported for this: editors and agents ask it at every start.
        from keyhole import __version__

        sys.stdout.write(f"keyhole {__version__}\n")
        return 0
    from keyhole.surfaces.cli.dispatch import dispatch
    from keyhole.surfaces.cli.last_resort import LastResort

    with LastResort() as last_resort:
        last_resort.code = dispatch(arguments)
    return last_resort.code
