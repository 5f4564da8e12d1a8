"""The file that an edit is for, with the views of it that locating needs, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass
from keyhole.matching.revision import Revision
from keyhole.matching.view import SortedLines, View, keys_of
from keyhole.text.document import Document
from keyhole.text.indent import IndentRule, IndentStyle, exchange, indent_of

if TYPE_CHECKING:
    from keyhole.edits.model.plan import Since, Snapshot
    from keyhole.matching.query import Structure
    from keyhole.segments.code.parser import SgNode
    from keyhole.segments.outline import Outline
    from keyhole.segments.template_skeleton import DetectedTemplate

# Characters from which on versions are looked at one by one: a view is several times its text.
_LARGE = 4 << 20


@dataclass(frozen=True, slots=True)
class KnownVersions:
    """The versions of a file that a caller was shown, and what became of them since."""

    fetch: Callable[[], tuple[Document, ...]] = tuple
    since: Since | None = None
    is_unseen: Callable[[], bool] = lambda: True


def versions_of(path: str, snapshot: Snapshot) -> KnownVersions:
    """Return what a snapshot knows of the versions of a file."""
    return KnownVersions(
        lambda: snapshot.shown.get(path, ()), snapshot.since, lambda: snapshot.is_unseen(path)
    )


class Target:
    """One file of a call as it stands, and the versions of it that this caller was shown."""

    def __init__(
        self,
        path: str,
        document: Document,
        versions: KnownVersions = KnownVersions(),  # noqa: B008 - a value, never changed
        quotes: Sequence[str] = (),
        detect: Callable[[str, Document], DetectedTemplate | None] | None = None,
    ) -> None:
        self.path = path
        self.document = document
        self._versions = versions
        self._quotes = quotes
        self._detect = detect
        # How many characters the patterns of this call have looked through.
        self.looked = 0

    def at_version(self, document: Document) -> Target:
        """Return the same file with another text, of which the caller was shown no version."""
        return Target(self.path, document, detect=self._detect)

    @cached_property
    def view(self) -> View:
        """The document as the ladder looks at it."""
        return View(self.document, self._structure)

    @cached_property
    def sorted_lines(self) -> SortedLines:
        """The lines that anchors are looked up in."""
        return SortedLines(self.view)

    @property
    def bases(self) -> Iterable[View]:
        """The shown versions that are not the present one, latest first."""
        return self._views() if len(self.document.text) > _LARGE else self._kept

    @cached_property
    def _kept(self) -> tuple[View, ...]:
        return tuple(self._views())

    def _views(self) -> Iterator[View]:
        shown = (base for base in self._versions.fetch() if base.hash != self.document.hash)
        return (View(base, self._structure) for base in shown)

    def _structure(self, document: Document) -> Structure:
        from keyhole.edits.by_text.structure import structure_of

        return structure_of(self.path, document)

    def revisions(self, base: View) -> tuple[Revision, ...]:
        """Return what became of the file since a version of it."""
        older = base.document
        if self._versions.since is None:
            return (Revision(older, self.document),)
        return self._versions.since(self.path, older, self.document)

    @cached_property
    def is_unseen(self) -> bool:
        """Tell whether the caller was shown other versions than the present one."""
        return self._versions.is_unseen()

    @cached_property
    def style(self) -> IndentStyle:
        """How the file indents."""
        return self.view.style

    @cached_property
    def exchange(self) -> IndentRule | None:
        """How the quotes of the call exchange tabs and spaces of the file; None if they do not."""
        if len(self._quotes) < 2:
            return None
        lines = [line for quote in self._quotes for line in self.view.plain(quote).split("\n")]
        stand: dict[str, set[str]] = {}
        for key, line in zip(self.view.keys, self.view.lines, strict=True):
            stand.setdefault(key, set()).add(indent_of(line))
        keyed = zip(keys_of("\n".join(lines)), lines, strict=True)
        pairs = [(indent_of(line), *stand.get(key, ())) for key, line in keyed if key]
        # Words that stand at several depths do not tell which of them was quoted.
        return exchange([(pair[0], pair[1]) for pair in pairs if len(pair) == 2])

    @cached_property
    def syntax_tree(self) -> SgNode:
        """The syntax tree that patterns are matched in."""
        from keyhole.segments.code.patterns import syntax_tree

        return syntax_tree(self.path, self.document)

    @cached_property
    def outline(self) -> Outline:
        """What the parts of the file are called."""
        from keyhole.segments.registry import outline

        return outline(self.path, self.document)

    @cached_property
    def detected(self) -> DetectedTemplate | None:
        """What the file's template makes of it, None where it has none."""
        return self._detect(self.path, self.document) if self._detect else None
