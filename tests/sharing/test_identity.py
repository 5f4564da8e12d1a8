import shutil
from pathlib import Path

import pytest

from keyhole.sharing.identity import Checkout, Sharing, checkout_of
from keyhole.sharing.server import Unreachable
from tests.team import Team, git

SHARING = Sharing("postgresql://127.0.0.1/none")


@pytest.fixture(name="team")
def _team(tmp_path: Path) -> Team:
    made = Team(tmp_path, SHARING.url)
    made.begin({"f.txt": "one\n", "app/g.txt": "two\n"})
    return made


def who(root: Path, sharing: Sharing = SHARING) -> Checkout:
    return checkout_of(str(root), root.parent, sharing)


def test_worktrees_and_clones_are_one_project_and_checkouts_of_their_own(team: Team) -> None:
    found = [who(team.main), who(team.worktree("side")), who(team.clone("copy"))]

    first = git(team.main, "rev-list", "--max-parents=0", "HEAD").strip()
    assert {each.project for each in found} == {f"git:{first}"}
    assert len({each.key for each in found}) == 3


def test_a_checkout_is_the_same_one_whoever_asks_and_through_whatever_mount(team: Team) -> None:
    (team.home / "mount").symlink_to(team.main)

    assert who(team.main).key == who(team.home / "mount").key
    assert who(team.main, Sharing(SHARING.url, machine="other")).key == who(team.main).key


def test_a_copied_directory_is_another_checkout_although_it_has_the_mark(team: Team) -> None:
    who(team.main)
    shutil.copytree(team.main, team.home / "copied")

    assert who(team.home / "copied").key != who(team.main).key


def test_a_workspace_below_the_top_names_files_as_the_project_does(team: Team) -> None:
    below = who(team.main / "app")

    assert below.prefix == "app/"
    assert below.outward("g.txt") == b"app/g.txt"
    assert below.inward(b"app/g.txt") == "g.txt"
    assert below.worktree == str(team.main)


def test_a_configured_name_comes_before_the_first_commit(team: Team) -> None:
    assert who(team.main, Sharing(SHARING.url, "ours")).project == "ours"


def test_without_git_a_name_is_needed_and_the_directory_is_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    with pytest.raises(Unreachable, match="KEYHOLE_PROJECT"):
        who(tmp_path / "plain")
    assert who(tmp_path / "plain", Sharing(SHARING.url, "ours")).worktree == str(tmp_path / "plain")


def test_a_shallow_clone_does_not_guess_its_project(team: Team) -> None:
    (team.main / "f.txt").write_text("later\n", encoding="utf-8")
    team.commit(team.main)
    git(team.home, "clone", "-q", "--depth=1", f"file://{team.main}", "shallow")

    with pytest.raises(Unreachable, match="shallow"):
        who(team.home / "shallow")


def test_a_name_of_the_project_that_does_not_count_is_said_not_to(tmp_path: Path) -> None:
    sharing = Sharing(SHARING.url, ignores_project=True)

    with pytest.raises(Unreachable, match=r"no git repository.*with `keyhole trust`"):
        who(tmp_path, sharing)
