import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole import Edit, Workspace
from keyhole.engine.history.export import series
from keyhole.journal.model import Query

pytestmark = pytest.mark.needs("git")


def git(directory: Path, *words: str, feed: bytes = b"") -> str:
    who = ["-c", "user.name=tester", "-c", "user.email=tester@localhost"]
    done = subprocess.run(
        ["git", *who, *words], cwd=directory, input=feed, capture_output=True, check=False
    )
    assert done.returncode == 0, done
    return done.stdout.decode()


def contents(directory: Path) -> dict[str, bytes]:
    files = [path for path in directory.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


class Scene:
    """A workspace, and a git repository that begins as its copy."""

    def __init__(self, base: Path, files: dict[str, bytes]) -> None:
        self.root, self.copy, self.state = base / "root", base / "copy", base / "state"
        for directory in (self.root, self.copy):
            directory.mkdir(parents=True)
            for name, body in files.items():
                (directory / name).write_bytes(body)
        git(self.copy, "init", "-q")
        git(self.copy, "config", "core.autocrlf", "false")
        git(self.copy, "add", ".")
        git(self.copy, "commit", "-q", "--allow-empty", "-m", "base")

    def export(self, workspace: Workspace) -> bytes:
        return series(workspace._engine._tree.journal, Query(limit=1000))


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))


def test_git_am_repeats_the_history_with_its_reasons(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"a.txt": b"one\ntwo\n", "crlf.txt": b"one\r\ntwo\r\n"})
    with Workspace(scene.root, actor="agént: 1") as workspace:
        edit = Edit(find="two", content="zwei", reason="translate")
        workspace.edit(edit, "a.txt", reason="Größe\nzählt", task="t-1")
        workspace.edit(Edit(find="two", content="zwei"), "crlf.txt")
        workspace.write("new file ü.txt", "From me\nno newline")
        workspace.write("empty.txt", "")
        workspace.write("dos.txt", "one\r\ntwo\r\n")
        workspace.write("a.txt", move_to="b.txt")
        workspace.write("crlf.txt", delete=True)
        box = scene.export(workspace)

    git(scene.copy, "am", "-q", feed=box)

    assert contents(scene.copy) == contents(scene.root)
    messages = git(scene.copy, "log", "--reverse", "--format=%an|%s|%b%x00").split("\0\n")
    assert messages[1].startswith("agént: 1|Größe zählt|- translate\n\nTask: t-1\nTransaction: 1-")
    assert messages[2].startswith("agént: 1|library crlf.txt|Transaction: 2-")
    assert len([message for message in messages if message]) == 8


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.binary(max_size=60), min_size=1, max_size=4))
def test_git_am_gives_the_same_bytes_for_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes]
) -> None:
    files = {f"{number}.bin": body + b"\nx\n" for number, body in enumerate(bodies)}
    scene = Scene(tmp_path_factory.mktemp("series"), files)
    edit = Edit(find="x\n", content="y\nz", match="exact", occurrence="last")
    with Workspace(scene.root) as workspace:
        for name in files:
            # In a file that reads as UTF-16 there may be no such line; the move is always made.
            workspace.edit(edit, name)
            assert workspace.write(name, move_to=f"moved-{name}").ok
        assert workspace.write("moved-0.bin", delete=True).ok
        box = scene.export(workspace)

    git(scene.copy, "am", "-q", feed=box)

    assert contents(scene.copy) == contents(scene.root)


def test_an_executable_file_stays_one(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"run.sh": b"true\n"})
    (scene.root / "run.sh").chmod(0o755)
    (scene.copy / "run.sh").chmod(0o755)
    git(scene.copy, "add", ".")
    git(scene.copy, "commit", "-q", "-m", "mode")
    with Workspace(scene.root) as workspace:
        workspace.write("run.sh", move_to="go.sh")
        box = scene.export(workspace)

    git(scene.copy, "am", "-q", feed=box)

    assert (scene.copy / "go.sh").stat().st_mode & 0o777 == 0o755


def test_an_empty_history_is_an_empty_series(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {})
    with Workspace(scene.root) as workspace:
        assert scene.export(workspace) == b""


@pytest.mark.parametrize("body", [b"true\n", b"true\r\n"], ids=["lf", "crlf"])
def test_a_file_that_became_a_program_is_one_there_too(tmp_path: Path, body: bytes) -> None:
    scene = Scene(tmp_path, {"run.sh": body})
    with Workspace(scene.root) as workspace:
        head = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        back = "diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n"
        lines = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-true\n+false\n"
        assert all(workspace.patch(each).ok for each in (head + lines, back, head))
        box = scene.export(workspace)

    git(scene.copy, "am", "-q", feed=box)

    assert (scene.copy / "run.sh").stat().st_mode & 0o777 == 0o755
    assert contents(scene.copy) == contents(scene.root)
