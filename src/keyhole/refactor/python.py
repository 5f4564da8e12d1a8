"""The names of Python files, as jedi resolves them. The one home of jedi.

Nothing of the tree is run: no interpreter is started, no extension module of the tree is loaded.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from jedi import Project, Script  # type: ignore[import-untyped]
    from jedi.api.classes import Name  # type: ignore[import-untyped]

# Far more files than jedi looks into by itself; our own budget ends a search before.
_ALL_FILES = 1_000_000


class NamePlace(NamedTuple):
    """Where a name stands: a full path, a line from 1 on, a column from 0 on in characters."""

    path: str
    line: int
    column: int


class PythonNames:
    """The Python files of one tree; `cache` is a directory of ours for what was parsed."""

    def __init__(self, root: str, cache: str) -> None:
        _prepared(cache)
        self._project = _project_of(root)

    def references(self, at: NamePlace, text: str, name: str) -> set[NamePlace]:
        """Return where the symbol at a place is called so, its definition among the places."""
        found = _script(self._project, at.path, text).get_references(
            at.line, at.column, include_builtins=False
        )
        return set(_places(each for each in found if each.name == name))

    def definitions(
        self, places: Iterable[NamePlace], text: str
    ) -> dict[NamePlace, set[NamePlace]]:
        """Return where each name of one file is defined, imports followed to their end."""
        known: dict[NamePlace, set[NamePlace]] = {}
        script: Script | None = None
        for at in places:
            script = script or _script(self._project, at.path, text)
            near = script.goto(at.line, at.column)
            far = script.goto(at.line, at.column, follow_imports=True)
            known[at] = {*_places(near), *_places(far)}
        return known


def is_installed() -> bool:
    """Tell whether jedi is there."""
    return find_spec("jedi") is not None


def _prepared(cache: str) -> None:
    """Load jedi, and let it look into every file and keep what it parses with us."""
    try:
        import jedi
        import jedi.inference.references as searching  # type: ignore[import-untyped]
    except ImportError:
        raise Refused(_not_installed()) from None
    from jedi.inference.compiled import access  # type: ignore[import-untyped]

    jedi.settings.cache_directory = cache
    access.load_module = _load_module
    searching._PARSED_FILE_LIMIT = searching._OPENED_FILE_LIMIT = _ALL_FILES  # noqa: SLF001 - else it stops after 30 files


def _load_module(inference_state: object, dotted_name: str, **_: object) -> object:
    """Load a module that has no source, as jedi asks for, if it is one of Python's own.

    Jedi's own way exchanges `sys.path` meanwhile, and other threads import what they need.
    """
    from jedi.inference.compiled import access

    if dotted_name.partition(".")[0] not in sys.stdlib_module_names:
        return None
    try:
        module = import_module(dotted_name)
    except ImportError:
        return None
    return access.create_access_path(inference_state, module)


@lru_cache(maxsize=4)
def _project_of(root: str) -> Project:
    import jedi

    standard = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    # Extension modules are loaded from the first paths only: those of the tree are never there.
    return jedi.Project(
        root,
        sys_path=list(dict.fromkeys([*standard, f"{standard[1]}/lib-dynload"])),
        added_sys_path=[root, f"{root}/src"],
        smart_sys_path=False,
        load_unsafe_extensions=False,
    )


def _script(project: Project, path: str, text: str) -> Script:
    import jedi

    # The interpreter that runs already: another one would have to be started.
    return jedi.Script(text, path=path, project=project, environment=jedi.InterpreterEnvironment())


def _places(names: Iterable[Name]) -> Iterator[NamePlace]:
    for name in names:
        if name.module_path is not None and name.line is not None:
            yield NamePlace(str(name.module_path), name.line, name.column)


def _not_installed() -> Refusal:
    return Refusal(
        "no-language-server",
        "nothing here knows the names of Python: neither a language server nor jedi is installed",
        help=say("install `keyhole[rename]`, or change the name by {edit:tool} with {glob}"),
    )
