"""A rename after which the server finds what it did not find before changes nothing."""

import pytest

from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from keyhole.phrases import render
from tests.language_servers.stage import FILES, ServerStage, said
from tests.scene import put

CORE = "export function load() {}\n"
USER = 'import { load } from "./core";\nload(); // !\n'
TEXTS = {"core.ts": CORE, "user.ts": USER, "node_modules/x/a.ts": "fetch(1)\n"}
WANTED = Rename("core.ts", "load", "fetch")


def opened(stage: ServerStage, how: str = "", **more: str) -> Engine:
    program = str(stage.install("typescript-language-server"))
    for path, text in (TEXTS | more).items():
        put(stage.root, path, text)
    stage.behave(how)
    return stage.opened(named={"typescript": program})


def test_what_was_wrong_before_stops_no_rename(stage: ServerStage) -> None:
    engine = opened(stage, **{"other.ts": "x.fetch(1);\n"})

    receipt = engine.refactoring.rename(WANTED, Options(actor="me"))

    assert (receipt.outcome, receipt.warnings) == ("applied", ())
    assert stage.texts()["user.ts"] == USER.replace("load", "fetch")


@pytest.mark.parametrize("dry_run", [False, True])
def test_what_is_wrong_only_afterwards_stops_the_rename(
    stage: ServerStage, *, dry_run: bool
) -> None:
    wrong = USER.replace("load()", "load(1)")
    engine = opened(stage, **{"user.ts": wrong})

    receipt = engine.refactoring.rename(WANTED, Options(actor="me", dry_run=dry_run))

    assert said(receipt) == (
        "lint-broken",
        "the rename adds 1 error, says typescript-language-server",
    )
    assert render(receipt.refusals[0].where) == "user.ts:2 Expected 0 arguments."
    assert (stage.texts()["core.ts"], stage.texts()["user.ts"]) == (CORE, wrong)


def test_many_new_errors_are_told_in_part(stage: ServerStage) -> None:
    engine = opened(stage, **{"user.ts": 'import { load } from "./core";\n' + "load(1);\n" * 12})

    [refusal] = engine.refactoring.rename(WANTED, Options(actor="me")).refusals

    assert render(refusal.where).splitlines()[-1] == "and 2 more"


def test_an_object_that_is_asked_for_the_name_is_told(stage: ServerStage) -> None:
    user = USER + "'load' in x; 'load' of y; \"load\" in z; 'load in';\n'load'\n  in x;\n"
    engine = opened(stage, "forgets the last file", **{"user.ts": user})

    receipt = engine.refactoring.rename(WANTED, Options(actor="me"))

    [warning] = receipt.warnings
    told = "does not take them for the symbol: "
    assert warning.partition(told)[2] == "user.ts:1, user.ts:2, user.ts:3, user.ts:3, user.ts:4"


def test_files_that_there_is_no_time_for_are_counted(
    stage: ServerStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.language_servers.session._PART_OF_TIME", 1e9)
    engine = opened(stage, **{"other.ts": "x.fetch(1);\n", "third.ts": ""})

    receipt = engine.refactoring.rename(WANTED, Options(actor="me"))

    told = "had no time to look for new errors in 3 files of the project"
    assert receipt.warnings == (f"typescript-language-server {told}",)


def test_a_person_can_have_it_all_the_same(stage: ServerStage) -> None:
    engine = opened(stage, **{"user.ts": USER.replace("load()", "load(1)")})

    assert engine.refactoring.rename(WANTED, Options(actor="me", mode="interactive")).ok


def test_a_server_that_cannot_look_for_errors_renames_and_it_is_told(stage: ServerStage) -> None:
    receipt = opened(stage, "cannot look for faults").refactoring.rename(
        WANTED, Options(actor="me")
    )

    told = "was not asked for errors that are new; it says: no such command"
    assert receipt.warnings == (f"typescript-language-server {told}",)
    assert receipt.ok


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("dies when it looks for faults", "ended without an answer"),
        ("finds a number", "sent what is no answer"),
        ("finds nonsense", "sent what is no answer"),
    ],
)
def test_a_server_that_misbehaves_then_is_refused(stage: ServerStage, how: str, why: str) -> None:
    receipt = opened(stage, how).refactoring.rename(WANTED, Options(actor="me"))

    told = "found the places and not what is wrong once they are renamed"
    assert said(receipt) == (
        "no-language-server",
        f"typescript-language-server {told}: it {why}",
    )
    assert stage.texts()["core.ts"] == CORE


@pytest.mark.parametrize("wrong", [1, 2])
def test_what_is_wrong_in_python_afterwards_stops_the_rename(
    stage: ServerStage, wrong: int
) -> None:
    put(stage.root, "user.py", f"from core import load\n\nload({wrong})  # !\n")

    receipt = stage.rename(stage.opened())

    assert said(receipt) == ("lint-broken", "the rename adds 1 error, says pyright")
    assert render(receipt.refusals[0].where) == "user.py:3 Expected 0 arguments."
    assert stage.texts()["core.py"] == FILES["core.py"]


def test_what_only_a_server_finds_that_has_seen_older_texts_is_no_error(
    stage: ServerStage,
) -> None:
    stage.behave("concludes from older texts")

    receipt = stage.rename(stage.opened())

    assert (receipt.outcome, receipt.warnings) == ("applied", ())
    assert len(stage.starts()) == 2


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("dies when it looks for faults", "ended without an answer"),
        ("finds a number", "sent what is no answer"),
    ],
)
def test_a_server_of_python_that_misbehaves_then_is_refused(
    stage: ServerStage, how: str, why: str
) -> None:
    stage.behave(how)

    code, headline = said(stage.rename(stage.opened()))

    assert (code, headline.partition(": it ")[2]) == ("no-language-server", why)
    assert stage.texts() == FILES


def test_a_server_of_python_that_cannot_look_for_errors_renames(stage: ServerStage) -> None:
    stage.behave("cannot look for faults")

    receipt = stage.rename(stage.opened())

    assert receipt.ok
    assert receipt.warnings[0].endswith("errors that are new; it says: no such command")
