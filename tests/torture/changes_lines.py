"""Lines of a person: who took them away and who brought them back, known as it happens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.torture.changes_ways import Snapshot


@dataclass
class PersonsLines:
    """All lines that a person wrote, each named so and written once."""

    # For each line after how many prompts, by which session, "" by hand, how often it stood there
    # before and after.
    moments: dict[str, list[tuple[int, str, int, int]]] = field(default_factory=dict)

    def note(self, before: Snapshot, after: Snapshot, session: str, prompts: int) -> None:
        """Note what a session, or somebody by hand, made of the lines after so many prompts."""
        had, has = lines_of(before), lines_of(after)
        for line in had.keys() | has.keys():
            if had[line] != has[line]:
                moment = prompts, session, had[line], has[line]
                self.moments.setdefault(line, []).append(moment)

    def owed(self, before: Snapshot, then: Snapshot, session: str, prompt: int) -> Counter[str]:
        """Return the lines that have to stay when a session's work since a prompt is taken back.

        Those are the lines that would stand there without it. Who brought a line back counts: what
        the session's own `git stash pop` brought may go with it, what a person brought stays. What
        came back only since the session had taken it away would have been there once, not twice.
        """
        stood = lines_of(then)
        found = Counter[str]()
        for line, there in lines_of(before).items():
            count = stood[line]
            for prompts, who, had, has in self.moments.get(line, ()):
                if prompts > prompt and who != session:
                    made = max(0, count + has - had)
                    count = made if has < had else max(count, min(made, has))
            found[line] = min(there, count)
        return found


def lines_of(tree: Snapshot) -> Counter[str]:
    """Return the lines of a person in a tree, and how often each stands there."""
    texts = (data.decode() for data, _ in tree.values())
    lines = (line.strip() for text in texts for line in text.split("\n"))
    return Counter(line for line in lines if line.startswith("P-"))
