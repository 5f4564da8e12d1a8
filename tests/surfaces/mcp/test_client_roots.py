from pathlib import Path

import pytest
from mcp import Client, types
from mcp.client.session import ClientRequestContext

from tests.surfaces.mcp.host import Host, codes, data


class Roots:
    """A client's roots, which it may change."""

    def __init__(self, *uris: str) -> None:
        self.uris = list(uris)
        self.asked = 0

    async def __call__(self, _: ClientRequestContext) -> types.ListRootsResult:
        self.asked += 1
        roots = [types.Root.model_validate({"uri": uri}) for uri in self.uris]
        return types.ListRootsResult(roots=roots)


def test_roots_that_change_are_taken_up(host: Host, tmp_path: Path) -> None:
    other = tmp_path / "other root"
    other.mkdir()
    (other / "b.txt").write_text("two\n", encoding="utf-8")
    host.write("a.txt", "one\n")
    roots = Roots(host.root.as_uri())

    async def work(client: Client) -> None:
        data(await client.call_tool("read", {"path": "a.txt"}))
        assert codes(await client.call_tool("read", {"path": "b.txt"})) == ["no-file"]
        roots.uris = [other.as_uri(), host.root.as_uri()]
        await client.session.send_notification(types.RootsListChangedNotification())
        data(await client.call_tool("read", {"path": "b.txt"}))
        edits = [{"find": "one", "content": "three"}]
        path = str(host.root / "a.txt")
        data(await client.call_tool("edit", {"path": path, "edits": edits}))
        roots.uris = []
        await client.session.send_notification(types.RootsListChangedNotification())
        assert codes(await client.call_tool("read", {"path": "b.txt"})) == ["path-denied"]

    host.run(work, root=False, mode="legacy", list_roots_callback=roots)

    assert roots.asked == 3
    assert host.read("a.txt") == "three\n"


def test_roots_that_the_user_named_stay(host: Host, tmp_path: Path) -> None:
    host.write("a.txt", "one\n")
    roots = Roots(tmp_path.as_uri())

    async def work(client: Client) -> None:
        await client.session.send_notification(types.RootsListChangedNotification())
        data(await client.call_tool("read", {"path": "a.txt"}))

    host.run(work, mode="legacy", list_roots_callback=roots)

    assert roots.asked == 0


@pytest.mark.parametrize("uri", ["file://elsewhere/tmp", "file:///nowhere/at/all"])
def test_a_root_that_is_no_directory_here_is_refused(host: Host, uri: str) -> None:
    async def work(client: Client) -> list[str]:
        return codes(await client.call_tool("read", {"path": "a.txt"}))

    refused = host.run(work, root=False, mode="legacy", list_roots_callback=Roots(uri))

    assert refused in (["path-denied"], ["no-file"])
