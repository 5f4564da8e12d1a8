"""Servers that answer and servers that misbehave: what becomes of what they say, and of them."""

import pytest

from tests.language_servers.stage import FILES, ServerStage, runs, said, wait_for_end


def test_what_the_server_names_is_renamed_but_no_comment(stage: ServerStage) -> None:
    receipt = stage.rename(stage.opened())

    assert receipt.outcome == "applied"
    assert receipt.extra == {"found_by": "pyright"}
    assert stage.texts() == {
        "core.py": "def fetch(path):\n    return path  # load\n",
        "user.py": "from core import fetch\n\nprint(fetch('fetch'))\n",
    }


def test_comments_are_renamed_if_asked(stage: ServerStage) -> None:
    stage.rename(stage.opened(), comments=True)

    assert stage.texts()["core.py"] == FILES["core.py"].replace("load", "fetch")


def test_a_server_is_kept_warm_and_told_what_changed(stage: ServerStage) -> None:
    engine = stage.opened()

    hits = engine.refactoring.references("core.py", "load")
    (stage.root / "new.py").write_text("import core\ncore.load(1)\n", encoding="utf-8")
    stage.rename(engine)

    assert [(hit.path, hit.line) for hit in hits.hits] == [
        ("core.py", 1), ("user.py", 1), ("user.py", 3), ("user.py", 3),
    ]  # fmt: skip
    assert stage.texts()["new.py"] == "import core\ncore.fetch(1)\n"
    [pid] = stage.starts()
    assert runs(pid)
    stage.servers.close()
    assert not runs(pid)


MISBEHAVIOUR = {
    "dies": ("no-language-server", "pyright ended without an answer"),
    "sends no JSON": ("no-language-server", "pyright sent what is no message"),
    "sends a flood": ("no-language-server", "pyright sent what is no message"),
    "answers a number": ("no-language-server", "pyright sent what is no answer"),
    "answers nothing": ("no-language-server", "pyright does not find the definition"),
    "forgets the definition": ("no-language-server", "pyright does not find the definition"),
    "moves files": ("no-language-server", "pyright wants to make, move or delete files"),
    "names what is no file": ("no-language-server", "pyright names a place that is no file"),
    "writes another text": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:1",
    ),
    "names another place": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:1",
    ),
    "names a line that is not there": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:2",
    ),
    "edits outside of the root": ("path-denied", ""),
    "says no": ("bad-request", "pyright does not rename `load`; it says: it is a keyword"),
}


@pytest.mark.parametrize("how", MISBEHAVIOUR)
def test_a_server_that_misbehaves_is_refused_and_nothing_is_changed(
    stage: ServerStage, how: str
) -> None:
    stage.behave(how)
    outside = stage.base / "outside.py"

    code, headline = said(stage.rename(stage.opened()))

    outwards = f"pyright would change {outside}, which lies outside of the workspace"
    expected, words = MISBEHAVIOUR[how]
    assert (code, headline) == (expected, words or outwards)
    assert stage.texts() == FILES
    assert outside.read_text(encoding="utf-8") == "def load(): pass\n"
    stage.servers.close()
    assert not any(map(runs, stage.starts()))


@pytest.mark.parametrize("how", ["hangs", "hangs at once", "hangs, deaf, with a child"])
def test_a_server_that_hangs_is_killed_with_what_it_started(stage: ServerStage, how: str) -> None:
    stage.behave(how)

    code, headline = said(stage.rename(stage.opened(seconds=0.5)))

    assert (code, headline) == (
        "no-language-server",
        "pyright took longer than 0.5 s and was stopped",
    )
    assert stage.texts() == FILES
    child = stage.base / "bin" / "child"
    pids = stage.starts() + ([int(child.read_text("utf-8"))] if child.exists() else [])
    for pid in pids:
        wait_for_end(pid)


def test_a_server_that_died_is_started_again(stage: ServerStage) -> None:
    engine = stage.opened()
    stage.behave("dies")
    stage.rename(engine)
    stage.behave("")

    assert stage.rename(engine).outcome == "applied"
    assert len(stage.starts()) == 2
