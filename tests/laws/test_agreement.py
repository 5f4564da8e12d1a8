"""Clean patches of other programs do here what `git apply` and GNU `patch` make of them."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole import Workspace

pytestmark = [pytest.mark.needs("git"), pytest.mark.needs("patch"), pytest.mark.needs("diff")]

Tree = Mapping[str, tuple[bytes, bool]]

NAMES = ("a.txt", "dir/b.txt", "with space.txt", "é ü.txt", 'quo"te.txt', "a/b/deep.txt")
WORDS = (
    "one",
    "two",
    "  three",
    "\tfour",
    "",
    "-- five",
    "++ six",
    "@@ -1 +1 @@",
    "é",
    "$&",
    "\\1",
)
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n"])
RAW = [*(word.encode() for word in WORDS), "café".encode("latin-1")]
LINES = st.lists(st.sampled_from(RAW), max_size=14)
QUIET = {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Draw the bytes of a file: lines with one kind of end or two, the last with or without."""
    lines, end = draw(LINES), draw(ENDS)
    other = draw(st.sampled_from([end, end, b"\n"]))
    text = b"".join(line + (end if at % 3 else other) for at, line in enumerate(lines))
    return text if draw(st.booleans()) else text.removesuffix(b"\n").removesuffix(b"\r")


@st.composite
def changed(draw: st.DrawFn, body: bytes) -> bytes:
    """Draw what a file becomes: a few lines changed, or another file altogether."""
    lines = body.split(b"\n")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        word = draw(st.sampled_from(RAW))
        replaced = draw(st.sampled_from([[word], [word, lines[at]], []]))
        lines = [*lines[:at], *replaced, *lines[at + 1 :]] or [b""]
    return draw(st.sampled_from([b"\n".join(lines), b"\n".join(lines), draw(bodies())]))


@st.composite
def histories(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Draw a tree and what becomes of it: files made, deleted, changed, moved, made programs."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    before: dict[str, tuple[bytes, bool]] = {}
    after: dict[str, tuple[bytes, bool]] = {}
    for name in names:
        body, program = draw(bodies()), draw(st.sampled_from([False, False, True]))
        fate = draw(st.sampled_from(["made", "deleted", "changed", "changed", "mode", "moved"]))
        if fate != "made":
            before[name] = body, program
        if fate in {"made", "mode"}:
            after[name] = body, program != (fate == "mode")
        if fate == "changed":
            after[name] = draw(changed(body)), program
        if fate == "moved":
            after[f"moved/{name}"] = draw(changed(body)), program
    return before, after


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Draw a tree and another one in which files have each other's names, or new ones.

    Each text is long and unlike all others, so that git knows it again by another name.
    """
    names = draw(st.permutations((*NAMES, "b.txt", "new.txt")))
    count = draw(st.integers(2, 5))
    before: dict[str, tuple[bytes, bool]] = {}
    after: dict[str, tuple[bytes, bool]] = {}
    places = draw(st.permutations(names[: count + 2]))
    for at, name in enumerate(names[:count]):
        lines = [f"{name} {at} line {number}".encode() for number in range(12)]
        program = draw(st.booleans())
        before[name] = b"\n".join([*lines, b""]), program
        lines[draw(st.integers(0, 11))] = draw(st.sampled_from([*RAW, lines[0]]))
        fate = draw(st.sampled_from(["moved", "moved", "moved", "stays", "deleted"]))
        if fate != "deleted":
            place = name if fate == "stays" else places[at]
            after.setdefault(place, (b"\n".join([*lines, b""]), draw(st.booleans())))
    return before, after


def write(root: Path, tree: Tree) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, (body, program) in tree.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        file.chmod(0o755 if program else 0o644)


def read(root: Path) -> dict[str, tuple[bytes, bool]]:
    files = [file for file in root.rglob("*") if file.is_file() and ".git" not in file.parts]
    return {
        file.relative_to(root).as_posix(): (file.read_bytes(), bool(file.stat().st_mode & 0o100))
        for file in files
    }


def run(directory: Path, *words: str, feed: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
    environment = {
        **QUIET,
        "PATH": os.environ["PATH"],
        "GIT_CEILING_DIRECTORIES": str(directory.parent),
    }
    done = subprocess.run(
        words, cwd=directory, input=feed, capture_output=True, check=False, env=environment
    )
    assert done.returncode in codes, (words, done.stdout, done.stderr, feed)
    return done.stdout


def git_diff(base: Path, before: Tree, after: Tree, *flags: str) -> bytes:
    """Return what git writes of the difference between two trees."""
    repository = base / "repository"
    run(base, "git", "init", "-q", "repository")
    trees = []
    for tree in (before, after):
        for file in repository.iterdir():
            if file.name != ".git":
                shutil.rmtree(file) if file.is_dir() else file.unlink()
        write(repository, tree)
        run(repository, "git", "-c", "core.autocrlf=false", "add", "-A", ".")
        trees.append(run(repository, "git", "write-tree").decode().strip())
    return run(repository, "git", "diff", "--text", *flags, *trees)


def git_mails(base: Path, trees: list[Tree], *flags: str) -> bytes:
    """Return what `git format-patch` writes of a history, all of its mails in one."""
    repository = base / "mails"
    run(base, "git", "init", "-q", "mails")
    for number, tree in enumerate(trees):
        for file in repository.iterdir():
            if file.name != ".git":
                shutil.rmtree(file) if file.is_dir() else file.unlink()
        write(repository, tree)
        run(repository, "git", "-c", "core.autocrlf=false", "add", "-A", ".")
        author = ("-c", "user.name=a", "-c", "user.email=a@a")
        said = f"commit {number}\n\n- a point\n+ another\n"
        run(repository, "git", *author, "commit", "-q", "--allow-empty", "-m", said)
    since = f"HEAD~{len(trees) - 1}"
    return run(repository, "git", "format-patch", "-q", "--text", "--stdout", *flags, since)


def ours(base: Path, before: Tree, patch: bytes) -> Tree:
    """Carry a patch out with keyhole, and return what is there."""
    root = base / "ours"
    write(root, before)
    with Workspace(root) as workspace:
        receipt = workspace.patch(patch)
    assert receipt.ok, (receipt.as_text(), patch)
    return read(root)


def gnu(base: Path, before: Tree, patch: bytes) -> Tree:
    """Carry a patch out with GNU patch, and return what is there."""
    write(base / "gnu", before)
    run(base / "gnu", "patch", "-p1", "-s", "-f", "--binary", feed=patch)
    return read(base / "gnu")


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))


@given(history=histories(), context=st.integers(1, 4), moves=st.booleans())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_patch_of_git_does_what_git_apply_and_gnu_patch_do(
    history: tuple[Tree, Tree], context: int, *, moves: bool
) -> None:
    before, after = history
    with TemporaryDirectory() as name:
        base = Path(name)
        flags = ["-M20%", "-C", "--find-copies-harder"] if moves else ["--no-renames"]
        patch = git_diff(base, before, after, f"-U{context}", *flags)
        if not patch:
            return
        write(base / "git", before)
        run(base / "git", "git", "apply", "--whitespace=nowarn", feed=patch)

        found = ours(base, before, patch)

        assert found == after
        assert found == read(base / "git")
        # GNU patch does not read the name of an empty file that holds a space.
        if not any(" " in name for name in (*before, *after)):
            assert found == gnu(base, before, patch)


@given(histories(), st.integers(1, 4))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_patch_of_diff_does_what_gnu_patch_does(history: tuple[Tree, Tree], context: int) -> None:
    before, after = ({name: (body, False) for name, (body, _) in tree.items()} for tree in history)
    with TemporaryDirectory() as name:
        base = Path(name)
        write(base / "a", before)
        write(base / "b", after)
        patch = run(base, "diff", "-ruN", f"-U{context}", "--text", "a", "b", codes=(0, 1))
        if not patch:
            return

        assert ours(base, before, patch) == gnu(base, before, patch)


@given(trees=exchanges(), flags=st.sampled_from([["-B", "-M"], ["-B", "-M", "-C"], ["-M"]]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_that_take_each_others_names_do_so_as_git_apply_does_it_and_all_comes_back(
    trees: tuple[Tree, Tree], flags: list[str]
) -> None:
    before, after = trees
    with TemporaryDirectory() as name:
        base = Path(name)
        patch = git_diff(base, before, after, *flags)
        if not patch:
            return
        write(base / "git", before)
        run(base / "git", "git", "apply", "--whitespace=nowarn", feed=patch)
        root = base / "ours"
        write(root, before)
        with Workspace(root) as workspace:
            receipt = workspace.patch(patch)
            found = read(root)
            undone = workspace.undo(receipt.transaction)
            back = read(root)
            redone = workspace.undo(undone.transaction)

            assert receipt.ok, (receipt.as_text(), patch)
            assert found == after == read(base / "git")
            assert (undone.ok, back) == (True, before)
            assert (redone.ok, read(root)) == (True, after)


@given(
    trees=exchanges(),
    last=bodies(),
    flags=st.sampled_from([[], ["--no-prefix"], ["--no-signature", "-B"], ["-U1", "-C"]]),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mails_of_a_history_lead_to_its_last_tree(
    trees: tuple[Tree, Tree], last: bytes, flags: list[str]
) -> None:
    before, after = trees
    edited = {name: (body + b"more\n", program) for name, (body, program) in after.items()}
    history = [before, after, edited, {**before, "new.txt": (last, False)}]
    with TemporaryDirectory() as name:
        patch = git_mails(Path(name), history, *flags)

        assert ours(Path(name), before, patch) == history[-1]


@given(histories(), st.sampled_from([("old", "new"), ("tree-1.0.orig", "tree-1.0")]))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_patch_between_two_directories_does_what_gnu_patch_does(
    history: tuple[Tree, Tree], names: tuple[str, str]
) -> None:
    before, after = ({name: (body, False) for name, (body, _) in tree.items()} for tree in history)
    with TemporaryDirectory() as name:
        base = Path(name)
        write(base / names[0], before)
        write(base / names[1], after)
        patch = run(base, "diff", "-ruN", "--text", *names, codes=(0, 1))
        if not patch:
            return

        assert ours(base, before, patch) == gnu(base, before, patch)
