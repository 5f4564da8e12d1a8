"""Patterns: git itself is the judge, and no pattern takes long."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.storage.paths.globs import Glob, globs_of, read_ignore_lines

pytestmark = pytest.mark.needs("git")

PATHS = [
    "a",
    "a.txt",
    "b/a.txt",
    "b/c/a.txt",
    "build/out.o",
    "src/build/out.o",
    "src/main.c",
    "src/lib/util.c",
    "src/lib/deep/er/util.c",
    "doc/x/y/z.md",
    "doc/z.md",
    "weird [name].txt",
    "star*name",
    "space end ",
    "#hash",
    "!bang",
    "x1",
    "x2",
    "xa",
    "foo/bar/baz",
    "foo/baz",
    "bar/foo/baz",
    ".hidden",
    "dir/.hidden",
    "back\\slash",
    "UPPER.TXT",
    "é.txt",
]
LINES = [
    "a.txt",
    "/a.txt",
    "*.txt",
    "*.o",
    "build/",
    "/build/",
    "build",
    "src/*.c",
    "src/**/*.c",
    "src/**/util.c",
    "**/util.c",
    "**/lib",
    "**/lib/*.c",
    "doc/**",
    "doc/**/z.md",
    "/**/z.md",
    "**",
    "*",
    "/*",
    "x?",
    "x[0-9]",
    "x[!0-9]",
    "x[^0-9]",
    "x[a-]",
    "x[[:digit:]]",
    "x[[:alpha:]]",
    "[",
    "x[",
    "x[]1]",
    "weird \\[name\\].txt",
    "weird?[[]name].txt",
    "star\\*name",
    "space end\\ ",
    "space end ",
    "\\#hash",
    "#hash",
    "\\!bang",
    "foo/**/baz",
    "foo/*/baz",
    "foo**baz",
    "f*o/b*",
    "*a*a*",
    ".*",
    "*.TXT",
    "back\\\\slash",
    "",
    "   ",
    "/",
    "//",
    "a/",
    "é*",
    "[z-a]",
    "x[!]",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if not (root / path).exists():
            (root / path).write_bytes(b"")
    return root


def ignored_by_git(root: Path, lines: list[str]) -> set[str]:
    (root / ".git/info/exclude").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(PATHS),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return set(done.stdout.split("\0")) - {""}


def ignored_by_us(lines: list[str]) -> set[str]:
    globs = read_ignore_lines("\n".join(lines) + "\n")
    return {path for path in PATHS if _ignored(path, globs)}


def _ignored(path: str, globs: tuple[Glob, ...]) -> bool:
    """Follow git: a directory that is ignored takes everything below it along."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        verdict = [
            not glob.negated
            for glob in globs
            if glob.matches("/".join(parts[:depth]), is_directory=depth < len(parts))
        ]
        if verdict and verdict[-1]:
            return True
    return False


@pytest.mark.parametrize("line", LINES)
def test_a_line_ignores_what_git_ignores(repository: Path, line: str) -> None:
    assert ignored_by_us([line]) == ignored_by_git(repository, [line])


@pytest.mark.parametrize(
    "lines",
    [
        ["*.txt", "!a.txt"],
        ["!a.txt", "*.txt"],
        ["/*", "!/src", "/src/*", "!/src/lib"],
        ["build", "!build/out.o"],
        ["# a comment", "", "  ", "*.c\r"],
        ["**/", "!doc/"],
    ],
)
def test_later_lines_win_as_in_git(repository: Path, lines: list[str]) -> None:
    assert ignored_by_us(lines) == ignored_by_git(repository, lines)


@given(st.lists(st.text(st.sampled_from("ab/*?[]!\\-."), max_size=8), min_size=1, max_size=3))
def test_any_line_can_be_read(lines: list[str]) -> None:
    globs = read_ignore_lines("\n".join(lines))

    assert all(glob.covers("a/b") in {True, False} for glob in globs)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 60 + "b", "**/" * 40 + "b", "a*/**/" * 30 + "b", "?*" * 60 + "b", "[a-b]*" * 50 + "c"],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    glob = Glob.of(pattern)
    path = "/".join(["a" * 60] * 60)

    start = time.process_time()
    glob.covers(path)

    assert time.process_time() - start < 2.0


def test_a_brace_stands_for_several_patterns() -> None:
    found = [
        path
        for path in ("a.ts", "b/c.tsx", "d.js", "e.tsxx", "f{x}")
        if any(glob.covers(path) for glob in globs_of("*.{ts,tsx}"))
    ]

    assert found == ["a.ts", "b/c.tsx"]
    assert len(globs_of("{a,b}{c,d}")) == 4
    assert len(globs_of("{" + "a," * 500 + "a}")) == 64
    assert len(globs_of("{a,b")) == 1
