"""The examples of docs/validators.md, run: what the page shows is what keyhole says."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from tests.surfaces.cli.shell import Shell

PAGE = (Path(__file__).parent.parent / "docs" / "validators.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """Return the fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def runs(console: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it prints."""
    parts = re.split(r"^\$ keyhole (.*)\n", console, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture
def keyhole(tmp_path: Path) -> Shell:
    for name in ("root", "home/.config/keyhole"):
        (tmp_path / name).mkdir(parents=True)
    return Shell(tmp_path, {"PATH": str(Path(sys.executable).parent)})


def settled(text: str, keyhole: Shell) -> str:
    """Return an answer with what is different each time made the same."""
    text = re.sub(r"^(applied) \S+$", r"\1 1-f6cb", text, flags=re.MULTILINE)
    return text.replace(str(keyhole.root), "/home/you/project")


def words(line: str) -> list[str]:
    import shlex

    return shlex.split(line)


def test_the_worked_example_is_true(keyhole: Shell) -> None:
    config = keyhole.base / "home" / ".config" / "keyhole" / "config.toml"
    config.write_text(blocks("toml")[0], encoding="utf-8")
    keyhole.write("app.py", blocks("python")[0])

    steps = runs(blocks("console")[0])
    said = [(line, settled(keyhole(*words(line)).out, keyhole)) for line, _ in steps]

    assert said == steps
    assert len(steps) == 2


def test_the_example_of_trust_is_true(keyhole: Shell) -> None:
    table = '[validators.mine]\ncommand = ["python3", "tools/lint.py", "{path}"]\n'
    keyhole.write("keyhole.toml", f'{table}languages = ["python"]\n')
    keyhole.write("tools/lint.py", "print('linted')\n")

    steps = runs(blocks("console")[1])
    said = [(line, settled(keyhole(*words(line)).out, keyhole)) for line, _ in steps]

    assert said == steps


def test_the_other_examples_are_configuration(keyhole: Shell) -> None:
    mine = blocks("toml")[1]
    config = keyhole.base / "home" / ".config" / "keyhole" / "config.toml"
    config.write_text(mine, encoding="utf-8")
    keyhole.write("a.txt", "x\n")

    assert set(tomllib.loads(mine)["validators"]) == {"mypy", "mine"}
    keyhole.ok("read", "a.txt")
