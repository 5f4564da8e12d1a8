"""Settings: what a workspace is for, and the one article of it."""

from pathlib import Path

import pytest

from keyhole.engine.settings import load
from keyhole.refusals import Refused


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A root, and an environment whose configuration is its own."""
    (tmp_path / "root").mkdir()
    (tmp_path / "config" / "keyhole").mkdir(parents=True)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return tmp_path, home


def settings(places: tuple[Path, dict[str, str]], user: str, own: str) -> tuple[str, str]:
    base, environment = places
    (base / "config" / "keyhole" / "config.toml").write_text(user, encoding="utf-8")
    (base / "root" / "keyhole.toml").write_text(own, encoding="utf-8")
    found = load(base / "root", environment)
    return found.task_mode, found.article


@pytest.mark.parametrize(
    ("user", "own", "both"),
    [
        ("", "modify", "modify"),
        ("modify", "", "modify"),
        ("analyze", "execute", "analyze"),
        ("execute", "analyze", "analyze"),
        ("generate", "modify", "analyze"),
        ("modify", "research", "research"),
    ],
)
def test_the_workspace_s_own_file_allows_no_more_than_the_user_does(
    places: tuple[Path, dict[str, str]], user: str, own: str, both: str
) -> None:
    texts = [f'task_mode = "{mode}"\n' if mode else "" for mode in (user, own)]

    assert settings(places, *texts) == (both, "")


def test_the_user_s_article_is_the_article(places: tuple[Path, dict[str, str]]) -> None:
    assert settings(places, 'article = "a.md"\n', 'article = "b.md"\n') == ("", "a.md")
    assert settings(places, "", 'article = "b.md"\n') == ("", "b.md")


def test_a_mode_that_there_is_not_is_refused(places: tuple[Path, dict[str, str]]) -> None:
    with pytest.raises(Refused) as caught:
        settings(places, "", 'task_mode = "destroy"\n')

    assert caught.value.refusals[0].headline.endswith(
        "sets `task_mode` to 'destroy'; it is one of research, generate, modify, execute, analyze"
    )
