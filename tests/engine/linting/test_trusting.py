import hashlib
import os
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.linting.lint import Linting, grant, revoke
from keyhole.engine.options import Options
from keyhole.linters.base import Linter
from keyhole.refusals import Refused
from keyhole.workspace.tree import TreeOptions

CONFIGURATION = "[validators.mine]\n"
SOURCE = hashlib.sha256(CONFIGURATION.encode()).hexdigest()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "keyhole.toml").write_text(CONFIGURATION, encoding="utf-8")
    (root / "a.py").write_text("1\n", encoding="utf-8")
    script = root / "lint.sh"
    script.write_text(f'#!/bin/sh\necho >> "{tmp_path}/canary"\n', encoding="utf-8")
    script.chmod(0o755)
    return tmp_path


def opened(home: Path, *more: Linter, read_only: bool = False) -> Engine:
    mine = Linter("mine", ("./lint.sh", "{path}"), ("python",), input="file", source=SOURCE)
    linting = Linting((*more, mine), dict(os.environ))
    return Engine.open(home / "root", home / "state", TreeOptions(read_only=read_only), linting)


def edit(engine: Engine, find: str, content: str, path: str = "a.py") -> Receipt:
    return engine.edit([Edit(find=find, content=content)], Options(actor="tester"), path)


def runs(home: Path) -> int:
    canary = home / "canary"
    return len(canary.read_text(encoding="utf-8")) if canary.exists() else 0


def test_what_a_workspace_names_does_not_run_until_it_is_trusted(home: Path) -> None:
    engine = opened(home)

    before = edit(engine, "1", "2")
    assert before.outcome == "applied"
    assert before.warnings == (
        "mine did not run: keyhole.toml is not trusted; a person can allow it with `keyhole trust`",
    )
    assert runs(home) == 0
    engine.administration.trust()
    assert edit(engine, "2", "3").warnings == ()
    assert runs(home) == 1
    revoke(engine._tree)
    edit(engine, "3", "4")
    assert runs(home) == 1
    engine.close()


def test_a_changed_keyhole_toml_ends_the_trust_and_the_same_again_renews_it(home: Path) -> None:
    engine = opened(home)
    engine.administration.trust()
    configuration = home / "root" / "keyhole.toml"

    configuration.write_text(f"{CONFIGURATION}# more\n", encoding="utf-8")
    (warning,) = edit(engine, "1", "2").warnings
    assert warning.startswith("mine did not run: keyhole.toml changed since it was trusted; ")
    assert runs(home) == 0
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    edit(engine, "2", "3")
    assert runs(home) == 1
    engine.close()


def test_commands_of_a_version_that_nobody_trusted_do_not_run(home: Path) -> None:
    """The workspace was opened with one version; another one was trusted since."""
    engine = opened(home)
    (home / "root" / "keyhole.toml").write_text("# harmless\n", encoding="utf-8")
    grant(engine._tree, None)

    (warning,) = edit(engine, "1", "2").warnings
    engine.close()

    assert warning.startswith("mine did not run: keyhole.toml changed since the workspace was")
    assert runs(home) == 0


def test_an_agent_that_edits_the_script_ends_the_trust(home: Path) -> None:
    engine = opened(home)
    engine.administration.trust()

    edits = [
        Edit(path="lint.sh", find="#!/bin/sh", content="#!/bin/sh\necho evil"),
        Edit(path="a.py", find="1", content="2"),
    ]
    together = engine.edit(edits, Options(actor="agent"))
    after = edit(engine, "2", "3")
    engine.close()

    for receipt in (together, after):
        assert receipt.outcome == "applied"
        (warning,) = receipt.warnings
        assert warning.startswith("mine did not run: lint.sh changed since it was trusted; ")
    assert runs(home) == 0


def test_an_agent_cannot_edit_keyhole_toml(home: Path) -> None:
    engine = opened(home)

    receipt = edit(engine, "mine", "evil", "keyhole.toml")
    engine.close()

    assert [refusal.code for refusal in receipt.refusals] == ["protected-path"]


def test_the_users_own_linter_of_a_name_gives_way_to_a_trusted_one_only(home: Path) -> None:
    users = Linter("mine", ("no-such-tool",), ("python",))
    engine = opened(home, users)

    assert "mine was not run: there is no program `no-such-tool`" in edit(engine, "1", "2").warnings
    engine.administration.trust()
    assert edit(engine, "2", "3").warnings == ()
    assert runs(home) == 1
    engine.close()


def test_the_answer_says_what_may_run_and_until_when(home: Path) -> None:
    engine = opened(home)
    trusted = engine.administration.trust()
    engine.close()

    script = trusted.files["lint.sh"]
    assert trusted.as_data() == {
        "root": str(home / "root"),
        "trusted": True,
        "files": {"keyhole.toml": SOURCE, "lint.sh": script},
        "commands": {"mine": ["./lint.sh", "{path}"]},
    }
    assert trusted.as_text().split("\n") == [
        f"{home / 'root'} is trusted as long as these files stay as they are:",
        f"  keyhole.toml {SOURCE[:16]}",
        f"  lint.sh {script[:16]}",
        "What runs for it when a file is edited:",
        "  mine: ./lint.sh {path}",
    ]


def test_a_workspace_that_is_only_read_is_not_trusted(home: Path) -> None:
    engine = opened(home, read_only=True)

    with pytest.raises(Refused, match=r"^read-only: "):
        engine.administration.trust()
    with pytest.raises(Refused, match=r"^read-only: "):
        revoke(engine._tree)
    engine.close()


def test_linters_that_run_code_of_the_tree_need_the_word_also_when_the_user_names_them(
    home: Path,
) -> None:
    script = ("sh", "-c", f'echo >> "{home}/canary"', "sh")
    runner = Linter("eslint", script, ("python",), input="file", runs_tree=True)
    reader = Linter("ruff", ("true",), ("python",), input="file")
    engine = opened(home, runner, reader)

    told = edit(engine, "1", "2").warnings

    assert told[0] == (
        "eslint did not run: it can run code of the workspace, and keyhole.toml is not trusted; "
        "a person can allow it with `keyhole trust`"
    )
    assert not any("ruff" in each for each in told)
    assert runs(home) == 0
    assert "eslint" in engine.administration.trust().commands
    edit(engine, "2", "3")
    assert runs(home) == 2  # the workspace's own, too
    engine.close()
