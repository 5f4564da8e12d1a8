"""What a linter may know of the environment: where tools are, and nothing that is secret."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping

# A server's environment holds keys and tokens, and a linter's plug-ins are anybody's code: a name
# is passed because a tool needs it, never because nobody thought of it.
_PASSED = frozenset(
    (
        *("HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "MYPYPATH"),
        *("NODE_PATH", "NVM_DIR", "VOLTA_HOME", "JAVA_HOME"),
        *("GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS"),
        *("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
    )
)
_FORCED = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}


def environment_for(given: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment a linter runs in; `more` are names that the user lets it see."""
    wanted = _PASSED.union(more)
    passed = {
        name: value for name, value in given.items() if name in wanted or name.startswith("LC_")
    }
    return {**passed, **_FORCED, "PATH": search_path(given)}


def search_path(given: Mapping[str, str]) -> str:
    """Return PATH without its relative entries: they would find programs in the workspace."""
    entries = given.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def program(name: str, given: Mapping[str, str]) -> str | None:
    """Return where a program is that PATH leads to."""
    return shutil.which(name, path=search_path(given) or os.defpath)
