import pytest
from mcp import Client

from tests.surfaces.mcp.host import Host, data


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_batch_tells_how_many_edits_are_done(host: Host, mode: str) -> None:
    edits = []
    for number in range(30):
        host.write(f"f{number}.py", f"value = {number}\n")
        edits.append({"path": f"f{number}.py", "find": "value", "content": "number"})
    heard: list[tuple[float, float | None, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def work(client: Client) -> None:
        data(await client.call_tool("edit", {"edits": edits}, progress_callback=listen))

    host.run(work, mode=mode)

    assert heard[-1] == (60.0, 60.0, "checking files")
    counts = [progress for progress, _, _ in heard]
    assert counts == sorted(set(counts))
    assert {message for _, _, message in heard} <= {"working", "locating edits", "checking files"}
