"""Lines of a person: who took them away and who brought them back, known as it happens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.torture.changes_ways import Snapshot


@dataclass
class PersonsLines:
    """All lines that a person wrote, each named so and written once."""

    # For each line how many came or went, by which session, "" by hand, after how many prompts.
    moments: dict[str, list[tuple[int, str, int]]] = field(default_factory=dict)

    def note(self, before: Snapshot, after: Snapshot, session: str, prompts: int) -> None:
        """Note what a session, or somebody by hand, made of the lines after so many prompts."""
        had, has = lines_of(before), lines_of(after)
        for line in had.keys() | has.keys():
            if by := has[line] - had[line]:
                self.moments.setdefault(line, []).append((prompts, session, by))

    def owed(self, before: Snapshot, then: Snapshot, session: str, prompt: int) -> Counter[str]:
        """Return the lines that have to stay when a session's work since a prompt is taken back.

        Those are the lines that would stand there without it. Who brought a line back counts: what
        the session's own `git stash pop` brought may go with it, what a person brought stays.
        """
        stood = lines_of(then)
        found = Counter[str]()
        for line, there in lines_of(before).items():
            count = stood[line]
            for prompts, who, by in self.moments.get(line, ()):
                if prompts > prompt and who != session:
                    count = max(0, count + by)
            found[line] = min(there, count)
        return found


def lines_of(tree: Snapshot) -> Counter[str]:
    """Return the lines of a person in a tree, and how often each stands there."""
    texts = (data.decode() for data, _ in tree.values())
    lines = (line.strip() for text in texts for line in text.split("\n"))
    return Counter(line for line in lines if line.startswith("P-"))
