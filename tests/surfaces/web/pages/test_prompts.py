"""What was done is grouped by prompt, what others did is marked, and a prompt is gone back to."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, PROMPT, Happening
from tests.surfaces.web.stage import Stage


def prompt(name: str, said: str) -> Happening:
    return Happening(PROMPT, "codex", "s", name, said=said)


@pytest.fixture(name="stage")
def _stage(tmp_path: Path) -> Stage:
    made = Stage.at(tmp_path)
    look = made.engine.checkpoints.look
    made.write("a.txt", "1\n"), made.write("b.txt", "1\n")
    look()
    look(prompt("one", "make it two"))
    use = Happening(BEFORE, "codex", "s", "one", "shell", "u", "sed -i s/1/2/ a.txt")
    look(use)
    made.write("a.txt", "2\n")
    look(Happening(AFTER, "codex", "s", "one", "shell", "u"))
    look(prompt("two", "go on"))
    made.write("b.txt", "person\n")
    look()
    return made


def test_transactions_stand_below_their_prompts_and_outsiders_are_marked(stage: Stage) -> None:
    with stage.served() as page:
        _, _, text = page.ask("/prompts")
        _, _, home = page.ask("/")

    head, two, one = re.split(r'<section id="prompt-|<section class="prompt"', text)
    assert "/prompts" in head
    assert "/prompts" in home
    assert [
        each for each in ("go on", "person", "outside", "Changed b.txt") if each not in two
    ] == []
    assert [
        each for each in ("make it two", "sed -i s/1/2/", "codex:shell") if each not in one
    ] == []


def test_one_button_goes_back_and_a_person_keeps_what_is_theirs(stage: Stage) -> None:
    with stage.served() as page:
        _, _, ahead = page.ask("/undo?prompt=one")
        [said] = re.findall(r'data-body="(.*?)"', ahead)
        status, told = page.post("/api/undo", json.loads(unescape(said)))

    assert "Rewind what its session did since prompt one?" in ahead
    assert "keyhole rewind one --yes" in ahead
    assert (status, told["ok"]) == (200, True)
    assert (stage.read("a.txt"), stage.read("b.txt")) == ("1\n", "person\n")


def test_exactly_is_everything(stage: Stage) -> None:
    with stage.served() as page:
        _, _, ahead = page.ask("/undo?prompt=one&exact=1")
        [said] = re.findall(r'data-body="(.*?)"', ahead)
        page.post("/api/undo", json.loads(unescape(said)))

    assert "keyhole rewind one --exact --yes" in ahead
    assert (stage.read("a.txt"), stage.read("b.txt")) == ("1\n", "1\n")


def test_without_looks_there_are_no_prompts(tmp_path: Path) -> None:
    stage = Stage.at(tmp_path)
    with stage.served() as page:
        status, _, text = page.ask("/prompts")
        _, _, home = page.ask("/")

    assert status == 200
    assert "No prompts yet" in text
    assert "/prompts" not in home
