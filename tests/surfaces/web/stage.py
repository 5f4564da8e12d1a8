"""A workspace with a review page for tests: the real application, served in a thread."""

from __future__ import annotations

import http.client
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.surfaces.http.guard import Guard
from keyhole.surfaces.http.serving import hosts_at, listening_at, server_of
from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.serving import app_of
from keyhole.surfaces.web.sign_in import SignIn
from keyhole.workspace.tree import TreeOptions
from tests.scene import put

TOKEN = "t" * 43


@dataclass(frozen=True, slots=True)
class Served:
    """A page that is being served."""

    port: int
    door: SignIn
    told: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def good(self) -> dict[str, str]:
        """The headers of a request that a page of ours makes."""
        return {
            "Host": f"127.0.0.1:{self.port}",
            "Cookie": f"{self.door.cookie}={self.door.session}",
            "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
            "X-Keyhole-Csrf": self.door.csrf,
        }

    def ask(
        self,
        path: str,
        headers: dict[str, str] | None = None,
        method: str = "GET",
        body: object = None,
    ) -> tuple[int, dict[str, str], str]:
        """Send one request exactly as said, and return status, headers and text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        sent = b"" if body is None else sent
        for name, value in {"Content-Length": str(len(sent)), **(headers or self.good)}.items():
            connection.putheader(name, value)
        connection.endheaders(sent)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        text = answer.read().decode()
        connection.close()
        return answer.status, found, text

    def post(self, path: str, body: object) -> tuple[int, Any]:
        status, _, text = self.ask(path, method="POST", body=body)
        return status, json.loads(text)


@dataclass(frozen=True, slots=True)
class Stage:
    """A root with files, a state directory, and an engine on them."""

    base: Path
    engine: Engine

    @staticmethod
    def at(base: Path, *, read_only: bool = False) -> Stage:
        (base / "root").mkdir(exist_ok=True)
        options = TreeOptions(read_only=read_only)
        return Stage(base, Engine.open(base / "root", base / "state", options))

    @property
    def root(self) -> Path:
        return self.base / "root"

    @property
    def environment(self) -> dict[str, str]:
        known = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        return {**known, "HOME": str(self.base), "XDG_STATE_HOME": str(self.base / "state")}

    def write(self, path: str, text: str) -> Path:
        return put(self.root, path, text)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def edit(self, path: str, *pairs: tuple[str, str], **options: object) -> Receipt:
        """Replace texts by others, each with its number as the reason."""
        edits = [
            Edit(find=old, content=new, reason=f"reason {index}")
            for index, (old, new) in enumerate(pairs)
        ]
        given = Options(**{"actor": "agent", "tool": "mcp edit", **options})  # type: ignore[arg-type]
        return self.engine.edit(edits, given, path)

    @contextmanager
    def served(self) -> Iterator[Served]:
        listening = listening_at("127.0.0.1", 0)
        port = listening.getsockname()[1]
        door = SignIn(port, TOKEN)
        served = Served(port, door)
        site = ReviewSite(self.engine, "review:tester", door.csrf)
        app = Guard(
            app_of(site, door, lambda: served.told.append(door.way_in)), door, hosts_at(port)
        )
        server = server_of(app, patience=1)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield served
        finally:
            server.should_exit = True
            thread.join()
            listening.close()
