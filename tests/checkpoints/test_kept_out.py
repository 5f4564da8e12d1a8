import os
from pathlib import Path

import pytest

from keyhole.checkpoints.kept_out import REDACTED, is_secret, listed, redacted
from tests.scene import put


@pytest.mark.parametrize(
    "path", [".env", "a/.env.local", "x/server.pem", "id_rsa", "b/credentials.json", ".npmrc"]
)
def test_files_of_secrets_are_known_by_their_names(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", [".env.example", "environment.py", "keys.py", "secret.py", "a/b"])
def test_other_files_are_not(path: str) -> None:
    assert not is_secret(path)


def test_what_is_not_kept_says_why(tmp_path: Path) -> None:
    put(tmp_path, "large", "x" * 20), put(tmp_path, "small", "x"), put(tmp_path, "d/e", "x")
    (tmp_path / "link").symlink_to("small")
    (tmp_path / ".env").write_text("x", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")

    def why(path: str) -> str:
        found = listed(str(tmp_path), path, 10)
        return found.why if found else ""

    names = ("large", "small", "link", ".env", "d/", "gone", "pipe", "d")
    reasons = ["large", "", "link", "secret", "repository", "", "special", ""]
    assert [why(name) for name in names] == reasons


def test_what_cannot_be_read_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "theirs", "x")
    monkeypatch.setattr("os.access", lambda *_: False)  # who runs as root can read everything

    found = listed(str(tmp_path), "theirs", 10)

    assert found is not None
    assert found.why == "unreadable"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("TOKEN=abc make", f"TOKEN={REDACTED} make"),
        ("x --password 'a b' y", f"x --password {REDACTED} y"),
        ('curl -H "Authorization: Bearer abcdefgh123"', "Bearer " + REDACTED),
        ("git clone https://me:pw@host/x", f"https://me:{REDACTED}@host/x"),
        ("echo ghp_" + "a" * 30, f"echo {REDACTED}"),
        ("make test", "make test"),
    ],
)
def test_secrets_in_commands_are_left_out(said: str, shown: str) -> None:
    assert shown in redacted(said)
