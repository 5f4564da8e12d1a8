"""What differs from the last look, as git tells: all that a look needs where nothing changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from keyhole.checkpoints.kept_out import ListedFile, is_below_link, is_directory, listed
from keyhole.fastclasses import dataclass
from keyhole.git.repository import state_word
from keyhole.git.shadow import ShadowRepository

if TYPE_CHECKING:
    from keyhole.checkpoints.marks import Marks


@dataclass(frozen=True, slots=True)
class Glance:
    """What differs from the last look, and what was so before anybody asked.

    What is done meanwhile is later than that, so it is left to the next look.
    """

    time: float
    # The last entry of the journal, and the word of the project's git.
    newest: int | None
    git: str
    # Files to keep, files that are only listed, and files that gave way to a directory or a link.
    taken: tuple[str, ...]
    out: tuple[ListedFile, ...]
    gone: tuple[str, ...]
    # Whether a file that is kept is among them.
    is_kept_one: bool

    def is_current(self, marks: Marks) -> bool:
        """Tell whether the journal is as it was at the last look."""
        return marks.fact("position") == str(self.newest)

    def is_nothing(self, marks: Marks) -> bool:
        """Tell whether all is as the last look left it."""
        if self.taken or self.gone or self.is_kept_one:
            return False
        return self.is_current(marks) and not marks.unlike(self.out)


def glance_at(
    root: str, repository: ShadowRepository, newest: Callable[[], int | None], limit: int
) -> Glance:
    """Ask git what differs, and the journal meanwhile; files above the limit are only listed."""
    now = time.time()
    word = state_word(root)
    with repository.asked() as answer:
        number = newest()
        kept, new = answer()
    found = _sorted(root, (*kept, *new), limit)
    return Glance(now, number, word, *found, is_kept_one=bool(kept))


def _sorted(
    root: str, paths: Iterable[str], limit: int
) -> tuple[tuple[str, ...], tuple[ListedFile, ...], tuple[str, ...]]:
    """Return the files to keep, those that are only listed, and those that gave way."""
    taken, out, gone = [], [], []
    for path in paths:
        found = listed(root, path, limit)
        if is_below_link(root, path) or is_directory(root, path):
            gone.append(path)
        elif found is None:
            taken.append(path)
        elif found.size or found.changed_ns:
            out.append(found)
    return (*taken,), (*out,), (*gone,)
