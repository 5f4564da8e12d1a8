"""Who changed what was seen: the tools at work in between, git, or a person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.checkpoints.marks import Happening
from keyhole.fastclasses import dataclass
from keyhole.git.repository import head, repository_of, stashed

PERSON, GIT = "person", "git"
# A command that lets git write into the tree.
_GIT_WRITES = re.compile(
    r"(^|[\s;&|(])git(\s+-[cC]\s+\S+|\s+--?[\w-]+(=\S+)?)*\s+"
    r"(checkout|switch|restore|reset|stash|rebase|merge|pull|cherry-pick|revert|am|apply|clean|"
    r"bisect|worktree|read-tree|checkout-index)\b"
)


# Our own tools by the names that hosts give them: what those write, the journal has already.
_OURS = re.compile(r"(^|[\W_])keyhole([\W_]|$)")


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who may have done it: the actor's name, the happenings behind it, and whether git did it."""

    actor: str
    among: tuple[Happening, ...] = ()
    by_git: bool = False

    @property
    def reason(self) -> str:
        """Return the first line of the command, where one alone was at work."""
        return self.among[0].said if len(self.among) == 1 else ""

    @property
    def details(self) -> dict[str, object]:
        """Return it for the journal."""
        found: dict[str, object] = {"observed": True}
        if len(self.among) == 1:
            found |= named(self.among[0])
        elif self.among:
            found["among"] = [{"actor": each.actor, **named(each)} for each in self.among]
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


def attributed(at_work: Sequence[Happening], *, git_moved: bool) -> Attribution:
    """Return who acted: exactly those whose tools were at work, else git, else a person."""
    at_work = [each for each in at_work if not _OURS.search(each.tool)]
    if not at_work:
        return Attribution(GIT if git_moved else PERSON, by_git=git_moved)
    by_git = git_moved or any(_GIT_WRITES.search(each.said) for each in at_work)
    names = list(dict.fromkeys(each.actor for each in at_work))
    actor = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
    return Attribution(actor, tuple(at_work), by_git)


def git_state(root: str) -> str:
    """Return a word that is another one after git switched, rewound, stashed or merged."""
    repository = repository_of(root)
    if repository is None:
        return ""
    return " ".join((*head(repository), stashed(repository)))
