import os
import shutil
from pathlib import Path

import pytest

from keyhole.engine.root import check_served, find_root, nested
from keyhole.journal.place import workspace_id
from keyhole.refusals import Refused


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}


def give_journal(environment: dict[str, str], root: Path) -> None:
    state = Path(environment["XDG_STATE_HOME"], "keyhole", workspace_id(str(root)))
    state.mkdir(parents=True)
    (state / "journal.db").write_bytes(b"")


def made(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


@pytest.mark.parametrize("mark", ["keyhole.toml", ".git"])
def test_the_nearest_directory_with_a_mark_is_the_root(
    tmp_path: Path, environment: dict[str, str], mark: str
) -> None:
    inner = made(tmp_path / "repo" / "src" / "deep")
    (tmp_path / "repo" / mark).write_text("", encoding="utf-8")

    assert find_root(inner, environment) == tmp_path / "repo"


def test_a_journal_makes_a_root_and_the_nearest_one_counts(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    inner = made(tmp_path / "repo" / "src" / "deep")
    give_journal(environment, tmp_path / "repo")
    outer = find_root(inner, environment)
    give_journal(environment, tmp_path / "repo" / "src")

    assert (outer, find_root(inner, environment)) == (tmp_path / "repo", tmp_path / "repo" / "src")


def test_without_a_mark_the_directory_itself_is_the_root(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    here = made(tmp_path / "a" / "b")

    assert find_root(here, environment) == here


@pytest.mark.parametrize("mark", ["keyhole.toml", ".git", "journal"])
def test_the_home_directory_is_no_root_of_what_is_below_it(
    environment: dict[str, str], mark: str
) -> None:
    home = Path(environment["HOME"])
    here = made(home / "notes")
    if mark == "journal":
        give_journal(environment, home)
    else:
        (home / mark).write_text("", encoding="utf-8")

    assert find_root(here, environment) == here


def test_nothing_above_the_home_directory_is_a_root(environment: dict[str, str]) -> None:
    home = Path(environment["HOME"])
    made(home.parent / ".git")
    here = made(home / "notes")

    assert find_root(here, environment) == here


@pytest.mark.parametrize("below", [".", ".."])
def test_the_home_directory_and_what_is_above_have_to_be_named(
    environment: dict[str, str], below: str
) -> None:
    home = Path(environment["HOME"])
    (home / ".git").mkdir()

    with pytest.raises(Refused) as refused:
        find_root(home / below, environment)

    [refusal] = refused.value.refusals
    here = os.path.realpath(home / below)
    assert refusal.code == "path-denied"
    assert refusal.help == f"change into a project, or name the directory with --root {here}"


def test_a_link_to_the_home_directory_is_the_home_directory(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "link").symlink_to(environment["HOME"])

    with pytest.raises(Refused):
        find_root(tmp_path / "link", environment)


def test_a_directory_of_another_user_is_no_root(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = made(tmp_path / "repo" / "src")
    made(tmp_path / "repo" / ".git")
    monkeypatch.setattr(os, "geteuid", lambda: here.stat().st_uid + 1)

    assert find_root(here, environment) == here


def test_a_directory_of_another_file_system_is_no_root(environment: dict[str, str]) -> None:
    shared = Path("/dev/shm")
    assert shared.stat().st_dev != Path("/").stat().st_dev

    assert find_root(shared, environment) == shared


def test_workspaces_above_and_below_are_found(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = made(tmp_path / "repo" / "src" / "deep")
    for each in (tmp_path, tmp_path / "repo", inner):
        give_journal(environment, each)

    assert nested(str(tmp_path / "repo"), environment) == (str(tmp_path), str(inner))
    monkeypatch.setattr("keyhole.engine.root._MOST_DIRECTORIES", 0)
    assert nested(str(tmp_path / "repo"), environment) == (str(tmp_path),)
    shutil.rmtree(tmp_path / "state")
    assert nested(str(tmp_path / "repo"), environment) == ()


def test_a_relative_root_that_is_the_home_directory_is_not_served(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(environment["HOME"])
    check_served(environment["HOME"], environment)

    with pytest.raises(Refused):
        check_served(".", environment)
