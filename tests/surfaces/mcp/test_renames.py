"""A rename by the SDK's client, whose server the kernel confines: jedi needs no other program.

A language server does: it is started outside of the fence, and gone when the client is.
"""

from pathlib import Path

from mcp import Client, types

from tests.language_servers.stage import FILES, ServerStage, wait_for_end
from tests.scene import put
from tests.surfaces.mcp.host import Host, data, engine_of


def test_a_symbol_is_renamed_and_its_uses_are_listed(host: Host) -> None:
    host.write("core.py", "def load():\n    return 1\n")
    host.write("user.py", "from core import load\n\nprint(load())\n")

    async def work(client: Client) -> list[types.CallToolResult]:
        uses = await client.call_tool("search", {"path": "core.py", "symbol": "load"})
        given = {"path": "core.py", "segment": "load", "to": "fetch"}
        return [uses, await client.call_tool("rename", given)]

    uses, done = host.run(work)

    assert [(hit["path"], hit["line"]) for hit in data(uses)["hits"]] == [
        ("core.py", 1),
        ("user.py", 1),
        ("user.py", 3),
    ]
    assert (data(done)["outcome"], data(done)["found_by"]) == ("applied", "jedi")
    assert (host.root / "user.py").read_text(
        encoding="utf-8"
    ) == "from core import fetch\n\nprint(fetch())\n"


def test_a_language_server_is_kept_warm_outside_of_the_fence(host: Host, tmp_path: Path) -> None:
    stage = ServerStage(tmp_path / "stage")
    program = stage.install()
    named = f'language_servers = {{python = "{program}"}}\n'
    put(host.base, "home/.config/keyhole/config.toml", named)
    for path, body in FILES.items():
        host.write(path, body)
    with engine_of(host) as engine:
        engine.administration.trust()

    async def work(client: Client) -> list[types.CallToolResult]:
        uses = await client.call_tool("search", {"path": "core.py", "symbol": "load"})
        given = {"path": "core.py", "segment": "load", "to": "fetch"}
        return [uses, await client.call_tool("rename", given)]

    uses, done = host.run(work)

    assert data(uses)["total"] == 4
    assert (data(done)["outcome"], data(done)["found_by"]) == ("applied", "pyright")
    [pid] = stage.starts()
    wait_for_end(pid)
