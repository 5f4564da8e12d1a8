"""Installing keyhole in a host: its configuration edited by key, and restored to the byte.

Each configuration file is edited through a workspace of its own, whose journal lies apart from
those of the user's workspaces: it keeps the file as it was, and no directory becomes a workspace.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, Operation, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.host_files import ConfigText
from keyhole.engine.install import records
from keyhole.engine.install.answers import INSTALLATION, HostChange, Installed
from keyhole.engine.install.edits import (
    whole,
    with_entry,
    with_hooks,
    with_item,
    with_switches,
    with_values,
    without,
    without_hooks,
    without_section,
    without_switches,
    without_values,
)
from keyhole.engine.install.request import (
    InstallRequest,
    check_shared,
    file_for,
    host_named,
    passed_on,
    started_from,
    usual_scope,
)
from keyhole.engine.options import Options
from keyhole.engine.settings import home_of, with_home
from keyhole.fastclasses import replace
from keyhole.hosts.hooks import HOOKS, module
from keyhole.hosts.model import (
    ABSOLUTE,
    CLIENT,
    HostFile,
    HostSetting,
    ServerEntry,
    located,
    nested,
)
from keyhole.hosts.table import HEADING, HOSTS, INSTRUCTIONS
from keyhole.hosts.text import as_json, configuration, format_of
from keyhole.phrases import render
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

_RULES = "---\ndescription: how to edit files\nalwaysApply: true\n---\n\n"


def install(wish: InstallRequest) -> Installed:
    """Put keyhole into the configuration of a host, or refuse and change none of its files."""
    if wish.only or wish.hooks or wish.instructions:
        _Installer(replace(wish, dry_run=True)).install()
    return _Installer(wish).install()


def uninstall(wish: InstallRequest) -> Installed:
    """Take keyhole out of the configuration of a host, to the byte where nobody changed it.

    Without a scope it is looked for where it is put without one, then in the other file.
    """
    host = host_named(wish.host)
    usual = usual_scope(host)
    other = "project" if usual == "user" else "user"
    scopes = [each for each in (usual, other) if host.file(each)]
    told: Refused | None = None
    for scope in [wish.scope] if wish.scope else scopes:
        try:
            return _Installer(replace(wish, scope=scope)).uninstall()
        except Refused as refused:
            told = told or refused
            if refused.refusals[0].code != "nothing-to-undo":
                raise
    assert told, "BUG: every host has a file"
    raise told


def printed(wish: InstallRequest) -> tuple[str, str]:
    """Return what to paste into the configuration of a host, and a line that says where."""
    installer = _Installer(wish)
    host, path = installer.host, installer.path
    text = configuration(host, format_of(path), installer.entry(installer.usual_name))
    start = "" if os.path.lexists(path) else host.preamble
    notes = (f"note: {render(note)}" for note in installer.notes)
    return start + text, "\n".join([f"{host.title}: put this into {path}", *notes])


def present(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hosts that are on this machine: their program, their file, or its directory."""
    from shutil import which

    home = Path(home_of(environment))
    here = []
    for name, host in HOSTS.items():
        paths = host.user.paths if host.user else ()
        files = (Path(_full(path, environment, "/")) for path in paths)
        is_there = any(
            file.exists() or (file.parent != home and file.parent.is_dir()) for file in files
        )
        if is_there or (host.program and which(host.program, path=environment.get("PATH"))):
            here.append(name)
    return tuple(here)


def _full(path: str, environment: Mapping[str, str], project: str) -> str:
    return located(path, with_home(environment), project, mac=sys.platform == "darwin")


class _Installer:
    """One host and one scope: the file, the name of the server, and what is done to them."""

    def __init__(self, wish: InstallRequest) -> None:
        self.wish = wish
        self.host = host_named(wish.host)
        self.scope = wish.scope or usual_scope(self.host)
        self.file = file_for(self.host, self.scope)
        self.path = self._located(self.file)

    @property
    def usual_name(self) -> str:
        """Return the name of the server; each project has its own where a file is for all."""
        if self.scope == "project" or self._root != ABSOLUTE:
            return "keyhole"
        first = Path(self.wish.roots[0]) if self.wish.roots else self.wish.project()
        slug = re.sub(r"[^a-z0-9]+", "-", first.name.lower()).strip("-")
        return f"keyhole-{slug}" if slug else "keyhole"

    def entry(self, name: str) -> ServerEntry:
        """Return the server: what to start, with which root and environment."""
        roots = self.wish.roots
        if not roots and self._root != CLIENT:
            roots = (str(self.wish.project()) if self._root == ABSOLUTE else self._root,)
        words = [word for root in roots for word in ("--root", root)]
        if self._is_shared:
            check_shared(self.wish.flags)
        command = (*self._program, "mcp", *words, *self.wish.flags)
        passed = passed_on(self.wish.environment, shared=self._is_shared)
        return ServerEntry(name, command, passed.values, passed.inherited, trusted=self.wish.trust)

    @property
    def _program(self) -> tuple[str, ...]:
        """Return what starts keyhole; the file of a project leaves it to the search path."""
        if self.wish.source:
            project = self.wish.project() if self._is_shared else None
            return started_from(self.wish.source, project, self._root)
        return ("keyhole",) if self._is_shared else self.wish.program

    @property
    def _is_shared(self) -> bool:
        return self.scope == "project" and not self.wish.roots

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a person should know about the entry."""
        passed = passed_on(self.wish.environment, shared=self._is_shared)
        found = [self.file.note, *passed.notes]
        if self.wish.hooks:
            rows = HOOKS.get(self.wish.host)
            missing = f"{self.host.title} has no hooks in such a file that keyhole knows"
            found.append(rows.note if rows and self._hook_file() else missing)
        if self._is_shared and not (self.wish.on_path or self.wish.source):
            found.append("the file starts `keyhole`: put it on the search path, or name it: --from")
        if self.wish.trust and not self.host.trusted:
            found.append(f"{self.host.title} has no setting for --trust that keyhole knows")
        return tuple(filter(None, found))

    @property
    def _root(self) -> str:
        return ABSOLUTE if self.wish.roots else self.file.root

    def install(self) -> Installed:
        """Write the server, and what is asked for besides."""
        with self._opened(self.path) as at:
            name = self._name(at)
            changes = [at.changed("server", self._server(at, name), _tool(self, name))]
        if self.wish.only and self.host.only:
            changes.append(self._only(name, self.host.only))
        if self.wish.hooks:
            changes += self._hooks(name)
        if self.wish.instructions:
            changes.append(self._instructions(name))
        return self._told(name, changes, notes=self.notes)

    def uninstall(self) -> Installed:
        """Take out the server and what came with it: what is in its own file goes after it."""
        with self._opened(self.path) as at:
            name = self._name(at)
        others = list(self._others())
        for what, path in (("server", self.path), *others):
            with self._opened(path) as at:
                at.check_held(what, name, _tool(self, name))
        aside = [self._restored(*each, name) for each in others if each[1] != self.path]
        changes = [self._restored("server", self.path, name)]
        changes += [self._restored(*each, name) for each in others if each[1] == self.path]
        done = [each for each in (*changes, *reversed(aside)) if each.outcome != "absent"]
        if not done:
            headline = f"{self.path} has no server `{name}`"
            raise Refused(Refusal("nothing-to-undo", headline, help="look at `keyhole doctor`"))
        return self._told(name, done, taken_out=True)

    def _restored(self, what: str, path: str, name: str) -> HostChange:
        with self._opened(path) as at:
            return at.restored(what, _tool(self, name), partial(self._taken_out, at, what, name))

    def _others(self) -> Iterator[tuple[str, str]]:
        """Yield the other files that an installation may have changed, the last first."""
        with suppress(Refused):
            yield "instructions", f"{self.wish.project()}/{self.host.instructions}"
        if hooks := self._hook_file():
            yield "hooks", self._located(hooks)
        if self.host.only:
            of_user = self.scope == "user"
            yield "only", self._located(self.host.only.user if of_user else self.host.only.project)

    def _told(
        self,
        name: str,
        changes: list[HostChange],
        *,
        taken_out: bool = False,
        notes: tuple[str, ...] = (),
    ) -> Installed:
        if self.wish.only and not self.host.only and not taken_out:
            notes += (f"{self.host.title} cannot be told to leave its own tools for editing out",)
        return Installed(
            host=self.wish.host,
            title=self.host.title,
            server=name,
            scope=self.scope,
            changes=tuple(changes),
            dry_run=self.wish.dry_run,
            taken_out=taken_out,
            see=self.host.see,
            tried=self.host.tried,
            notes=notes,
        )

    def _server(self, at: _OpenFile, name: str) -> tuple[Operation, ...]:
        host, entry = self.host, self.entry(name)
        if at.config is None:
            text = configuration(host, format_of(self.path), entry)
            return (WriteFile(at.name, f"{host.preamble}{text}\n"),)
        put = with_item if host.is_list else with_entry
        return put(at.config, host.keys, name, host.entry_of(entry))

    def _taken_out(self, at: _OpenFile, what: str, name: str) -> tuple[Operation, ...]:
        """Return the edits that take out what is ours where the file was changed since."""
        config, host = at.config, self.host
        if what == "instructions" or config is None:
            return without_section(config, HEADING) if what == "instructions" else ()
        if what == "server":
            return without(config, host.keys, name, item=host.is_list)
        was = at.found(_tool(self, name))
        if what == "hooks":
            return without_hooks(at.name, config, was, self.wish.host)
        assert host.only, "BUG: nobody else has such a file"
        take = without_switches if host.only.switches else without_values
        return take(config, was, host.only.keys, host.only.values)

    def _only(self, name: str, setting: HostSetting) -> HostChange:
        file = setting.user if self.scope == "user" else setting.project
        with self._opened(self._located(file)) as at:
            if at.config is None:
                off: object = dict.fromkeys(setting.values, False)
                value = off if setting.switches else list(setting.values)
                text = as_json(nested(setting.keys, value))
                edits: tuple[Operation, ...] = (WriteFile(at.name, f"{text}\n"),)
            else:
                put = with_switches if setting.switches else with_values
                edits = put(at.config, setting.keys, setting.values)
            return at.changed("only", edits, _tool(self, name))

    def _hook_file(self) -> HostFile | None:
        rows = HOOKS.get(self.wish.host)
        return (rows.user if self.scope == "user" else rows.project) if rows else None

    def _hooks(self, name: str) -> list[HostChange]:
        """Let the host call keyhole; where it has no hooks that keyhole knows, a note says so."""
        rows, file = HOOKS.get(self.wish.host), self._hook_file()
        if rows is None or file is None:
            return []
        program = ("keyhole",) if self._is_shared else self.wish.program
        with self._opened(self._located(file)) as at:
            if rows.is_module:
                edits = whole(at.name, at.config, module(self.wish.host, program))
            elif at.config is None:
                hooks = as_json({"hooks": rows.entries(self.wish.host, program)})
                edits = (WriteFile(at.name, f"{hooks}\n"),)
            else:
                edits = with_hooks(at.config, rows.entries(self.wish.host, program))
            return [at.changed("hooks", edits, _tool(self, name))]

    def _instructions(self, name: str) -> HostChange:
        with self._opened(f"{self.wish.project()}/{self.host.instructions}") as at:
            if at.config is None:
                rules = _RULES if at.name.endswith(".mdc") else ""
                edits: tuple[Operation, ...] = (WriteFile(at.name, rules + INSTRUCTIONS),)
            elif HEADING in at.config.text:
                edits = (Edit(segment=HEADING, content=INSTRUCTIONS),)
            else:
                lead = "\n" if at.config.text.strip() else ""
                edits = (Edit(action="append", content=lead + INSTRUCTIONS),)
            return at.changed("instructions", edits, _tool(self, name))

    def _name(self, at: _OpenFile) -> str:
        """Return the name of the server; another project that has it already keeps it."""
        name, config = self.usual_name, at.config
        if name == "keyhole" or config is None:
            return name
        root = str(self.wish.project())
        longer = f"{name}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:4]}"
        there = {each: config.segment((*self.host.keys, each)) for each in (name, longer)}
        for each, segment in there.items():
            if segment and as_json(root) in config.text[slice(*segment.span)]:
                return each
        return longer if there[name] else name

    def _located(self, file: HostFile) -> str:
        project = "" if self.scope == "user" else str(self.wish.project())
        paths = [_full(path, self.wish.environment, project) for path in file.paths]
        return next((path for path in paths if os.path.lexists(path)), paths[0])

    @contextmanager
    def _opened(self, path: str) -> Iterator[_OpenFile]:
        """Open a file, links followed, by a workspace of its own; refusals about it name it."""
        with records.opened(Path(os.path.realpath(path)), self.wish.environment) as (tree, name):
            try:
                yield _OpenFile(path, name, tree, self.wish)
            except Refused as refused:
                spelling = {name: path, "": path}
                raise Refused(*(each.spelt(spelling) for each in refused.refusals)) from None


class _OpenFile:
    """A configuration file as it stands, and the engine that edits it."""

    def __init__(self, path: str, name: str, tree: Tree, wish: InstallRequest) -> None:
        self.path, self.name = path, name
        self._tree, self._engine, self._wish = tree, Engine(tree), wish
        self._read()

    def _read(self) -> None:
        name, tree = self.name, self._tree
        document = tree.read(name) if tree.exists(name) else None
        self._hash = document.hash if document else None
        self.config = ConfigText.of(name, format_of(self.path), document) if document else None

    def changed(self, what: str, edits: tuple[Operation, ...], tool: str) -> HostChange:
        """Carry edits out as one transaction; what the engine refuses is refused."""
        if not edits:
            return HostChange(self.path, what, "unchanged")
        self.check(what)
        receipt = self._engine.edit(edits, self._options(tool), self.name)
        return self._told(what, receipt)

    def restored(
        self, what: str, tool: str, otherwise: Callable[[], tuple[Operation, ...]]
    ) -> HostChange:
        """Take back what installations wrote; where that was changed since, only our block."""
        known = [*records.installations(self._tree, self.name, tool)]
        # Of several, a dry run would show the last alone, and a changed file may keep the first.
        is_shaky = self._wish.dry_run or (what == "server" and not self._is_ours())
        if is_shaky and len(known) > 1:
            known = []
        done, is_whole = HostChange(self.path, what), False
        for entry in known:
            receipt = self._engine.undo(UndoRequest(id=entry.id), self._options(f"un{tool}"))
            if not (is_whole := receipt.ok):
                break
            done = self._told(what, receipt)
        if is_whole:
            return done
        self._read()
        edits = otherwise()
        return self.changed(what, edits, f"un{tool}") if edits else done

    def check_held(self, what: str, name: str, tool: str) -> None:
        """Refuse what cannot be read before anything is taken out, if ours may be in it."""
        is_named = what == "server" and self.config is not None and name in self.config.text
        if is_named or any(records.installations(self._tree, self.name, tool)):
            self.check(what)

    def found(self, tool: str) -> ConfigText | None:
        """Return the file as the first installation that stands found it, if there was one."""
        known = [*records.installations(self._tree, self.name, tool)]
        if not known:
            return self.config
        document = records.found(self._tree, self.name, known[-1])
        return ConfigText.of(self.name, format_of(self.path), document) if document else None

    def _is_ours(self) -> bool:
        """Tell whether nobody else changed the file since an installation did."""
        files = (file for each in records.entries(self._tree, self.name, 1) for file in each.files)
        return any(file.path == self.name and file.after == self._hash for file in files)

    def check(self, what: str) -> None:
        """Refuse a configuration that cannot be read, or whose name hides what it is."""
        config = self.config
        is_free = what == "instructions" or self.name.endswith(".js")
        if not is_free and config:
            config.check()
        if is_free or config is None or config.outline.language == config.form:
            return
        headline = f"it leads to a file whose name does not say that it is {config.form}"
        help_line = f"give the file {self.name} a name that ends in .{config.form}"
        raise Refused(Refusal("wrong-segment-kind", headline, help=help_line))

    def _options(self, tool: str) -> Options:
        wish = self._wish
        return Options(dry_run=wish.dry_run, actor=wish.actor, tool=tool)

    def _told(self, what: str, receipt: Receipt) -> HostChange:
        if not receipt.ok:
            raise Refused(*map(self._as_of_a_host, receipt.refusals))
        diff = "".join(file.diff for file in receipt.files)
        name = f"{INSTALLATION}{receipt.transaction}" if receipt.transaction else ""
        if name:
            records.remember(self._tree)
        return HostChange(self.path, what, receipt.outcome, diff, name)

    def _as_of_a_host(self, refusal: Refusal) -> Refusal:
        """Return a refusal of the engine as the user of an installation can act on it."""
        if refusal.code not in {"syntax-broken", "wrong-segment-kind"}:
            return refusal
        headline = "the file is written so that no entry can be put into it or taken out"
        help_line = f"write it as `keyhole mcp --print-config {self._wish.host}` does: a key a line"
        return Refusal("wrong-segment-kind", headline, help=help_line)


def _tool(installer: _Installer, name: str) -> str:
    return f"install {installer.wish.host} {name}"
