"""A connection to PostgreSQL; no message repeats a secret of the address.

This is the only file that knows the driver, and it loads it when somebody connects.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from keyhole.disk import failpoints
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from psycopg import Connection

Row = tuple[object, ...]

CONNECT_SECONDS = 3
_STATEMENT_SECONDS = 5
_LOCK_SECONDS = 3
_LOOPBACK = {"localhost", "127.0.0.1", "::1", ""}


class Unreachable(Exception):  # noqa: N818 - it names what is so
    """The shared journal cannot be used now; the message says why and holds no secret."""


def check_url(url: str) -> str:
    """Return an address of a shared journal, or refuse what is none without repeating it."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"postgresql", "postgres"} and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known:
        headline = "the address of the shared journal is not of the form postgresql://HOST/DATABASE"
        raise Refused(Refusal("bad-request", headline, data={"field": "journal"}))
    return url


def shown_url(url: str) -> str:
    """Return an address for people: the server and the database, never a user or a password."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))
    host = parts.hostname or given.get("host", "")
    place = f"[{host}]" if ":" in host else unquote(host)
    port = f":{parts.port}" if parts.port else ""
    return f"postgresql://{place}{port}{parts.path or '/'}"


def tls_of(url: str) -> str:
    """Return the driver's TLS mode for an address; connections on this machine need no TLS."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))
    host = parts.hostname or given.get("host") or given.get("hostaddr") or ""
    # The driver's default falls back to plain text in silence.
    local = host in _LOOPBACK or unquote(host).startswith("/")
    return given.get("sslmode") or ("prefer" if local else "require")


class Server:
    """One connection, on which everything happens in transactions of one project."""

    def __init__(self, connection: Connection, url: str, project: str) -> None:
        self._connection = connection
        self._secrets = _secrets(url)
        self._begin = _begin(project)
        self.url = shown_url(url)

    @staticmethod
    def connect(url: str, project: str) -> Server:
        """Connect, or say why that is not possible."""
        try:
            import psycopg
        except ImportError:
            missing = "the driver is not installed: pip install 'keyhole[postgres]'"
            raise Unreachable(missing) from None
        # The errors that are raised say what it would log, without a secret.
        logging.getLogger("psycopg").setLevel(logging.CRITICAL)
        try:
            connection = psycopg.connect(
                url,
                autocommit=True,
                prepare_threshold=None,  # a pooler may give each transaction another session
                connect_timeout=CONNECT_SECONDS,
                application_name="keyhole",
                sslmode=tls_of(url),
                keepalives_idle=5,
                tcp_user_timeout=1000 * _STATEMENT_SECONDS,
            )
        except psycopg.ProgrammingError:
            raise Unreachable("the address is not one that PostgreSQL understands") from None
        except psycopg.Error as error:
            raise Unreachable(_error_line(error, _secrets(url))) from None
        return Server(connection, url, project)

    def close(self) -> None:
        """Let the connection go."""
        self._connection.close()

    @property
    def is_lost(self) -> bool:
        """Tell whether the connection is gone."""
        return bool(self._connection.closed or self._connection.broken)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do everything inside at once, or nothing of it."""
        with self._telling():
            self._connection.execute(self._begin)
        try:
            yield
        except BaseException:
            with suppress(Unreachable), self._telling():
                self._connection.execute(b"ROLLBACK")
            raise
        with self._telling():
            self._connection.execute(b"COMMIT")

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """Return what a question yields."""
        with self._telling():
            return self._connection.execute(query.encode(), values or None).fetchall()

    def run(self, statement: str, values: Sequence[object] = ()) -> int:
        """Carry out one statement; return how many rows it touched."""
        with self._telling():
            return self._connection.execute(statement.encode(), values or None).rowcount

    def many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one statement for each row, without waiting in between."""
        if rows:
            with self._telling(), self._connection.cursor() as cursor:
                cursor.executemany(statement.encode(), rows)

    def script(self, statements: str) -> None:
        """Carry out several statements that take no values."""
        with self._telling():
            self._connection.execute(statements.encode())

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn what the driver raises into words that hold no secret."""
        import psycopg

        failpoints.reach("asking")
        try:
            yield
            failpoints.reach("answered")
        except psycopg.Error as error:
            raise Unreachable(_error_line(error, self._secrets)) from None


def _begin(project: str) -> bytes:
    """Return the start of a transaction: its limits, and whose rows it is about.

    The limits belong to the transaction, since behind a pooler the session is not ours.
    """
    from psycopg import sql

    text = sql.SQL(
        "BEGIN; SELECT set_config('keyhole.project', {project}, true),"
        " set_config('statement_timeout', {statement}, true),"
        " set_config('lock_timeout', {lock}, true),"
        " set_config('idle_in_transaction_session_timeout', {statement}, true)"
    )
    return text.format(
        project=sql.Literal(project),
        statement=sql.Literal(str(1000 * _STATEMENT_SECONDS)),
        lock=sql.Literal(str(1000 * _LOCK_SECONDS)),
    ).as_bytes(None)


def has_password(url: str) -> bool:
    """Tell whether an address holds a secret, so that it is written into no file."""
    return bool(_secrets(url))


def _secrets(url: str) -> tuple[str, ...]:
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))
    raw = (parts.password or "", given.get("password", ""), given.get("sslpassword", ""))
    return tuple(sorted({each for one in raw for each in (one, unquote(one)) if each}))


def _error_line(error: Exception, secrets: Sequence[str]) -> str:
    """Return the first line of an error, with every secret of the address struck out."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    message = lines[0] if lines else type(error).__name__
    message = re.sub(r"^.*?(connection to server .*? failed: )", r"\1", message)
    for secret in secrets:
        message = message.replace(secret, "***")
    return message
