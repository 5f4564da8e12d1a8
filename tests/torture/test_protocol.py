"""The server under damaged messages and forged requests, and what the harness itself catches."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.mcp.host import Host
from tests.surfaces.mcp.site import Site, serving
from tests.torture.messages import messages
from tests.torture.protocol import fuzz_http, fuzz_lines, scene
from tests.torture.start import REPORTS, figure

pytestmark = pytest.mark.torture

LINES, BODIES = figure(16_000, 160_000), figure(4_000, 40_000)
SESSIONS = figure(1_500, 100_000)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    for name in ("root", "home"):
        (tmp_path / name).mkdir()
    return scene(Host(tmp_path))


@pytest.fixture
def site(host: Host) -> Iterator[Site]:
    with serving(host, "--tools", "native,codex") as site:
        yield site


def test_damaged_lines_are_answered_and_survived(host: Host) -> None:
    found = fuzz_lines(host.command("--tools", "native,codex"), host.environment, LINES)
    REPORTS.append(f"lines: {dict(found)}")

    assert found["sent"] >= LINES
    assert found["answers"] > LINES // 6
    assert (found["crashed"], found["internal"]) == (0, 0)


def test_damaged_bodies_are_answered_and_survived(site: Site) -> None:
    found = fuzz_http(site, BODIES)
    REPORTS.append(f"bodies: {dict(found)}")

    assert found == {"sent": BODIES, "failed": 0, "internal": 0}
    assert site.ask(site.good)[0] == 200


FAULTY = """
import json, sys
for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        continue
    if not isinstance(message, dict):
        {fault}
    if isinstance(message, dict) and "id" in message:
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": {{}}}}), flush=True)
"""


@pytest.mark.parametrize(
    ("fault", "caught"),
    [
        ("sys.exit(1)", "crashed"),
        ("print(json.dumps({'id': 0, 'error': {'code': -32603}}), flush=True)", "internal"),
    ],
    ids=["crash", "internal error"],
)
def test_a_server_with_a_fault_is_caught(host: Host, fault: str, caught: str) -> None:
    command = [sys.executable, "-c", FAULTY.format(fault=fault)]

    assert fuzz_lines(command, host.environment, 2000)[caught] > 0


def test_the_messages_are_the_same_for_a_seed_and_mostly_damaged() -> None:
    first, again = list(messages(1, 300)), list(messages(1, 300))

    assert first == again
    assert len(set(first)) > 250


def test_a_flood_of_sessions_costs_no_more_memory_than_the_limit(site: Site) -> None:
    for _ in range(1000):
        assert site.ask(site.good)[0] == 200
    full = _resident(site)

    refused = sum(site.ask(site.good)[0] == 503 for _ in range(SESSIONS - 1000))

    assert refused == SESSIONS - 1000
    assert _resident(site) < full + 32 * 1024
    REPORTS.append(f"sessions: {SESSIONS}, {full // 1024} MiB with 1000 of them")


def _resident(site: Site) -> int:
    """Return the memory of the server, in KiB."""
    status = Path(f"/proc/{site.process.pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.split("\n") if line.startswith("VmRSS")]
    return int(line.split()[1])
