import threading

import psycopg
import pytest

from keyhole.refusals import Refused
from keyhole.sharing.postgres.schema import VERSION, migrate
from keyhole.sharing.server import Server, Unreachable, check_url, shown_url, tls_of
from tests.postgres import PostgresServer

pytestmark = pytest.mark.needs("postgres")


def test_an_address_is_shown_without_user_and_password() -> None:
    url = "postgresql://me:s3cret@db.example.org:5433/team?sslmode=require&password=other"

    assert shown_url(url) == "postgresql://db.example.org:5433/team"


@pytest.mark.parametrize("url", ["s3cret", "mysql://me:s3cret@h/d", "postgresql://h:s3cret/d"])
def test_what_is_no_address_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(Refused) as refused:
        check_url(url)

    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "tls"),
    [
        ("postgresql://db.example.org/team", "require"),
        ("postgresql://db.example.org/team?sslmode=verify-full", "verify-full"),
        ("postgresql://db.example.org/team?sslmode=disable", "disable"),
        ("postgresql://127.0.0.1/team", "prefer"),
        ("postgresql:///team?host=/run/postgresql", "prefer"),
    ],
)
def test_beyond_this_machine_nothing_goes_in_plain_text_unless_it_is_said(
    url: str, tls: str
) -> None:
    assert tls_of(url) == tls


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://nobody-of-that-name:s3cret@127.0.0.1:{port}/team",
        "postgresql://keyhole:s3cret@127.0.0.1:1/team",
        "postgresql://keyhole:s3cret@127.0.0.1:{port}/no_such_database",
        "postgresql://keyhole@127.0.0.1:{port}/team?password=s3cret&nonsense=s3cret",
        "postgresql://keyhole:s3cret@127.0.0.1:{port}/team?sslmode=s3cret",
    ],
)
def test_no_failure_to_connect_tells_the_password(postgres: PostgresServer, address: str) -> None:
    with pytest.raises(Unreachable) as unreachable:
        Server.connect(address.format(port=postgres.port), "p")

    assert "s3cret" not in str(unreachable.value)
    assert unreachable.value.__cause__ is None


def test_many_who_start_at_once_make_the_tables_once(database: str) -> None:
    found: list[int] = []
    gate = threading.Barrier(8)

    def start() -> None:
        server = Server.connect(database, "p")
        gate.wait()
        found.append(migrate(server))
        server.close()

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [VERSION] * 8
    with psycopg.connect(database) as connection:
        numbers = connection.execute("SELECT number FROM keyhole.version ORDER BY number")
        assert numbers.fetchall() == [(number,) for number in range(1, VERSION + 1)]


def _insert_and_fail(server: Server) -> None:
    with server.transaction():
        server.run("INSERT INTO keyhole.project(name) VALUES('p')")
        server.run("SELECT 1 / 0")


def test_an_error_in_a_transaction_leaves_nothing_and_the_connection_usable(database: str) -> None:
    server = Server.connect(database, "p")
    migrate(server)

    with pytest.raises(Unreachable):
        _insert_and_fail(server)

    with server.transaction():
        assert server.rows("SELECT count(*) FROM keyhole.project") == [(0,)]
    server.close()
