"""Only our block changes in a configuration, and taking it out restores the file to the byte."""

import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.install.installer import install, uninstall
from keyhole.engine.install.records import undone
from keyhole.engine.install.request import InstallRequest
from keyhole.engine.options import Options
from keyhole.hosts.model import located
from keyhole.hosts.table import HOSTS
from tests.engine.install.configurations import Configuration, Data, configurations, read

ALL = configurations()


class Machine:
    """A home with one configuration in it, and the commands as a user gives them."""

    def __init__(self, base: Path, host: str) -> None:
        self.environment = {"HOME": str(base / "home"), "XDG_STATE_HOME": str(base / "state")}
        self.wish = InstallRequest(
            host,
            lambda: base / "project",
            program=("/opt/keyhole",),
            environment=self.environment,
        )
        user = HOSTS[host].user
        assert user
        self.file = Path(located(user.paths[0], self.environment, "", mac=False))

    def body(self) -> bytes | None:
        return self.file.read_bytes() if self.file.exists() else None


def entry_in(host: str, data: Data) -> Data:
    servers = data.get(HOSTS[host].keys[0]) or {}
    if isinstance(servers, list):
        return next((each for each in servers if each["name"] == "keyhole"), None)
    return servers.get("keyhole")


def others_in(host: str, data: Data) -> Data:
    """What a configuration says besides: other servers, other keys; an empty place is no place."""
    key = HOSTS[host].keys[0]
    servers = data.get(key) or {}
    if isinstance(servers, list):
        rest: Data = [each for each in servers if each["name"] != "keyhole"]
    else:
        rest = {name: each for name, each in servers.items() if name != "keyhole"}
    return {**{name: each for name, each in data.items() if name != key}, key: rest or {}}


def inserted(before: bytes, after: bytes) -> list[bytes] | None:
    """What was put into bytes, piece by piece, if nothing else was done to them."""
    pieces = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind == "insert":
            pieces.append(after[start:end])
        elif kind != "equal":
            return None
    return pieces


def test_there_are_enough_configurations() -> None:
    assert len(ALL) >= 60
    assert len({each.body for each in ALL}) >= 60


@pytest.mark.parametrize("given", ALL, ids=lambda each: each.name)
def test_only_our_block_changes_and_undo_and_uninstall_restore_to_the_byte(
    tmp_path: Path, given: Configuration
) -> None:
    machine = Machine(tmp_path, given.host)
    if given.body is not None:
        machine.file.parent.mkdir(parents=True, exist_ok=True)
        machine.file.write_bytes(given.body)

    [change] = install(machine.wish).changes
    after = machine.body()
    assert after is not None
    again = install(machine.wish)

    was, now = read(given.host, given.body), read(given.host, after)
    entry = entry_in(given.host, now)
    started = entry.get("cmd") or entry["command"]
    assert (started[0] if isinstance(started, list) else started) == "/opt/keyhole"
    if given.body is not None:
        assert others_in(given.host, now) == others_in(given.host, was)
    if given.body and entry_in(given.host, was) is None:
        bare = re.sub(rb" (\{\}|\[\]|null|~)", b"", given.body)
        assert inserted(given.body, after) is not None or inserted(bare, after) is not None
    assert [change.outcome for change in again.changes] == ["unchanged"]
    assert machine.body() == after
    _check_edges(given.body, after)

    undo = undone(UndoRequest(id=change.transaction), Options(), machine.environment)
    assert (undo.ok, machine.body()) == (True, given.body)
    assert [file.path for file in undo.files] == [str(machine.file)]
    assert undone(UndoRequest(id=undo.transaction), Options(), machine.environment).ok
    assert machine.body() == after

    uninstall(machine.wish)
    assert machine.body() == given.body


def _check_edges(before: bytes | None, after: bytes) -> None:
    """Line ends, byte order mark and the missing last newline are as they were."""
    if before and before.strip():
        assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
        assert after.endswith(b"\n") == before.endswith(b"\n")
    if before and before.count(b"\n") > 1:
        assert (b"\r\n" in after) == (b"\r\n" in before)
        assert after.count(b"\n") == after.count(b"\r\n") or b"\r\n" not in after
