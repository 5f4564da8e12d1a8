"""What README and tutorial tell a reader to type works, and prints what they say."""

import re
import runpy
import shutil
from pathlib import Path

import pytest

from tests.console_pages import Shell, commands, masked, outputs, rewritten

ROOT = Path(__file__).parents[1]
ELSEWHERE = {  # a command of the README that other tests run
    "git clone REPOSITORY keyhole": "names no repository",
    "pip install ./keyhole": "tests/test_wheel.py",
    "make demo": "tests/demo",
    "make test": "is this run",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return Shell(tmp_path / "work", tmp_path / "home")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["tutorial", "segments"])
def test_a_page_prints_what_it_says(name: str, shell: Shell) -> None:
    entries = list(outputs(page(f"docs/{name}.md")))

    printed = [(command, masked(shell.run(command)[1])) for command, _ in entries]

    assert len(entries) >= 10
    assert printed == [(command, masked(output)) for command, output in entries]


def test_the_commands_of_the_readme_work_in_a_clone(shell: Shell) -> None:
    for name in ("README.md", "pyproject.toml", "demo"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, shell.directory / name)
    typed = [re.sub(r"\s+# .*", "", command) for command in commands(page("README.md"))]

    ran = {each: shell.run(each) for each in typed if each not in ELSEWHERE}

    assert len(ran) >= 8
    assert [each for each in ELSEWHERE if each not in typed] == []
    assert {each: printed for each, (code, printed) in ran.items() if code} == {}


def test_the_python_of_the_readme_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", page("README.md"), re.MULTILINE | re.DOTALL)
    (tmp_path / "example.py").write_text(example, encoding="utf-8")
    shutil.copytree(ROOT / "demo", tmp_path / "demo")
    monkeypatch.chdir(tmp_path)

    runpy.run_path("example.py")

    assert capsys.readouterr().out.startswith("applied ")


def test_a_readme_is_short() -> None:
    assert len(page("README.md").splitlines()) <= 150


def test_a_wrong_output_is_seen(shell: Shell) -> None:
    stale = "```sh\necho b > file\n```\n\n```console\n$ cat file \\\n> | tr b c\nb\n```\n"

    fresh = rewritten(stale, lambda command: shell.run(command)[1])

    assert [output for _, output in outputs(fresh)] == ["c\n"]
    assert list(commands(fresh)) == ["echo b > file", "cat file \\\n| tr b c"]
