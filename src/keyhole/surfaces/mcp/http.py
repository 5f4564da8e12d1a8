"""The protocol over HTTP, for clients on this machine that hold the token."""

from __future__ import annotations

import sys

from keyhole.engine import settings
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.http.guard import MOST_BODY, Bearer, Guard
from keyhole.surfaces.http.serving import address_of, hosts_at, listening_at, run, token_in
from keyhole.surfaces.mcp.protocol import server_of
from keyhole.surfaces.mcp.server import Serving
from keyhole.surfaces.mcp.service import Service
from keyhole.surfaces.mcp.setup import Setup

_MOST_SESSIONS = 1000


def serve(setup: Setup, address: str, kind: type[Serving] = Serving) -> int:
    """Serve clients until the process is told to stop."""
    host, port = address_of(address)
    if not setup.roots:
        headline = "over HTTP a root must be named"
        raise Refused(Refusal("bad-request", headline, help="give --root DIRECTORY"))
    # First, for it may refuse: nothing is said to be served before.
    serving = kind(Service(setup))
    token_file = settings.load(setup.roots[0]).state_home / "keyhole" / "mcp-token"
    token = token_in(token_file)
    listening = listening_at(host, port)
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"serving http://{shown}:{port}/mcp; the bearer token is in {token_file}\n")
    sys.stderr.flush()
    app = server_of(serving).streamable_http_app(
        max_request_body_size=MOST_BODY, max_sessions=_MOST_SESSIONS
    )
    run(Guard(app, Bearer(token), hosts_at(port)), listening)
    return 0
