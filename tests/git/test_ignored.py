from pathlib import Path

import pytest

from keyhole.git.ignored import excluded
from tests.scene import put
from tests.team import git


def test_a_checkout_says_what_it_ignores_beside_its_tree(tmp_path: Path) -> None:
    assert excluded(str(tmp_path)) == b""
    git(tmp_path, "init", "-q")
    put(tmp_path, ".git/info/exclude", "*.log\n/a\n")

    assert excluded(str(tmp_path)) == b"*.log\n/a\n"


@pytest.mark.parametrize(
    "line",
    ["*.pyc", "node_modules/", "/app/web/out", "app/*/out", "/app/**/out", "**/web/out", "**/out"],
)
def test_what_a_checkout_ignores_is_ignored_in_a_part_of_it(tmp_path: Path, line: str) -> None:
    git(tmp_path, "init", "-q")
    names = ("x.pyc", "node_modules/x", "out", "in/out", "kept", "web/out")
    for name in names:
        put(tmp_path, f"app/web/{name}", "")
    put(tmp_path, ".gitignore", f"# all of it\n{line}\n")
    wanted = ignored(tmp_path, "app/web", names)

    lines = excluded(str(tmp_path / "app/web"))
    git(tmp_path / "app/web", "init", "-q")
    (tmp_path / "app/web/.git/info/exclude").write_bytes(lines)

    assert wanted
    assert ignored(tmp_path / "app/web", "", names) == wanted


def test_nearer_lines_count_more_and_others_not_at_all(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, ".gitignore", "*.log\n/other/out\n/app\n"), put(tmp_path, "app/web/x", "")
    put(tmp_path, "app/.gitignore", "!web/own.log\n/web/\n")

    assert excluded(str(tmp_path / "app/web")).split() == [b"*.log", b"!/own.log"]


def ignored(top: Path, below: str, names: tuple[str, ...]) -> list[str]:
    """Return the files that git itself ignores."""
    seen = git(top / below, "ls-files", "--others", "--exclude-standard").split()
    return [name for name in names if name not in seen]
