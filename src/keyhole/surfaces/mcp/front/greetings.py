"""Which clients have greeted a server: a line each beside the journal, for `keyhole doctor`."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_BYTES = 1 << 16
_MOST_NAME = 200


def note_greeting(client: str, roots: Iterable[str]) -> None:
    """Write down who greeted; a server serves also where nothing can be written.

    The home directory is hardly meant for a workspace, so nothing is noted of it.
    """
    home = f"{os.path.realpath(_home())}/"
    for root in roots:
        if home.startswith(f"{root.rstrip('/')}/"):
            continue
        try:
            _note(_path(root), json.dumps(client[:_MOST_NAME]))
        except OSError:
            continue


def _note(path: str, line: str) -> None:
    """Add a line that is not there yet; a file that grew too long is begun anew."""
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 - pathlib costs the start
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(path, flags, 0o600)
    try:
        known = os.read(file, _MOST_BYTES).decode("ascii", "replace").split("\n")
        if os.fstat(file).st_size >= _MOST_BYTES:
            os.ftruncate(file, 0)
            known = []
        if line not in known:
            os.write(file, f"{line}\n".encode("ascii"))
    finally:
        os.close(file)


def _path(root: str) -> str:
    """Return the file in the state directory of a workspace, which its hash names."""
    # It takes a quarter of a start: by now no client waits.
    from hashlib import sha256

    state = os.environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        state = f"{_home()}/.local/state"
    return f"{state}/keyhole/{sha256(os.fsencode(root)).hexdigest()[:16]}/greetings"


def _home() -> str:
    """Return the user's home directory as the settings have it, "" if nobody knows one."""
    if named := os.environ.get("HOME"):
        return named
    from pwd import getpwuid

    try:
        return getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
