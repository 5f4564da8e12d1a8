from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.options import Options
from keyhole.journal.model import Query
from keyhole.sharing.checkup import examine
from keyhole.sharing.postgres import schema
from keyhole.sharing.postgres.schema import migrate, version
from keyhole.sharing.postgres.writes import forget_if_due
from keyhole.sharing.server import Server, Unreachable
from tests.postgres import PostgresServer
from tests.team import Team, edit, team

pytestmark = pytest.mark.needs("postgres")


@pytest.fixture(name="ready")
def _ready(database: str) -> str:
    server = Server.connect(database, "p")
    migrate(server)
    server.close()
    return database


@pytest.fixture(name="agent")
def _agent(ready: str) -> Iterator[str]:
    """Make a role that is admitted and owns nothing; return its name."""
    name = f"agent_{ready.rpartition('/')[2]}"
    with psycopg.connect(ready, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN".encode())
        owner.execute("SELECT keyhole.admit(%s)", (name,))
        yield name
        owner.execute(f"DROP OWNED BY {name}".encode())
        owner.execute(f"DROP ROLE {name}".encode())


def as_role(url: str, role: str) -> str:
    return url.replace("keyhole@", f"{role}@")


def permissions(engine: Engine) -> tuple[bool, str]:
    assert engine._tree.shared is not None
    [found] = [each for each in examine(engine._tree.shared).checks if each.name == "permissions"]
    return found.ok, found.said


def test_a_role_that_was_only_admitted_can_share(tmp_path: Path, ready: str, agent: str) -> None:
    with team(tmp_path, as_role(ready, agent)) as made:
        engine = made.open(made.main)
        receipt = edit(engine, "line 3\n", "three\n", "A")

        assert receipt.warnings == ()
        assert engine.history(HistoryRequest()).note == ""
        assert engine.conflicts().conflicts == ()
        assert permissions(engine) == (True, f"role {agent} may share")
        with psycopg.connect(ready, autocommit=True) as owner:
            owner.execute(f"REVOKE INSERT ON keyhole.attempt FROM {agent}".encode())
        assert permissions(engine) == (False, f"role {agent} lacks INSERT on attempt")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM keyhole.entry",
        "UPDATE keyhole.entry SET actor = 'nobody'",
        "UPDATE keyhole.lease SET expires = clock_timestamp()",
        "TRUNCATE keyhole.blob",
        "SELECT * FROM keyhole.member",
        "SELECT keyhole.forget('0 days')",
        "SELECT keyhole.admit('public')",
        "DROP TABLE keyhole.touch",
        "CREATE TABLE keyhole.mine(x int)",
    ],
)
def test_it_can_neither_change_nor_delete_what_was_done(
    ready: str, agent: str, statement: str
) -> None:
    with (
        psycopg.connect(as_role(ready, agent)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode())


def test_a_role_that_was_not_admitted_is_told_so(tmp_path: Path, ready: str) -> None:
    name = f"stranger_{ready.rpartition('/')[2]}"
    with psycopg.connect(ready, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN".encode())
    with team(tmp_path, as_role(ready, name)) as made:
        receipt = edit(made.open(made.main), "line 3\n", "three\n")

    assert "keyhole.admit" in receipt.warnings[-1]


def test_projects_do_not_see_each_other(team: Team) -> None:
    one = team.open(team.main, "one", project="first")
    other = team.open(team.worktree("side"), "other", project="second")
    edit(one, "line 3\n", "three\n", "A")

    assert other.history(HistoryRequest()).transactions == ()
    assert edit(other, "line 3\n", "III\n", "B").conflicts == ()
    assert len(other.history(HistoryRequest()).transactions) == 1
    with psycopg.connect(team.url) as connection:
        found = connection.execute("SELECT count(*) FROM keyhole.entry").fetchone()
    assert found == (2,)  # a superuser sees all


def test_rows_of_another_project_are_hidden_from_whoever_asks(ready: str, agent: str) -> None:
    for name in ("first", "second"):
        server = Server.connect(as_role(ready, agent), name)
        with server.transaction():
            server.run("INSERT INTO keyhole.project(name) VALUES(%s)", (name,))
            server.run(
                "INSERT INTO keyhole.workspace(project, key) SELECT keyhole.current_project(), 'k'"
            )
        with server.transaction():
            assert server.rows("SELECT count(*) FROM keyhole.workspace") == [(1,)]
        server.close()


def test_a_project_with_members_is_theirs_alone(tmp_path: Path, ready: str, agent: str) -> None:
    with psycopg.connect(ready, autocommit=True) as owner:
        owner.execute("CREATE ROLE owners_only NOLOGIN")
        owner.execute("SELECT keyhole.admit('owners_only', 'closed')")
    server = Server.connect(as_role(ready, agent), "closed")
    with server.transaction():
        assert server.rows("SELECT keyhole.current_project()") == [(None,)]
    server.close()
    with team(tmp_path, as_role(ready, agent)) as made:
        receipt = edit(made.open(made.main, project="closed"), "line 3\n", "three\n")
    with psycopg.connect(ready, autocommit=True) as owner:
        owner.execute("DROP OWNED BY owners_only")
        owner.execute("DROP ROLE owners_only")

    assert "no member of the project closed" in receipt.warnings[-1]


def test_what_is_older_is_forgotten_with_its_images(team: Team) -> None:
    engine = team.open(team.main, project="p")
    edit(engine, "line 3\n", "three\n", "A")
    engine.history(HistoryRequest())
    with psycopg.connect(team.url, autocommit=True) as owner:
        owner.execute("UPDATE keyhole.entry SET arrived = arrived - interval '10 days'")
    edit(engine, "line 4\n", "four\n", "A")
    assert len(engine.history(HistoryRequest()).transactions) == 2
    shared = engine._tree.shared
    assert shared is not None
    shared.ask(lambda journal: forget_if_due(journal.server, 5))
    assert len(engine.history(HistoryRequest()).transactions) == 2  # it was looked at today
    with psycopg.connect(team.url, autocommit=True) as owner:
        owner.execute("UPDATE keyhole.project SET tidied = tidied - interval '2 days'")
    shared.ask(lambda journal: forget_if_due(journal.server, 5))

    (left,) = engine.history(HistoryRequest()).transactions
    assert left.entry.id.startswith("2-")
    assert shared.ask(lambda journal: journal.server.rows("SELECT count(*) FROM keyhole.blob")) == [
        (3,)  # the whole image that the others are differences from stays
    ]


def test_an_older_layout_is_brought_up_to_date(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "VERSION", 1)
    server = Server.connect(database, "p")
    assert migrate(server) == 1
    server.close()
    monkeypatch.undo()

    with team(tmp_path, database) as made:
        engine = made.open(made.main)
        assert not engine.edit([Edit(find="nowhere", content="x")], Options(), "f.txt").ok
        edit(engine, "line 3\n", "three\n")
        shared = engine._tree.shared
        assert shared is not None
        said = shared.ask(lambda journal: [each.said for each in journal.attempts(Query())])

    assert said == ["`find` is not in f.txt"]


def test_a_newer_layout_is_not_touched(ready: str, tmp_path: Path) -> None:
    with psycopg.connect(ready, autocommit=True) as owner:
        owner.execute("INSERT INTO keyhole.version VALUES(99)")
    server = Server.connect(ready, "p")
    with server.transaction():
        assert version(server) == 99
    server.close()
    with team(tmp_path, ready) as made:
        receipt = edit(made.open(made.main), "line 3\n", "three\n")

    assert "its tables have version 99" in receipt.warnings[-1]


def test_a_database_that_may_not_be_built_in_is_told_so(
    postgres: PostgresServer, database: str
) -> None:
    name = f"reader_{database.rpartition('/')[2]}"
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN".encode())
    server = Server.connect(as_role(database, name), "p")

    with pytest.raises(Unreachable, match="permission denied for database"):
        migrate(server)
    server.close()
    assert postgres.port
