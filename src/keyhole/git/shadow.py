"""A repository of ours over somebody's files: git's own engine, and nothing of the project's git.

Git is told where everything is, so it reads neither the configuration nor the attributes, hooks,
index or alternates of the repository that it looks into. What lies in the tree itself is overruled
by `info/attributes`, which comes before every `.gitattributes`: bytes are kept as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from keyhole.fastclasses import dataclass
from keyhole.git import command
from keyhole.git.ignored import excluded
from keyhole.git.pipes import Pipes

if TYPE_CHECKING:
    import subprocess

# A look at a large tree on a slow disk takes long, and nothing waits for another program.
_SECONDS = 600.0
_CONFIGURATION = """\
[core]
	repositoryformatversion = 0
	bare = false
	fileMode = true
	ignoreCase = false
	precomposeUnicode = false
	protectNTFS = false
	protectHFS = false
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	autocrlf = false
	safecrlf = false
	splitIndex = false
	untrackedCache = true
	preloadIndex = true
	logAllRefUpdates = false
[index]
	version = 4
[status]
	showUntrackedFiles = all
	renames = false
[submodule]
	recurse = false
[gc]
	auto = 0
[maintenance]
	auto = false
"""
_ATTRIBUTES = b"* -text -crlf -ident !eol !filter !working-tree-encoding !diff !merge\n"
_PLACES = ("objects/info", "objects/pack", "refs/heads", "info")
_HEAD = b"ref: refs/heads/now\n"
_LOCKS = ("index.lock", "HEAD.lock", "refs/heads/now.lock", "config.lock")
_STATUS = ("status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=all")
_STAGED = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "HEAD")
# One pack for all files of a first look, not a file for each.
_ONE_PACK = ("-c", "core.bigFileThreshold=1", "-c", "core.compression=1", "-c", "core.fsync=none")
_NOBODY = "0" * 40
# How many paths a command is given as words.
_AT_ONCE = 200
PROGRAM, LINK = "100755", "120000"


class GitFailed(Exception):  # noqa: N818 - it names what happened
    """Git did not do what it was asked to do; the message is git's."""


@dataclass(frozen=True, slots=True)
class StagedChange:
    """A file that differs from the last kept tree: its blobs and modes, "" where there is none."""

    path: str
    before: str
    after: str
    mode_before: str = ""
    mode_after: str = ""


class ShadowRepository:
    """A bare repository in a directory of ours, over the files of a tree; one caller at a time."""

    def __init__(self, directory: Path, tree: str, held: Sequence[int] = ()) -> None:
        self.directory = directory
        self._tree, self._held = tree, tuple(held)
        self._pipes = Pipes(tree, directory / "pipes")
        who = {f"GIT_{one}_{two}": "keyhole" for one in _WHO for two in ("NAME", "EMAIL")}
        self._environment: Mapping[str, str] = {
            **who,
            "GIT_DIR": str(directory),
            "GIT_WORK_TREE": tree,
            "GIT_INDEX_FILE": str(directory / "index"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "1",
        }

    @property
    def is_there(self) -> bool:
        """Tell whether a tree was kept here."""
        return (self.directory / "refs/heads/now").is_file()

    def make(self) -> None:
        """Make what is missing, and clear away what a killed git left; git itself is not run."""
        for place in _PLACES:
            (self.directory / place).mkdir(0o700, parents=True, exist_ok=True)
        _put(self.directory / "config", self._configuration().encode("utf-8", "surrogateescape"))
        _put(self.directory / "info/attributes", _ATTRIBUTES)
        _put(self.directory / "info/exclude", excluded(self._tree))
        if not (self.directory / "HEAD").exists():
            _put(self.directory / "HEAD", _HEAD)
        for name in _LOCKS:
            (self.directory / name).unlink(missing_ok=True)

    def _configuration(self) -> str:
        # What the user ignores everywhere; the repository's own settings are not asked.
        file = self.directory / "ignored-everywhere"
        if not file.exists():
            words = ["config", "--global", "--includes", "--type=path", "core.excludesFile"]
            more = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": os.devnull}
            done = command.run(words, 10.0, more=more, at=str(self.directory))
            file.write_bytes(done.stdout.rstrip(b"\n"))
        name = file.read_bytes().decode("utf-8", "surrogateescape")
        if not name or any(each in name for each in '"\\\n'):
            return _CONFIGURATION
        return f'{_CONFIGURATION}[core]\n\texcludesFile = "{name}"\n'

    def is_sound(self) -> bool:
        """Tell whether what is kept can be read; a git that cannot run does not tell."""
        try:
            self._run("version")
        except GitFailed:
            return True
        try:
            self._run("ls-files", "-s")
            self._run("fsck", "--no-dangling", "--no-progress")
        except GitFailed:
            return False
        return True

    def begin_again(self) -> None:
        """Forget what is kept."""
        import shutil  # it loads more than a hook does otherwise

        for name in ("index", "HEAD", "refs", "objects"):
            place = self.directory / name
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        self.make()

    @contextmanager
    def asked(self) -> Iterator[Callable[[], tuple[list[str], list[str]]]]:
        """Ask git what differs from the last kept tree; the answer waits for it.

        The answer is the kept files that changed or are gone, and those that are new.
        """
        with ExitStack() as ended:
            try:
                asking = command.started(
                    _STATUS, more=self._environment, keeping=self._held, at=str(self.directory)
                )
                git = ended.enter_context(asking)
            except OSError as error:
                raise GitFailed(f"git {_STATUS[0]}: {error}") from error

            def answer() -> tuple[list[str], list[str]]:
                try:
                    done = git.finished(_SECONDS, pipes=self._pipes)
                except OSError as error:
                    raise GitFailed(f"git {_STATUS[0]}: {error}") from error
                return _sorted(_output(_STATUS[0], done))

            yield answer

    def changed(self) -> tuple[list[str], list[str]]:
        """Return the kept files that differ from the last kept tree, and those that are new."""
        with self.asked() as answer:
            return answer()

    def stage(self, paths: Iterable[str], gone: Iterable[str] = ()) -> None:
        """Take files as they stand into the index; those in `gone` leave it whatever stands."""
        left = _joined(gone)
        if left:
            self._run("update-index", "-z", "--force-remove", "--stdin", data=left)
        taken = _joined(paths)
        if taken:
            first = () if self.is_there else _ONE_PACK
            words = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
            self._run(*first, *words, data=taken)

    def staged(self) -> list[StagedChange]:
        """Return how the index differs from the last kept tree."""
        if not self.is_there:
            return []
        pieces = self._run(*_STAGED).split(b"\0")
        return [
            _staged(line.decode("ascii"), os.fsdecode(path))
            for line, path in zip(pieces[::2], pieces[1::2], strict=False)
        ]

    def kept(self, paths: Sequence[str]) -> list[StagedChange]:
        """Return files as they stand in the index, each as a change that changes nothing."""
        found: dict[str, tuple[str, str]] = {}
        for begin in range(0, len(paths), _AT_ONCE):
            words = ("--literal-pathspecs", "ls-files", "-s", "-z", "--")
            for line in self._run(*words, *paths[begin : begin + _AT_ONCE]).split(b"\0")[:-1]:
                words_of, _, path = line.partition(b"\t")
                mode, blob, _ = words_of.decode("ascii").split(" ")
                found[os.fsdecode(path)] = blob, mode
        nothing = "", ""
        pairs = ((path, *found.get(path, nothing)) for path in paths)
        return [StagedChange(path, blob, blob, mode, mode) for path, blob, mode in pairs]

    def new(self, paths: Sequence[str]) -> frozenset[str]:
        """Return those of some files that are there, and neither kept nor ignored."""
        found = set[str]()
        for begin in range(0, len(paths), _AT_ONCE):
            words = ("--literal-pathspecs", "ls-files", "-o", "--exclude-standard", "-z", "--")
            lines = self._run(*words, *paths[begin : begin + _AT_ONCE]).split(b"\0")
            found.update(map(os.fsdecode, lines))
        return frozenset(found & {*paths})

    def keep(self) -> str:
        """Make the index the kept tree, and return its name; trees before it may be pruned."""
        tree = self._run("write-tree").decode("ascii").strip()
        commit = self._run("commit-tree", tree, "-m", "kept").decode("ascii").strip()
        self._run("update-ref", "refs/heads/now", commit)
        return tree

    def prune(self) -> None:
        """Drop what no longer stands in the kept tree, and pack the rest."""
        self._run("repack", "-a", "-d", "-q")
        self.drop()

    def drop(self) -> None:
        """Drop what no longer stands in the kept tree, as far as it is not packed."""
        self._run("prune", "--expire=now")

    def reading(self) -> BlobReader:
        """Return a reader of kept files; close it."""
        return BlobReader(self._environment, self._held, str(self.directory))

    def _run(self, *words: str, data: bytes = b"") -> bytes:
        done = command.run(
            words,
            _SECONDS,
            data=data,
            more=self._environment,
            keeping=self._held,
            at=str(self.directory),
            pipes=self._pipes,
        )
        return _output(words[0], done)


def _output(word: str, done: command.Finished) -> bytes:
    """Return what git said, or raise what went wrong."""
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().split("\n")
        raise GitFailed(f"git {word}: {lines[-1] or done.returncode}")
    return done.stdout


def _sorted(status: bytes) -> tuple[list[str], list[str]]:
    kept, new = [], []
    for line in status.split(b"\0"):
        kind, _, rest = line.partition(b" ")
        if kind == b"?":
            new.append(os.fsdecode(rest))
        elif kind == b"1":
            kept.append(os.fsdecode(rest.split(b" ", 7)[7]))
    return kept, new


_WHO = ("AUTHOR", "COMMITTER")


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _staged(line: str, path: str) -> StagedChange:
    mode_before, mode_after, before, after, _ = line.removeprefix(":").split(" ")
    names = ["" if name == _NOBODY else name for name in (before, after)]
    modes = ["" if mode == "000000" else mode for mode in (mode_before, mode_after)]
    return StagedChange(path, *names, *modes)


def _put(path: Path, data: bytes) -> None:
    """Write a file of ours unless it says so already, complete or not at all."""
    with suppress(FileNotFoundError):
        if path.read_bytes() == data:
            return
    beside = path.with_name(f"{path.name}.tmp")
    beside.write_bytes(data)
    beside.replace(path)


class BlobReader:
    """One git that hands out blobs by their names, one after the other."""

    def __init__(self, more: Mapping[str, str], held: Sequence[int], at: str) -> None:
        self._more, self._held, self._at = more, held, at
        self._git: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Return the reader; git is started by the first question."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let git go."""
        if self._git is not None:
            self._git.communicate()

    def read(self, name: str) -> bytes:
        """Return the bytes of a blob."""
        git = self._started()
        asked, told = _pipe(git.stdin), _pipe(git.stdout)
        asked.write(f"{name}\n".encode("ascii"))
        asked.flush()
        words = told.readline().split()
        if len(words) != 3 or words[1] != b"blob":
            raise GitFailed(f"git cat-file: {name} is not kept")
        size = int(words[2])
        data = told.read(size + 1)
        if len(data) != size + 1:  # git died in between, and a part is no text of anybody
            raise GitFailed(f"git cat-file: {name} ended early")
        return data[:-1]

    def _started(self) -> subprocess.Popen[bytes]:
        if self._git is None:
            self._git = command.begun(["cat-file", "--batch"], self._more, self._held, self._at)
        return self._git


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "BUG: git was started with pipes"
    return pipe
