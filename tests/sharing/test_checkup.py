import pytest

from keyhole.engine.upkeep import doctor
from keyhole.sharing.checkup import CheckupItem, SharedCheckup, examine
from keyhole.sharing.postgres.schema import VERSION
from tests.postgres import PostgresServer
from tests.team import Team, edit

pytestmark = pytest.mark.needs("postgres")


def test_a_check_looks_at_everything_sharing_depends_on(team: Team) -> None:
    engine = team.open(team.main, "one", project="p")
    edit(engine, "line 3\n", "three\n", "A")
    shared = engine._tree.shared
    assert shared is not None

    found = examine(shared)
    assert found.ok
    said = {check.name: check.said for check in found.checks}
    assert list(said) == [
        "connection",
        "encryption",
        "schema",
        "permissions",
        "clock",
        "project",
        "outbox",
    ]
    assert said["schema"] == f"version {VERSION} of {VERSION}"
    assert said["project"] == "p: 1 workspaces on 1 machines, 1 entries"
    assert said["outbox"] == "entries up to 1 of 1 are shared"
    notes = {check.name: check.note for check in found.checks}
    assert notes["permissions"].startswith("keyhole is a superuser")


def test_the_doctor_tells_of_a_server_that_is_away(team: Team, postgres: PostgresServer) -> None:
    engine = team.open(team.main, "one")
    postgres.stop()
    try:
        checkup = doctor(engine._tree, "0")
    finally:
        postgres.start()

    assert not checkup.ok
    assert checkup.as_text().startswith("the shared journal is not in order\n")
    assert "  connection: FAILED, connection to server" in checkup.as_text()
    assert checkup.as_data()["shared"] == {
        "journal": f"postgresql://127.0.0.1:{postgres.port}/{team.url.rpartition('/')[2]}",
        "ok": False,
        "checks": [
            {
                "check": "connection",
                "ok": False,
                "said": f'connection to server at "127.0.0.1", port {postgres.port} failed: '
                "Connection refused",
                "note": "",
            }
        ],
    }


def test_a_workspace_in_which_nothing_was_done_has_nothing_to_send(team: Team) -> None:
    engine = team.open(team.main, "one")
    shared = engine._tree.shared
    assert shared is not None

    def outbox() -> tuple[bool, str]:
        [found] = [check for check in examine(shared).checks if check.name == "outbox"]
        return found.ok, found.said

    assert outbox() == (True, "nothing was ever done here")
    edit(engine, "line 3\n", "three\n", "A")
    assert outbox() == (True, "entries up to 1 of 1 are shared")


def test_a_note_stands_below_what_it_is_about() -> None:
    checks = (CheckupItem("clock", ok=True, said="0.1 s apart", note="set it"),)

    assert list(SharedCheckup("db", checks).rows()) == [
        "shared journal: db",
        "  clock: 0.1 s apart",
        "    note: set it",
    ]
