"""Check files as they are, with the checks of an edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from keyhole.edits.checks.diagnostics import diagnostic_of
from keyhole.edits.checks.validate import check_file
from keyhole.edits.model.plan import Diagnostic, FilePlan
from keyhole.engine.linting.lint import lint_as_is
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import Row, shown
from keyhole.refusals import Refused
from keyhole.segments.languages.table import language_of
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.engine.linting.lint import Linting
    from keyhole.linters.base import Finding
    from keyhole.linters.check import LintReport

# What was written long ago may be meant; what no program can read is not.
_ERRORS = frozenset({"syntax-broken", "merge-markers", "bad-indentation"})


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What the checks and the linters say of one file, and whether that makes it broken."""

    path: str
    language: str
    diagnostics: tuple[Diagnostic | Finding, ...]
    is_broken: bool

    def as_data(self) -> dict[str, object]:
        """Return the file's part of the answer."""
        diagnostics = [each.as_data() for each in self.diagnostics]
        return {"path": self.path, "language": self.language, "diagnostics": diagnostics}


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The answer of a check: the files that something was said of, and how many were looked at."""

    files: tuple[CheckedFile, ...]
    count: int
    skipped: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Tell whether no file is broken."""
        return not any(file.is_broken for file in self.files)

    def as_data(self) -> dict[str, object]:
        """Return the answer as a JSON object."""
        return {
            "ok": self.ok,
            "checked": self.count,
            "skipped": self.skipped,
            "files": [file.as_data() for file in self.files],
            "warnings": list(self.warnings),
        }

    def as_text(self) -> str:
        """Return the answer for reading: a line for each thing found, and the sum."""
        return "\n".join(self.as_rows())

    def as_rows(self) -> Iterator[str]:
        """Yield the text row by row, warnings with their role."""
        for file in self.files:
            for each in file.diagnostics:
                place = f"{file.path}:{each.line}:{each.column}"
                cell = each.as_data().get("segment")
                inside = f"  [{cell}]" if cell else ""
                yield f"{place}: {each.severity}: {shown(each.message)} ({each.code}){inside}"
        yield from (Row("warning", f"warning: {shown(each)}") for each in self.warnings)
        yield self._sum()

    def _sum(self) -> str:
        broken = sum(file.is_broken for file in self.files)
        files = "1 file" if self.count == 1 else f"{self.count} files"
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{files} checked{skipped}, {broken or 'none'} broken"


def check(tree: Tree, paths: Sequence[str], linting: Linting | None = None) -> CheckAnswer:
    """Check files, and the files below directories; what is no text is skipped."""
    found: dict[str, tuple[Diagnostic, ...]] = {}
    languages: dict[str, str] = {}
    to_lint: dict[str, Document] = {}
    skipped = 0
    for path in dict.fromkeys(_files(tree, paths)):
        document = _document(tree, path, asked=path in paths)
        if document is None or document.is_binary:
            skipped += 1
            continue
        languages[path] = language_of(path, document)
        found[path] = tuple(_diagnostics(tree, path, document))
        if linting and any(each.reads(languages[path]) for each in linting.linters):
            to_lint[path] = document
    linted = _linted(tree, to_lint, linting)
    files = (_file(path, languages[path], found[path], linted) for path in found)
    reported = tuple(file for file in files if file.diagnostics)
    return CheckAnswer(reported, len(found), skipped, linted.warnings if linted else ())


def _linted(
    tree: Tree, documents: dict[str, Document], linting: Linting | None
) -> LintReport | None:
    if not documents or linting is None:
        return None
    return lint_as_is(tree, documents, linting)


def _file(
    path: str, language: str, own: tuple[Diagnostic, ...], linted: LintReport | None
) -> CheckedFile:
    """Return the findings of one file; errors of a linter that only advises do not break it."""
    is_broken = any(each.severity == "error" for each in own)
    if linted is None:
        return CheckedFile(path, language, own, is_broken)
    findings = (replace(each, new=False) for each in linted.findings.get(path, ()))
    return CheckedFile(path, language, (*own, *findings), is_broken or path in linted.broken)


def _files(tree: Tree, paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        yield from tree.walk(path) if tree.is_directory(path) else (path,)


def _document(tree: Tree, path: str, *, asked: bool) -> Document | None:
    """Read a file; one that the caller names must exist, one in a directory may be unreadable."""
    try:
        return tree.read(path)
    except Refused:
        if asked:
            raise
        return None


def _diagnostics(tree: Tree, path: str, document: Document) -> Iterator[Diagnostic]:
    """Yield what the checks would say of a file if it were new."""
    whole = ChangeSet(0, (Change(0, 0, document.text),) if document.text else ())
    file = FilePlan(path, None, document, whole)
    for problem in check_file(file, tree.exists).new:
        is_error = problem.code in _ERRORS and not problem.doubtful
        yield diagnostic_of(file, problem, "error" if is_error else "warning", new=False)
