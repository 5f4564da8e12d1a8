"""One transaction in a process of its own, to be watched by strace.

WORKER HOME COUNT [KIND [MUTANT]]: of the kind "checkpoint", the journal's log is written back and
begun anew after every transaction, and there is another one before and behind.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from keyhole.refusals import Refused
from tests.torture.arena import Arena
from tests.torture.mutants import MUTANTS, checkpoint_often


def main(home: str, count: str, kind: str = "warm", mutant: str = "") -> None:
    """Do the transaction, say how it went, and close."""
    if mutant:
        MUTANTS[mutant]()
    here = Arena(Path(home), int(count))
    said = "refused"
    try:
        tree = here.open()
        if kind == "checkpoint":
            checkpoint_often()
            here.touch(tree)
        entry = here.transact(tree)
        said = "acked" if entry.outcome == "applied" else entry.outcome
    except Refused as refused:
        outcome = refused.refusals[0].data.get("outcome", "not_applied")
        said = f"refused {refused.refusals[0].code} {outcome}"
        os.write(1, said.encode())
        return
    os.write(1, said.encode())
    if kind == "checkpoint":
        here.touch(tree)
    tree.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
