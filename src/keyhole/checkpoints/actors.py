"""Who changed what was seen: the tools at work in between, git, or a person."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from keyhole.checkpoints.happenings import AFTER, ENDS_TOOLS, Happening
from keyhole.checkpoints.marks import Marks
from keyhole.fastclasses import dataclass

PERSON, GIT = "person", "git"
# A command that lets git write into the tree.
_GIT_WRITES = re.compile(
    r"(^|[\s;&|(])git(\s+-[cC]\s+\S+|\s+--?[\w-]+(=\S+)?)*\s+"
    r"(checkout|switch|restore|reset|stash|rebase|merge|pull|cherry-pick|revert|am|apply|clean|"
    r"bisect|worktree|read-tree|checkout-index|sparse-checkout|submodule)\b"
)
# Hosts that tell of each tool that it is over, also of one that was refused.
_TELL_ALL_ENDS = frozenset(("claude-code",))
# A tool that has not said in so many seconds that it ended may be over, with its host.
_SILENT = 600.0
# Our own tools by the names that hosts give them: what those write, the journal has already.
_OURS = re.compile(r"(^|[\W_])keyhole([\W_]|$)")


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who may have done it: the actor's name, the happenings behind it, and whether git did it."""

    actor: str
    among: tuple[Happening, ...] = ()
    by_git: bool = False
    or_person: bool = False

    @property
    def reason(self) -> str:
        """Return the first line of the command, where one alone was at work."""
        return self.among[0].said if len(self.among) == 1 else ""

    @property
    def details(self) -> dict[str, object]:
        """Return it for the journal."""
        found: dict[str, object] = {"observed": True}
        if len(self.among) == 1 and not self.or_person:
            found |= named(self.among[0])
        elif self.among:
            among = [{"actor": each.actor, **named(each)} for each in self.among]
            found["among"] = [*among, *([{"actor": PERSON}] if self.or_person else [])]
        return {**found, **({"git": True} if self.by_git else {})}


def named(happening: Happening) -> dict[str, object]:
    """Return by what names a host knows a happening."""
    given = {
        "host": happening.host,
        "host_session": happening.session,
        "prompt": happening.prompt,
        "use": happening.use,
    }
    return {name: value for name, value in given.items() if value}


class Actors:
    """Who may have changed a file: exactly the tools at work that can have, else git or a person.

    What a tool says that it writes bounds it: what changed beside it was somebody else. A tool of
    which nobody knows when it began may have met a person, and so may one whose end nobody told of,
    and one that a host left in the background, where no other was at work.
    """

    def __init__(  # noqa: PLR0913 - what is known of tools, each by its name
        self,
        root: str,
        at_work: Iterable[Happening],
        *,
        git_moved: bool = False,
        late: Happening | None = None,
        unsure: Collection[Happening] = (),
        background: Iterable[Happening] = (),
    ) -> None:
        self._tools = [(one, _written(root, one)) for one in at_work if not _is_ours(one)]
        self._git_moved = git_moved
        self._late = late if late and not _is_ours(late) else None
        self._late_writes = _written(root, late) if late else None
        self._unsure = unsure
        self._background = tuple(background)

    def of(self, path: str) -> Attribution:
        """Return who may have changed a file."""
        found = [one for one, writes in self._tools if writes is None or path in writes]
        names = [each.actor for each in found]
        if found and all(each in self._unsure for each in found):
            names.append(PERSON)
        if self._late and (self._late_writes is None or path in self._late_writes):
            found.append(self._late)
            names += [self._late.actor, PERSON]
        if not found and self._background and not self._git_moved:
            found = [*self._background]
            names = [*(each.actor for each in found), PERSON]
        if not found:
            return Attribution(GIT if self._git_moved else PERSON, by_git=self._git_moved)
        by_git = self._git_moved or any(_GIT_WRITES.search(each.said) for each in found)
        names = list(dict.fromkeys(names))
        actor = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
        return Attribution(actor, tuple(found), by_git, PERSON in names)


def actors_now(
    root: str,
    marks: Marks,
    now: float,
    happening: Happening | None = None,
    *,
    git_moved: bool = False,
) -> Actors:
    """Return who was at work when something happens, as far as hosts told.

    Of a tool that ends now, the beginning may have been missed. One that was refused, or that its
    host left, never ends: it may be over whenever something else happens.
    """
    one = happening or Happening()
    began = marks.at_work(now)
    own = next((each for each in began if _use(each) == _use(one)), None)
    late = one if one.kind == AFTER and own is None else None
    old = marks.begun_by(now - _SILENT)
    at_work, unsure, left = [], [], [*marks.in_background(now)]
    for each in began:
        if each is own or _use(each) not in old:
            at_work.append(each)
        elif each.writes is None:
            left.append(each)
        if each is not own and each.writes is None and _may_be_over(each, one):
            unsure.append(each)
    return Actors(root, at_work, git_moved=git_moved, late=late, unsure=unsure, background=left)


def _use(happening: Happening) -> tuple[str, str, str]:
    return happening.host, happening.session, happening.use


def _may_be_over(tool: Happening, one: Happening) -> bool:
    is_its_session = (one.host, one.session) == (tool.host, tool.session)
    return tool.host not in _TELL_ALL_ENDS or (is_its_session and one.kind in ENDS_TOOLS)


def _is_ours(happening: Happening) -> bool:
    return bool(_OURS.search(happening.tool))


def _written(root: str, happening: Happening) -> frozenset[str] | None:
    """Return the files below the root that a tool can change, None where nobody can tell."""
    if happening.writes is None:
        return None
    paths = (Path(root, path) for path in happening.writes)
    real = (os.path.realpath(path.parent) + f"/{path.name}" for path in paths)
    return frozenset(os.path.relpath(each, root) for each in real)
