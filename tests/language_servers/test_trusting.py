"""A server runs code of the tree: it is asked only where a person trusts the workspace."""

import os
import shutil
import signal

import pytest

from keyhole.engine.facade import Engine
from keyhole.phrases import render
from keyhole.refusals import Refused
from tests.language_servers.stage import FILES, ServerStage, found_by, runs, said

NOT_ASKED = (
    "pyright can run code of the workspace, so it was not asked: keyhole.toml is not trusted"
)


def test_python_is_left_to_jedi_until_the_workspace_is_trusted(stage: ServerStage) -> None:
    receipt = stage.rename(stage.opened(trusted=False))

    assert found_by(receipt) == "jedi"
    assert receipt.warnings[0] == (
        "jedi was asked, and not pyright: keyhole.toml is not trusted; a person can allow it, "
        "`keyhole trust`"
    )
    assert stage.starts() == []


def test_a_server_that_settings_name_is_refused_until_then(stage: ServerStage) -> None:
    program = str(stage.base / "bin" / "pyright-langserver")
    engine = stage.opened(trusted=False, path="/nowhere", named={"python": program})

    assert said(stage.rename(engine)) == ("untrusted", NOT_ASKED)
    assert stage.texts() == FILES
    with pytest.raises(Refused, match="untrusted"):
        engine.refactoring.references("core.py", "load")
    engine.administration.trust()
    assert found_by(stage.rename(engine)) == "pyright"


def test_another_language_is_refused_until_then(stage: ServerStage) -> None:
    shutil.copy(stage.install(), stage.base / "bin" / "gopls")
    (stage.root / "a.go").write_text("package a\n\nfunc load() {}\n", encoding="utf-8")
    engine = stage.opened(trusted=False)

    assert said(stage.rename(engine, "a.go"))[0] == "untrusted"
    engine.administration.trust()
    assert found_by(stage.rename(engine, "a.go")) == "gopls"


def test_trust_that_is_taken_back_counts_at_once(stage: ServerStage) -> None:
    program = str(stage.base / "bin" / "pyright-langserver")
    engine = stage.opened(named={"python": program})
    engine.refactoring.references("core.py", "load")
    engine.administration.distrust()

    assert said(stage.rename(engine)) == ("untrusted", NOT_ASKED)


def test_what_trust_lets_run_is_said(stage: ServerStage) -> None:
    answer = stage.opened().administration.trust()
    words = [str(stage.base / "bin" / "pyright-langserver"), "--stdio"]

    assert answer.as_data()["language_servers"] == {"pyright": words}
    assert answer.as_text().splitlines()[-2:] == [
        "What runs for it when a symbol is renamed or searched:",
        f"  pyright: {' '.join(words)}",
    ]


@pytest.mark.parametrize("place", ["root/bin", "root/node_modules/.bin"])
def test_a_server_in_the_workspace_is_none(stage: ServerStage, place: str) -> None:
    stage.install(place=place)
    (stage.base / "link").symlink_to(stage.base / place)
    for path in (str(stage.base / place), str(stage.base / "link"), "bin:.:", ""):
        engine = stage.opened(path=path or "/nowhere")

        assert stage.servers.found("python") is None
        engine.close()


def test_settings_can_say_that_there_is_none(stage: ServerStage) -> None:
    assert found_by(stage.rename(stage.opened(named={"python": "off"}))) == "jedi"


def test_nothing_runs_for_a_workspace_that_is_only_read(stage: ServerStage) -> None:
    stage.opened().close()
    hits = stage.opened(read_only=True, trusted=False).refactoring.references("core.py", "load")

    assert hits.total == 3
    assert stage.starts() == []


def test_without_a_server_the_answer_says_what_to_install(stage: ServerStage) -> None:
    (stage.root / "a.go").write_text("package a\n\nfunc load() {}\n", encoding="utf-8")
    [refusal] = stage.rename(stage.opened(), "a.go").refusals

    assert refusal.code == "no-language-server"
    assert render(refusal.help) == (
        "install gopls (`go install golang.org/x/tools/gopls@latest`) and run `keyhole trust`; or "
        "change `load` by `edit` with `glob` and boundary identifier"
    )


def test_a_process_outside_starts_the_servers_and_ends_them(stage: ServerStage) -> None:
    engine: Engine = stage.opened()
    stage.servers.leave_outside()

    receipt = stage.rename(engine)
    hits = engine.refactoring.references("core.py", "fetch")
    [pid] = stage.starts()

    assert (receipt.outcome, found_by(receipt)) == ("applied", "pyright")
    assert hits.total == 4
    stage.servers.close()
    assert not runs(pid)


def test_the_process_outside_ends_what_servers_leave_behind(stage: ServerStage) -> None:
    stage.behave("leaves an orphan without a mark")
    engine: Engine = stage.opened()
    stage.servers.leave_outside()

    assert stage.rename(engine).ok
    child = int((stage.base / "bin" / "child").read_text("utf-8"))
    assert runs(child)
    stage.servers.close()
    assert not runs(child)


def test_the_process_outside_asks_for_trust_itself(stage: ServerStage) -> None:
    engine: Engine = stage.opened()
    stage.servers.leave_outside()
    engine.administration.distrust()
    asked = {"language": "python", "path": "core.py"}

    broker = stage.servers._broker
    assert broker is not None
    assert broker.ask(asked) == {"untrusted": "keyhole.toml is not trusted"}
    engine.administration.trust()
    assert broker.ask(asked) == {"failed": "was not asked: 'texts'"}
    odd = {"texts": {}, "known": [], "path": "../x", "language": "python"}
    assert broker.ask(odd) == {"failed": "was not asked: a path leads out of the root"}
    assert stage.starts() == []


def test_a_process_outside_that_is_gone_is_told(stage: ServerStage) -> None:
    program = str(stage.base / "bin" / "pyright-langserver")
    engine = stage.opened(named={"python": program})
    stage.servers.leave_outside()
    broker = stage.servers._broker
    assert broker is not None
    os.kill(broker.pid, signal.SIGKILL)
    os.waitpid(broker.pid, 0)

    code, headline = said(stage.rename(engine))

    assert code == "no-language-server"
    assert headline.startswith("pyright was not asked: ")
    assert stage.texts() == FILES


def test_without_servers_no_process_is_left_outside(stage: ServerStage) -> None:
    stage.opened(path="/nowhere")
    stage.servers.leave_outside()

    assert stage.servers._broker is None
