"""A PostgreSQL server of the tests' own: in a temporary directory, on a port of loopback."""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

_SETTINGS = {
    "fsync": "off",  # the tests kill the server, never the machine
    "max_connections": "150",
    "shared_buffers": "64MB",
    "autovacuum": "off",
    "log_min_messages": "fatal",
    "unix_socket_directories": "",
}
# Below those that systems hand out to whoever asks for any port.
_PORTS = range(15_000, 30_000)


class PostgresServer:
    """One cluster that can be started, stopped and killed."""

    def __init__(self, home: Path, port: int, listen: str = "127.0.0.1") -> None:
        self.data = home / "data"
        self.home, self.port, self.listen = home, port, listen

    def url(self, database: str, user: str = "keyhole", password: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def make(self) -> None:
        _run(
            self.home, "initdb", "-D", self.data, "-U", "keyhole", "-A", "trust", "-E", "UTF8", "-N"
        )
        settings = {**_SETTINGS, "port": str(self.port), "listen_addresses": self.listen}
        lines = "".join(f"{name} = '{value}'\n" for name, value in settings.items())
        with (self.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write(lines)
        with (self.data / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write("host all all 10.0.0.0/8 trust\n")

    def start(self) -> None:
        _run(
            self.home, "pg_ctl", "-D", self.data, "-w", "-t", "60", "-l", self.home / "log", "start"
        )

    def stop(self) -> None:
        _run(self.home, "pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def kill(self) -> None:
        """Kill the server and everything it runs, as a machine that goes down would."""
        pid = int((self.data / "postmaster.pid").read_text(encoding="utf-8").split("\n")[0])
        os.kill(pid, signal.SIGQUIT)
        while Path(f"/proc/{pid}").exists():
            select_nothing(0.02)

    def cut(self) -> int:
        """Cut every connection but our own; return how many."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            return connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'keyhole'"
            ).rowcount

    def database(self, name: str) -> str:
        """Make an empty database and return its address."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)


def select_nothing(seconds: float) -> None:
    """Let some time go by while another process does its work."""
    import select

    select.select([], [], [], seconds)


@contextmanager
def running(listen: str = "127.0.0.1") -> Iterator[PostgresServer]:
    """Run a server for as long as the block lasts."""
    home = Path(tempfile.mkdtemp(prefix="keyhole-postgres-", dir="/tmp"))
    home.chmod(0o755)
    _give(home)
    with _own_port() as port:
        server = PostgresServer(home, port, listen)
        try:
            server.make()
            server.start()
            yield server
        finally:
            if (server.data / "postmaster.pid").exists():
                server.stop()
            shutil.rmtree(home, ignore_errors=True)


def _run(home: Path, program: str, *words: str | Path) -> None:
    user = _user()
    done = subprocess.run(
        [_program(program), *map(str, words)],
        cwd=home,
        user=user,
        group=pwd.getpwuid(user).pw_gid if user is not None else None,
        extra_groups=[] if user is not None else None,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, f"{program} failed with {done.returncode}"


def _user() -> int | None:
    """Return whom the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return names.get("postgres", names["nobody"])


def _give(path: Path) -> None:
    user = _user()
    if user is not None:
        os.chown(path, user, pwd.getpwuid(user).pw_gid)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found:
        return found
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(versions[-1])


@contextmanager
def _own_port() -> Iterator[int]:
    """Keep a port for a server that comes and goes.

    One that the system hands out could go to somebody else while the server is away.
    """
    with socket.socket(socket.AF_UNIX) as claim:
        for port in random.sample(_PORTS, len(_PORTS)):
            with suppress(OSError), socket.socket() as probe:
                probe.bind(("", port))
                claim.bind(f"\0keyhole-tests-{port}")
                break
        else:
            raise AssertionError("no port is free")
        yield port
