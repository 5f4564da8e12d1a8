"""Settings: what the user says reaches the workspace, and what only the user may say."""

import json
import os
from pathlib import Path

import pytest

from keyhole.engine.hooks.hook import take_hook
from keyhole.engine.opening import open_place
from keyhole.engine.settings import ignored, load
from keyhole.journal.model import Retention
from keyhole.refusals import Refused


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of a user whose configuration and state are their own."""
    for name in ("config", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    (tmp_path / "config" / "keyhole").mkdir(parents=True)
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def kept(root: Path, said: str) -> Retention:
    file = root.parent / "config" / "keyhole" / "config.toml"
    file.write_text(said, encoding="utf-8")
    engine = open_place(root).engine
    engine.close()
    return engine._tree.options.retention


def test_the_user_says_how_much_of_the_history_is_kept(root: Path) -> None:
    assert kept(root, "keep_days = 7\nkeep_bytes = 1000000\n") == Retention(7 * 86400.0, 1000000)
    assert kept(root, "keep_days = 7\n") == Retention(seconds=7 * 86400.0)
    assert kept(root, "") == Retention()


@pytest.mark.parametrize("name", ["keep_days", "keep_bytes"])
def test_a_workspace_does_not_say_how_much_of_the_history_is_kept(root: Path, name: str) -> None:
    (root / "keyhole.toml").write_text(f"{name} = 1\n", encoding="utf-8")

    with pytest.raises(Refused) as caught:
        open_place(root)

    told = f"{root / 'keyhole.toml'} sets `{name}`, which only the user may set"
    assert caught.value.refusals[0].headline == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('cobol = "x"', "`language_servers.cobol`, which is no language of a server; these are: "),
        ('python = "./pyright"', "`language_servers.python` to './pyright', no full path or "),
        ('python = "gopls"', "`language_servers.python` to 'gopls', no full path or name of a "),
    ],
)
def test_what_is_no_server_of_a_language_is_refused(root: Path, said: str, told: str) -> None:
    with pytest.raises(Refused) as caught:
        kept(root, f"language_servers = {{{said}}}\n")

    assert f" sets {told}" in str(caught.value.refusals[0].headline)


def test_a_workspace_names_its_project_only_while_it_is_trusted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another name would show what another project did."""
    own = root / "keyhole.toml"
    own.write_text('project = "theirs"\n', encoding="utf-8")

    def shared() -> tuple[str, bool]:
        engine = open_place(root, journal="postgresql://db.example.org/team?sslmode=require").engine
        engine.close()
        sharing = engine._tree.options.sharing
        assert sharing is not None
        return sharing.project, sharing.ignores_project

    def warnings() -> tuple[str, ...]:
        address = "postgresql://db.example.org/team?sslmode=require"
        monkeypatch.setenv("KEYHOLE_JOURNAL", address)
        told = ignored(root)
        monkeypatch.delenv("KEYHOLE_JOURNAL")
        return told

    def trust() -> None:
        place = open_place(root)
        place.engine.administration.trust()
        place.close()

    assert shared() == ("", True)
    assert warnings() == (f"{own} sets `project`, which counts after `keyhole trust`",)
    trust()
    assert shared() == ("theirs", False)
    assert warnings() == ()
    own.write_text('project = "others"\n', encoding="utf-8")
    assert shared() == ("", True)


@pytest.mark.parametrize("name", ["KEYHOLE_PROJECT", "KEYHOLE_JOURNAL", "KEYHOLE_MACHINE"])
def test_a_variable_that_is_no_text_is_refused_by_name(root: Path, name: str) -> None:
    with pytest.raises(Refused) as caught:
        load(root, {"HOME": str(root), name: "a\udcff"})

    assert caught.value.refusals[0].headline == f"the environment variable {name} is not UTF-8"


def test_a_workspace_for_reading_is_not_looked_at(root: Path) -> None:
    (root / "keyhole.toml").write_text("read_only = true\n", encoding="utf-8")
    said = json.dumps({"cwd": str(root)}).encode()

    assert take_hook("codex", said, os.environ) == ""

    place = open_place(root)
    assert not place.engine.checkpoints.is_observed
    place.close()


def test_nobodys_home_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)

    with pytest.raises(Refused) as caught:
        load(root, {})
    assert caught.value.refusals[0].help == "set HOME or XDG_STATE_HOME"
