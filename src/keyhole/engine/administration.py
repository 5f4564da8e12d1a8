"""Use cases of a workspace as a whole: check, trust, share, tasks, leases, audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from keyhole.engine.history.recall import HistoryRequest, records_for
from keyhole.engine.options import Options
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.engine.edit.backups import Backups
    from keyhole.engine.history.audit import Audit
    from keyhole.engine.linting.check import CheckAnswer
    from keyhole.engine.linting.lint import Linting, TrustAnswer
    from keyhole.engine.sharing.lease import Leases
    from keyhole.engine.sharing.share import ShareAnswer
    from keyhole.engine.upkeep import Checkup, Tasks
    from keyhole.language_servers.desk import LanguageServers


class Administration:
    """The use cases of the command line that read or write no single file."""

    def __init__(
        self, tree: Tree, linting: Linting | None, servers: Callable[[], LanguageServers] | None
    ) -> None:
        self._tree, self._linting, self._servers = tree, linting, servers

    def doctor(self, version: str, warnings: tuple[str, ...] = ()) -> Checkup:
        """Finish what a crash left unfinished, check the journal from end to end, and report."""
        from keyhole.engine.upkeep import doctor

        return doctor(self._tree, version, warnings)

    def check(self, paths: Sequence[str]) -> CheckAnswer:
        """Return what is wrong with files as they stand."""
        from keyhole.engine.linting.check import check

        return check(self._tree, paths, self._linting)

    def trust(self) -> TrustAnswer:
        """Let the linters run that the workspace names, as it stands now."""
        from keyhole.engine.linting.lint import grant

        servers = self._servers().all_found().values() if self._servers else ()
        return grant(self._tree, self._linting, {each.server.name: each.words for each in servers})

    def distrust(self) -> TrustAnswer:
        """Let the linters that the workspace names run no more."""
        from keyhole.engine.linting.lint import revoke

        return revoke(self._tree)

    def backups(self) -> Backups:
        """Return the .bak files that edits left and nobody has changed since."""
        from keyhole.engine.edit.backups import backups

        return backups(self._tree)

    def audit(self, wanted: HistoryRequest, paths: Sequence[str]) -> Audit:
        """Return what became of files, with patches and reasons."""
        from keyhole.engine.history.audit import audit

        query = wanted.query
        return audit(records_for(self._tree, query), query, tuple(map(self._tree.resolve, paths)))

    def patches(self, wanted: HistoryRequest) -> bytes:
        """Return transactions as a mailbox of patches."""
        from keyhole.engine.history.export import series_of

        return series_of(self._tree, wanted)

    def share(self) -> ShareAnswer:
        """Send what waits to the shared journal, and say how sharing stands."""
        from keyhole.engine.sharing.share import share

        return share(self._tree)

    def tasks(self) -> Tasks:
        """Return the tasks of every workspace that shares, the latest first."""
        from keyhole.engine.sharing.share import tasks

        return tasks(self._tree)

    def end_task(self, name: str) -> Tasks:
        """End a task, so that its edits no longer conflict with those of others."""
        from keyhole.engine.upkeep import end_task

        return end_task(self._tree, name)

    def leases(self) -> Leases:
        """Return the leases of the project that have not run out."""
        from keyhole.engine.sharing.lease import claims

        return claims(self._tree)

    def lease(self, path: str, segment: str, options: Options) -> Leases:
        """Lease a file or a segment to the task of the options, for as long as they say."""
        from keyhole.engine.sharing.lease import claim
        from keyhole.sharing.leases import LeaseRequest

        task, seconds, actor = options.task, options.claim, options.actor
        wanted = LeaseRequest(
            self._tree.resolve(path), segment, task, seconds, actor, options.reason
        )
        return claim(self._tree, wanted)

    def release(self, task: str, path: str) -> Leases:
        """Give the leases of a task back, or only those of a file."""
        from keyhole.engine.sharing.lease import release_claims

        return release_claims(self._tree, task, self._tree.resolve(path) if path else None)
