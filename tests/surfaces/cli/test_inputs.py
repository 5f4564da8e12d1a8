"""Inputs that never end, or that nobody writes: each command says so and ends."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import forked
from tests.scene import put

KEYHOLE = [sys.executable, "-m", "keyhole"]
CALLS = {
    "request": ["edit", "--request", "{}"],
    "apply": ["apply", "{}"],
    "content": ["write", "b.txt", "--content-file", "{}"],
    "find": ["edit", "a.txt", "--content", "x", "--find-file", "{}"],
    "call": ["call", "apply_patch", "--request", "{}"],
    "scaffold": ["scaffold", "adr", "c.md", "--vars", "{}"],
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("config", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    put(tmp_path / "root", "a.txt", "old\n")
    return tmp_path / "root"


def run(root: Path, words: Sequence[str], stdin: str = "/dev/null") -> tuple[int, str]:
    with Path(stdin).open("rb") as source:
        done = subprocess.run(
            [*KEYHOLE, *words],
            cwd=root,
            stdin=source,
            env={**os.environ, **forked.counting()},
            capture_output=True,
            timeout=60,
            check=False,
        )
    return done.returncode, (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    ("call", "input_"), [*zip(CALLS, ["pipe", "/dev/zero", "/dev/full"] * 2, strict=True)]
)
def test_an_input_that_is_no_plain_file_is_refused(root: Path, call: str, input_: str) -> None:
    if input_ == "pipe":
        os.mkfifo(root / "pipe")

    code, said = run(root, [word.format(input_) for word in CALLS[call]])

    assert code != 0
    assert f"{input_} is not a regular file" in said
    assert (root / "a.txt").read_text(encoding="utf-8") == "old\n"


def test_standard_input_without_an_end_is_refused(root: Path) -> None:
    code, said = run(root, ["apply"], "/dev/zero")

    assert code != 0
    assert "standard input has more than 67108864 bytes" in said


def test_what_a_shell_puts_in_place_of_a_command_is_read(root: Path) -> None:
    words = f"{' '.join(KEYHOLE)} write b.txt --content-file <(printf 'made\\n')"
    counted = {**os.environ, **forked.counting()}
    done = subprocess.run(["bash", "-c", words], cwd=root, env=counted, timeout=60, check=False)

    assert done.returncode == 0
    assert (root / "b.txt").read_text(encoding="utf-8") == "made\n"


@pytest.mark.parametrize("kind", ["/dev/zero", "/dev/stdin", "pipe", "large", "outside", "deep"])
def test_settings_of_a_clone_hold_nothing_up(root: Path, kind: str) -> None:
    own = root / "keyhole.toml"
    if kind == "pipe":
        os.mkfifo(own)
    elif kind == "large":
        own.write_bytes(b"#" * 65537)
    elif kind == "deep":
        own.write_text(f"extensions = {'[' * 20000}", encoding="utf-8")
    elif kind == "outside":
        put(root.parent, "other.toml", "read_only = true\n")
        own.symlink_to(root.parent / "other.toml")
    else:
        own.symlink_to(kind)

    code, said = run(root, ["read", "a.txt"])

    assert code != 0
    assert "keyhole.toml" in said
    assert "Traceback" not in said


def test_ignore_files_and_templates_of_a_clone_hold_nothing_up(root: Path) -> None:
    put(root, "keyhole.toml", 'templates = "templates"\n')
    (root / "templates").mkdir()
    for place in (".gitignore", "templates/pipe.md.j2", ".git"):
        os.mkfifo(root / place)
    (root / "templates/zero.md.j2").symlink_to("/dev/zero")

    assert run(root, ["search", "old"])[0] == 0
    assert run(root, ["templates"])[0] == 0
    assert run(root, ["scaffold", "pipe", "x.md"])[0] != 0
