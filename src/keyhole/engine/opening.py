"""Opening a workspace: its files with the user's settings, and the programs that may run for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from keyhole.engine.settings import (
    Settings,
    both_modes,
    check_task_mode,
    fewer,
    homes,
    is_trusted,
    load,
)
from keyhole.fastclasses import replace

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine
    from keyhole.engine.linting.lint import Linting
    from keyhole.journal.model import Retention
    from keyhole.language_servers.desk import LanguageServers
    from keyhole.sharing.identity import Sharing
    from keyhole.workspace.tree import Tree


class OpenWorkspace:
    """An open workspace: its files at once, the engine on them when somebody asks for it."""

    def __init__(
        self, tree: Tree, linting: Linting | None, make_servers: Callable[[], LanguageServers]
    ) -> None:
        self._tree, self._linting, self._make_servers = tree, linting, make_servers
        self._engine: Engine | None = None
        self._made_servers: LanguageServers | None = None
        self._making = Lock()

    @property
    def engine(self) -> Engine:
        """Return the engine; there is one, whoever asks."""
        from keyhole.engine.facade import Engine

        with self._making:
            if self._engine is None:
                self._engine = Engine(self._tree, self._linting, self._servers)
            return self._engine

    def _servers(self) -> LanguageServers:
        """Return the language servers; few calls ask for any."""
        with self._making:
            if self._made_servers is None:
                self._made_servers = self._make_servers()
            return self._made_servers

    @property
    def tree(self) -> Tree:
        """Return the files; who looks at them needs no engine."""
        return self._tree

    @property
    def root(self) -> str:
        """Return the directory, without links."""
        return self._tree.root.path

    def observe(self) -> None:
        """Look at the tree if it is observed."""
        if self._tree.is_observed:
            from keyhole.engine.observe.look import look_in_passing

            look_in_passing(self._tree)

    def close(self) -> None:
        """Let go of the journal, the root, who runs the linters, and language servers."""
        if self._linting:
            self._linting.close()
        if self._made_servers:
            self._made_servers.close()
        self._tree.close()

    def _leave_outside(self) -> None:
        """Fork the processes that run other programs for this one when it is confined."""
        self._linting = self._linting and self._linting.brokered(self._tree)
        if not self._tree.options.read_only:
            self._servers().leave_outside()

    @staticmethod
    def confine(places: Sequence[OpenWorkspace]) -> bool:
        """Confine this process, its only thread yet; other programs run outside of the fence."""
        from keyhole.engine.upkeep import fence
        from keyhole.storage.paths.confining import can_confine

        if not can_confine():
            return False
        for place in places:
            place._leave_outside()  # noqa: SLF001 - its own
        return fence([place._tree for place in places])  # noqa: SLF001 - its own


def open_place(  # noqa: PLR0913 - what a caller may say, each by its name
    root: Path,
    *,
    read_only: bool = False,
    max_bytes: int = 0,
    encoding: str = "",
    extensions: tuple[str, ...] = (),
    task_mode: str = "",
    article: str = "",
    journal: str = "",
    propose: bool = False,
    durability: str = "",
) -> OpenWorkspace:
    """Open the workspace at `root` with the user's settings and what the caller says."""
    from keyhole.workspace.tree import Tree, TreeOptions

    given = load(root)
    if task_mode:
        check_task_mode(task_mode, "the caller sets the task mode")
    mode = both_modes(given.task_mode, task_mode)
    options = TreeOptions(
        read_only=read_only or given.read_only or mode in {"research", "analyze"},
        propose=propose,
        task_mode=mode,
        article=article or given.article,
        max_bytes=max_bytes or given.max_bytes,
        allow_extensions=fewer(given.extensions, extensions) if extensions else given.extensions,
        allow_protected=given.allow_protected,
        homes=homes(os.environ),
        encoding=encoding or given.encoding or None,
        templates=given.templates,
        refresh_updated=given.refresh_updated,
        backup=given.backup,
        retention=_retention(given),
        sharing=_sharing(given, journal, root),
        kernel=replace(TreeOptions().kernel, durable=(durability or given.durability) == "full"),
    )
    tree = Tree.open(root, state_home=given.state_home, options=options)
    return OpenWorkspace(tree, _linting(given), partial(_servers, given, tree))


def _retention(given: Settings) -> Retention:
    from keyhole.journal.model import Retention

    usual = Retention()
    return Retention(given.keep_days * 86400.0 or usual.seconds, given.keep_bytes or usual.size)


def _sharing(given: Settings, journal: str, root: Path) -> Sharing | None:
    """Return the settings of sharing, if the user has any; `off` says no.

    Whose history is shared the workspace's own file says only while it is trusted: another name
    there would show what other projects did.
    """
    url = journal or given.journal
    if url in {"", "off"}:
        return None
    from keyhole.sharing.identity import Sharing
    from keyhole.sharing.server import check_url

    own = given.own_project if is_trusted(given, root) else ""
    project = given.project or own
    ignores = bool(given.own_project) and not project
    return Sharing(check_url(url), project, given.machine, given.keep_shared_days, ignores)


def _linting(given: Settings) -> Linting | None:
    if not given.validators:
        return None
    from keyhole.engine.linting.lint import Linting

    return Linting(given.validators, os.environ)


def _servers(given: Settings, tree: Tree) -> LanguageServers:
    from keyhole.language_servers.desk import LanguageServers

    return LanguageServers(
        tree.root.path,
        str(tree.state),
        os.environ,
        named=given.language_servers,
        seconds=given.language_server_seconds,
        outside=True,
    )
