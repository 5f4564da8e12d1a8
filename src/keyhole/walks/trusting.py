"""Trusting a workspace: letting what its keyhole.toml names run, and taking that back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keyhole.refusals import Refused
from keyhole.values import dataclass, field
from keyhole.walks.linting import Linting, trust_of
from keyhole.workspace.hold import read_only
from keyhole.workspace.tree import Tree

_SHOWN_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Trusted:
    """Whether a workspace is trusted, the files the word is bound to, and what may run for it."""

    root: str
    trusted: bool
    files: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """Return the answer as a JSON object."""
        return {
            "root": self.root,
            "trusted": self.trusted,
            "files": dict(self.files),
            "commands": {name: list(command) for name, command in self.commands.items()},
        }

    def as_text(self) -> str:
        """Return the answer for reading: what may run now, and until when."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if not self.trusted:
            yield f"{self.root} is not trusted: nothing that it brings along runs"
            return
        yield f"{self.root} is trusted as long as these files stay as they are:"
        yield from (f"  {path} {digest[:_SHOWN_DIGITS]}" for path, digest in self.files.items())
        if self.commands:
            yield "What runs for it when a file is edited:"
        yield from (f"  {name}: {' '.join(words)}" for name, words in self.commands.items())


def grant(tree: Tree, linting: Linting | None) -> Trusted:
    """Trust the workspace as it is now."""
    if tree.options.read_only:
        raise Refused(read_only())
    linters = linting.linters if linting else ()
    files = trust_of(tree).grant(linters)
    meant = (linter for linter in linters if linter.source or linter.runs_tree)
    commands = {linter.name: linter.command for linter in meant}
    return Trusted(tree.root.path, trusted=True, files=files, commands=commands)


def revoke(tree: Tree) -> Trusted:
    """Trust the workspace no more."""
    if tree.options.read_only:
        raise Refused(read_only())
    trust_of(tree).revoke()
    return Trusted(tree.root.path, trusted=False)
