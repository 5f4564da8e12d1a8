"""Large and awkward input costs a bounded amount of time and memory."""

import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from keyhole.refusals import Refused
from keyhole.workspace.tree import TreeOptions
from tests.workspace.scene import Scene, create, edit

# Measured in processor seconds: a busy machine is not a bug.
SECONDS = 2.0
MEMORY = 512 << 20

EDIT = """
import sys
from pathlib import Path
from tests.memory import peak_memory
from tests.workspace.scene import Scene, edit
edit(Scene(Path(sys.argv[1])).open(), "a.txt", sys.argv[2], sys.argv[3])
print(peak_memory())
"""


def test_a_file_of_a_million_lines_is_edited_in_time(scene: Scene) -> None:
    scene.put("a.txt", b"".join(b"line %d\n" % number for number in range(1_000_000)))
    tree = scene.open()

    start = time.process_time()
    edit(tree, "a.txt", "line 500000\n", "LINE\n")

    assert time.process_time() - start < SECONDS


def test_the_largest_file_is_edited_within_memory(scene: Scene) -> None:
    scene.put("a.txt", b"start\n" + b"x" * (31 << 20) + b"\nend\n")
    command = [sys.executable, "-c", EDIT, str(scene.home), "start", "begin"]

    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)

    assert int(done.stdout) < MEMORY
    with (scene.root / "a.txt").open("rb") as file:
        assert file.read(6) == b"begin\n"


def test_a_line_of_a_hundred_megabytes_is_refused_at_once(scene: Scene) -> None:
    path = scene.put("a.txt", b"")
    with path.open("r+b") as file:
        file.truncate(100 << 20)
    tree = scene.open()

    start = time.process_time()
    with pytest.raises(Refused) as caught:
        tree.read("a.txt")

    assert [refusal.code for refusal in caught.value.refusals] == ["too-large"]
    assert time.process_time() - start < 0.5


def test_a_deep_tree_is_walked_without_a_deep_stack(scene: Scene) -> None:
    path = "/".join(["d"] * 90)
    scene.put(f"{path}/a.txt", "x")

    assert list(scene.open().walk()) == [f"{path}/a.txt"]


def test_descriptors_are_given_back(scene: Scene) -> None:
    for number in range(40):
        scene.put(f"d{number}/a.txt", "old")
    tree = scene.open()
    create(tree, "warm.txt", "x")
    before = _open_below(scene.home)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    for number in range(40):
        edit(tree, f"d{number}/a.txt", "old", "new")
        with pytest.raises(Refused):
            edit(tree, f"d{number}/../../x", "old", "new")
        with pytest.raises(Refused):
            tree.read("missing")
    list(tree.walk())

    assert _open_below(scene.home) == before
    assert (soft, hard) == resource.getrlimit(resource.RLIMIT_NOFILE)


def _open_below(home: Path) -> int:
    """Count this process's descriptors of files below a directory."""
    found = 0
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found += each.readlink().is_relative_to(home)
    return found


def test_a_directory_of_many_files_is_walked_in_time(scene: Scene) -> None:
    for number in range(5000):
        (scene.root / f"f{number}").touch()
    scene.put(".gitignore", "".join(f"*a{n}*b{n}*\n" for n in range(50)))
    tree = scene.open(TreeOptions(read_only=True))

    start = time.process_time()
    found = sum(1 for _ in tree.walk())

    assert found == 5001
    assert time.process_time() - start < SECONDS
    assert [path.name for path in scene.home.iterdir()] == ["root"]
