"""Lint a call: which linters may run, what they find, and whether the call is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from keyhole.edits.checks.diagnostics import with_diff
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import dataclass, field, replace
from keyhole.linters.base import LintEnvironment
from keyhole.linters.check import LinterCheck, LintReport, lint
from keyhole.linters.trust import NO_FILE, Trust
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import language_of
from keyhole.storage.paths.own import protected_part
from keyhole.text.changes import ChangeSet
from keyhole.workspace.held import read_only
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.answers.receipt import Receipt
    from keyhole.engine.options import Options
    from keyhole.linters.base import Finding, Linter
    from keyhole.linters.broker import LinterBroker
    from keyhole.text.document import Document

_MEND = "mend it in the same call"
_MOST_SHOWN = 10
_READ_ONLY = "linters do not run in a read-only workspace"


@dataclass(frozen=True, slots=True)
class Linting:
    """The linters that are configured for a workspace, and the environment they come from."""

    linters: tuple[Linter, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    # Who runs them for a process that the kernel confines.
    broker: LinterBroker | None = None

    def brokered(self, tree: Tree) -> Linting:
        """Return the linters with a process that runs them, which is not confined with this one."""
        if tree.options.read_only:
            return self
        from keyhole.linters.broker import LinterBroker

        ground = _ground(tree, self)
        return replace(self, broker=LinterBroker.started(self.linters, ground, trust_of(tree)))

    def close(self) -> None:
        """Let go of the process that runs them, if there is one."""
        if self.broker:
            self.broker.close()


@dataclass(frozen=True, slots=True)
class Linted:
    """What linters say about a plan; `versions` are the texts that they saw."""

    versions: tuple[tuple[str, str, str], ...] = ()
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    broken: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def fits(self, plan: Plan) -> bool:
        """Tell whether this is about the very texts of `plan`."""
        return self.versions == _versions(plan)

    def judge(self, plan: Plan, options: Options, spelling: Mapping[str, str]) -> None:
        """Refuse a plan that adds errors which block, unless the caller writes it all the same."""
        if not self.broken or options.mode == "interactive":
            return
        files = {file.path: file for file in plan.files}
        refusals = [
            _lint_broken(files[path], spelling.get(path, path), found, self.warnings)
            for path, found in self.broken.items()
        ]
        if options.mode == "verify_only":
            refusals = [
                with_diff(refusal, files[path])
                for refusal, path in zip(refusals, self.broken, strict=True)
            ]
        raise Refused(*refusals)

    def on(self, receipt: Receipt) -> Receipt:
        """Return a receipt that tells of the findings too."""
        if not self.findings and not self.warnings:
            return receipt
        files = tuple(
            replace(file, diagnostics=(*file.diagnostics, *self._findings_of(file.plan.path)))
            for file in receipt.files
        )
        return replace(receipt, files=files, warnings=(*receipt.warnings, *self.warnings))

    def _findings_of(self, path: str) -> Iterable[Mapping[str, object]]:
        return (finding.as_data() for finding in self.findings.get(path, ()))


def linted(tree: Tree, plan: Plan, linting: Linting, ahead: Linted | None = None) -> Linted:
    """Run the linters on a plan, unless they were run ahead on just that."""
    if ahead is not None and ahead.fits(plan):
        return ahead
    if not linting.linters or plan.is_empty or _is_protected(plan):
        return Linted(_versions(plan))
    if tree.options.read_only:
        # A linter may run what the new text says, its plug-ins for example.
        return Linted(_versions(plan), warnings=(_READ_ONLY,))
    objection = trust_of(tree).objection({file.path for file in plan.files})
    report = _run_allowed(tree, plan, linting, objection)
    return Linted(_versions(plan), report.findings, report.broken, report.warnings)


def lint_as_is(tree: Tree, documents: Mapping[str, Document], linting: Linting) -> LintReport:
    """Run the linters on files as they are: each finding counts, as if the file were new."""
    if tree.options.read_only:
        return LintReport(warnings=(_READ_ONLY,))
    # A new file's findings are all its own; nothing that was trusted is touched.
    files = (FilePlan(path, None, each, ChangeSet(0)) for path, each in documents.items())
    return _run_allowed(tree, Plan(tuple(files)), linting, trust_of(tree).objection())


def _run_allowed(tree: Tree, plan: Plan, linting: Linting, objection: str) -> LintReport:
    """Return the findings of the linters that may run, and the names of those that may not."""
    linters, left_out = _choose(linting, trust_of(tree), objection)
    ground = replace(_ground(tree, linting), trusted=not objection)
    run_check = linting.broker.run if linting.broker else LinterCheck.run
    report = lint(ground, plan, linters, language_of, run_check)
    warnings = (*report.warnings, *_untrusted(left_out, plan, objection))
    return replace(report, warnings=warnings)


def _ground(tree: Tree, linting: Linting) -> LintEnvironment:
    return LintEnvironment(tree.root.path, str(tree.state / "linters"), linting.environment)


def is_known(tree: Tree, plan: Plan) -> bool:
    """Tell whether a plan only returns to texts that its files had before."""
    return all(
        file.after is None or tree.journal.has_version(file.path, file.after.hash)
        for file in plan.files
    )


def trust_of(tree: Tree) -> Trust:
    """Return whether a person trusts the linters of a workspace."""
    return Trust(tree.root.path, str(tree.state))


def _choose(linting: Linting, trust: Trust, objection: str) -> tuple[list[Linter], list[Linter]]:
    """Return the linters that may run, and those that may not; what is trusted goes first."""
    named = [linter for linter in linting.linters if linter.source]
    trusted = [] if objection else [linter for linter in named if trust.covers(linter)]
    names = {linter.name for linter in trusted}
    users = [each for each in linting.linters if not each.source and each.name not in names]
    kept = [linter for linter in users if not (objection and linter.runs_tree)]
    left_out = [linter for linter in (*users, *named) if linter not in [*kept, *trusted]]
    return kept + trusted, left_out


def _untrusted(left_out: list[Linter], plan: Plan, objection: str) -> list[str]:
    languages = {language_of(file.path, file.after) for file in plan.files if file.after}
    meant = [linter for linter in left_out if any(map(linter.reads, languages))]
    named = [linter.name for linter in meant if linter.source]
    users = [linter.name for linter in meant if not linter.source]
    why = objection or "keyhole.toml changed since the workspace was opened"
    runs = f"it can run code of the workspace, and {objection}"
    return [
        f"{', '.join(names)} did not run: {reason}; a person can allow it with `keyhole trust`"
        for names, reason in ((users, runs), (named, why))
        if names
    ]


def _is_protected(plan: Plan) -> bool:
    """Tell whether a plan touches what agents may not write: nothing runs for such a call."""
    return any(protected_part(file.path) for file in plan.files)


def _versions(plan: Plan) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (
            file.path,
            file.before.hash if file.before else "",
            file.after.hash if file.after else "",
        )
        for file in plan.files
    )


def _lint_broken(
    file: FilePlan, path: str, found: tuple[Finding, ...], warnings: tuple[str, ...]
) -> Refusal:
    count = "1 new error" if len(found) == 1 else f"{len(found)} new errors"
    names = ", ".join(dict.fromkeys(finding.linter for finding in found))
    lines = [
        f"line {each.line}: {each.message} ({each.linter} {each.code})"
        for each in found[:_MOST_SHOWN]
    ]
    if len(found) > _MOST_SHOWN:
        lines.append(f"and {len(found) - _MOST_SHOWN} more")
    lines += (f"warning: {each}" for each in warnings)
    return Refusal(
        "lint-broken",
        f"the edit adds {count} to {path}, says {names}",
        where="\n".join(lines),
        help=say("{}; or set {mode:bare} interactive to write it as it is", _MEND),
        mend=_MEND,
        kind="check",
        edit=_edit_at(file, found[0].line),
        path=path,
        hash_current=file.before.hash if file.before else "",
        data={
            "line": found[0].line,
            "column": found[0].column,
            "diagnostics": [finding.as_data() for finding in found],
        },
    )


def _edit_at(file: FilePlan, line: int) -> int | None:
    """Return which edit of the call wrote a line, if one did."""
    if file.after is None:
        return None
    if len(file.edits) == 1:
        return file.edits[0].index
    lies = dict(zip(file.changes.changes, file.changes.spans_after(), strict=True))
    for edit in file.edits:
        for change in edit.changes:
            start, end = lies.get(change, (0, 0))
            if start < end and file.after.line_at(start) <= line <= file.after.line_at(end - 1):
                return edit.index
    return None


_SHOWN_DIGITS = 16


@dataclass(frozen=True, slots=True)
class TrustAnswer:
    """Whether a workspace is trusted, the files that the trust is bound to, and what may run."""

    root: str
    trusted: bool
    files: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """Return the answer as a JSON object."""
        servers = {name: list(words) for name, words in self.servers.items()}
        return {
            "root": self.root,
            "trusted": self.trusted,
            "files": dict(self.files),
            "commands": {name: list(command) for name, command in self.commands.items()},
            **({"language_servers": servers} if servers else {}),
        }

    def as_text(self) -> str:
        """Return the answer for reading: what may run now, and until when."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if not self.trusted:
            yield f"{self.root} is not trusted: nothing that it brings along runs"
            return
        if {*self.files.values()} == {NO_FILE} and not (self.commands or self.servers):
            yield f"{self.root} has no keyhole.toml: there is nothing to trust until it has one"
            return
        yield f"{self.root} is trusted as long as these files stay as they are:"
        yield from (f"  {path} {digest[:_SHOWN_DIGITS]}" for path, digest in self.files.items())
        if self.commands:
            yield "What runs for it when a file is edited:"
        yield from (f"  {name}: {' '.join(words)}" for name, words in self.commands.items())
        if self.servers:
            yield "What runs for it when a symbol is renamed or searched:"
        yield from (f"  {name}: {' '.join(words)}" for name, words in self.servers.items())


def grant(
    tree: Tree, linting: Linting | None, servers: Mapping[str, Sequence[str]] | None = None
) -> TrustAnswer:
    """Trust the workspace as it is now."""
    if tree.options.read_only:
        raise Refused(read_only())
    linters = linting.linters if linting else ()
    files = trust_of(tree).grant(linters)
    meant = (linter for linter in linters if linter.source or linter.runs_tree)
    commands = {linter.name: linter.command for linter in meant}
    return TrustAnswer(
        tree.root.path, trusted=True, files=files, commands=commands, servers=servers or {}
    )


def revoke(tree: Tree) -> TrustAnswer:
    """Trust the workspace no more."""
    if tree.options.read_only:
        raise Refused(read_only())
    trust_of(tree).revoke()
    return TrustAnswer(tree.root.path, trusted=False)
