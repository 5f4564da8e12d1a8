"""The client's limits: a server that is deaf, or leaves others behind, keeps nobody waiting."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from edit_suite import mcp
from edit_suite.mcp import Client, Lost

DEAF = "import time; time.sleep(60)"
LEAVING = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"], start_new_session=True)
"""


def test_a_request_to_a_server_that_reads_nothing_has_a_limit(tmp_path: Path) -> None:
    client = Client([sys.executable, "-c", DEAF], tmp_path)
    try:
        with pytest.raises(Lost):
            client.request("tools/call", {"text": "x" * (1 << 20)}, 0.5)
        with pytest.raises(Lost):
            client.request("ping", {}, 0.5)
    finally:
        client.kill()
        client.close()


def test_a_connection_ends_though_others_hold_its_other_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp, "PATIENCE", 1.0)
    client = Client([sys.executable, "-c", LEAVING], tmp_path)

    closing = threading.Thread(target=client.close, daemon=True)
    closing.start()
    closing.join(15)

    assert not closing.is_alive()
