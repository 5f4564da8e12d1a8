"""A connection to PostgreSQL; no message repeats a secret of the address.

This is the only file that knows the driver, and it loads it when somebody connects.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from keyhole.disk import failpoints
from keyhole.fastclasses import dataclass, field
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

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


@dataclass(slots=True)
class Reply:
    """The rows of a question that is sent with the next one; until then there are none."""

    rows: list[Row] = field(default_factory=list)


class Server:
    """One connection, on which everything happens in transactions of one project."""

    def __init__(self, connection: Connection, url: str, project: str) -> None:
        self._connection = connection
        self._secrets = _secrets(url)
        self._limits = _limits(project)
        # What is sent with the next question, or with the end of the transaction.
        self._waiting: list[tuple[bytes, Sequence[object] | None, Reply | None]] = []
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
        self._waiting = [(b"BEGIN", None, None), (self._limits, None, None)]
        try:
            yield
            self._send(b"COMMIT")
        except BaseException:
            self._waiting.clear()
            with suppress(Unreachable), self._telling():
                self._connection.execute(b"ROLLBACK")
            raise

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """Return what a question yields."""
        return self._send(query.encode(), values).fetchall()

    def later(self, query: str, values: Sequence[object] = ()) -> Reply:
        """Ask a question of a transaction together with the next one."""
        reply = Reply()
        self._waiting.append((query.encode(), values, reply))
        return reply

    def run(self, statement: str, values: Sequence[object] = ()) -> int:
        """Carry out one statement; return how many rows it touched."""
        return self._send(statement.encode(), values).rowcount

    def many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one statement of a transaction for each row, with the next question."""
        self._waiting += [(statement.encode(), row, None) for row in rows]

    def at_once(self, questions: str, values: Mapping[str, object]) -> list[list[Row]]:
        """Return what several questions yield: one message, which is a transaction of its own."""
        from psycopg import ClientCursor

        with self._telling():
            cursor = ClientCursor(self._connection)
            cursor.execute(self._limits + b";" + questions.encode(), values)
            found = []
            while cursor.nextset():  # what comes first are the limits
                found.append(cursor.fetchall())
        return found

    def script(self, statements: str) -> None:
        """Carry out several statements that take no values."""
        self._send(b"SELECT")
        with self._telling():
            self._connection.execute(statements.encode())

    def _send(self, statement: bytes, values: Sequence[object] = ()) -> Cursor[Row]:
        """Carry out a statement, and before it whatever waits, in one round trip."""
        waiting, self._waiting = self._waiting, []
        with self._telling():
            if not waiting:
                return self._connection.execute(statement, values or None)
            with self._connection.pipeline():
                made = [
                    (self._connection.execute(words, given or None), reply)
                    for words, given, reply in waiting
                ]
                last = self._connection.execute(statement, values or None)
            for cursor, reply in made:
                if reply is not None:
                    reply.rows = cursor.fetchall()
            return last

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


def _limits(project: str) -> bytes:
    """Return the second statement of a transaction: its limits, and whose rows it is about.

    The limits belong to the transaction, since behind a pooler the session is not ours.
    """
    from psycopg import sql

    text = sql.SQL(
        "SELECT set_config('keyhole.project', {project}, true),"
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
