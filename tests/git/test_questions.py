"""What git is asked: words of ours, and paths; inside and outside of the fence."""

from pathlib import Path

import pytest

from keyhole.disk.broker import Broker
from keyhole.git import questions
from keyhole.git.questions import GitQuestion
from keyhole.git.repository import git_outside, repository_of
from tests import team


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    made = team.Team(tmp_path, "")
    made.begin({"f.txt": "one\n", ":(top)g.txt": "two\n"})
    return made.main


@pytest.mark.parametrize(
    "question",
    [
        GitQuestion("commits", paths=("",)),
        GitQuestion("commits", paths=("a\0b",)),
        GitQuestion("gc"),
    ],
    ids=str,
)
def test_what_is_no_path_or_command_is_not_run(root: Path, question: GitQuestion) -> None:
    with pytest.raises((ValueError, LookupError)):
        question.vector(str(root))
    assert questions.run(str(root), question) is None


def test_a_path_is_no_option_and_no_pattern(root: Path) -> None:
    words = GitQuestion("commits", paths=("--all", ":(top)g.txt")).vector(str(root))

    assert words[-3:] == ["--", "--all", ":(top)g.txt"]
    assert questions.run(str(root), GitQuestion("commits", paths=(":(top)g.txt",)))


def test_git_says_outside_what_it_says_inside(root: Path) -> None:
    asked = [
        GitQuestion("first commits"),
        GitQuestion("commits", paths=("f.txt",)),
        GitQuestion("is shallow"),
        GitQuestion("gc"),
    ]
    broker = git_outside(str(root))
    try:
        told = [questions.ask(broker, each) for each in asked]
        forged = broker.ask({"command": "first commits", "paths": "x"})
    finally:
        broker.close()

    assert told == [questions.run(str(root), each) for each in asked]
    assert told[0]
    assert forged == {"said": None}
    assert questions.ask(broker, asked[0]) is None


def test_a_checkout_behind_the_fence_asks_the_broker(root: Path) -> None:
    def outside(asked: object, _: object) -> dict[str, object]:
        return {"said": str(asked)}

    broker = Broker.started(outside)
    try:
        repository = repository_of(str(root), broker)
        assert repository
        assert "'command': 'is shallow'" in (repository.git("is shallow") or "")
    finally:
        broker.close()
