"""Serve the review page on this machine, and open a browser on it."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

from keyhole.engine import Engine
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces import settings
from keyhole.surfaces.http.guard import Guard
from keyhole.surfaces.http.serving import hosts_at, listening_at, run, token_in
from keyhole.surfaces.web.app import app_of
from keyhole.surfaces.web.door import SignIn
from keyhole.surfaces.web.site import ReviewSite

_HOST = "127.0.0.1"


def export(engine: Engine, actor: str, target: str, task: str) -> int:
    """Write the review, or that of one task, into one file."""
    from keyhole.surfaces.web.export import exported

    body = exported(ReviewSite(engine, actor), task).encode("utf-8", "replace")
    try:
        Path(target).write_bytes(body)
    except OSError as error:
        headline = f"{target} cannot be written: {error.strerror}"
        raise Refused(Refusal("bad-request", headline, help="name another file")) from None
    sys.stderr.write(f"wrote {target}, {len(body)} bytes\n")
    return 0


def serve(engine: Engine, actor: str, port: int, *, browse: bool) -> int:
    """Serve until the process is told to stop."""
    home = settings.load(Path(engine.tree.root.path)).state_home / "keyhole"
    listening = listening_at(_HOST, port)
    port = listening.getsockname()[1]
    door = SignIn(port, token_in(home / "review-token"))
    address = f"http://{_HOST}:{port}"

    def told() -> None:
        """Say how the next browser gets in."""
        sys.stderr.write(f"for another browser: {address}{door.way_in}\n")
        sys.stderr.flush()

    sys.stderr.write(f"reviewing {engine.tree.root.path} at {address}{door.way_in}\n")
    sys.stderr.flush()
    if browse:
        webbrowser.open(f"{address}{door.way_in}")
    app = app_of(ReviewSite(engine, actor, door.csrf), door, told)
    run(Guard(app, door, hosts_at(port)), listening, patience=1)
    return 0
