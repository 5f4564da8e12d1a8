"""Pages whose consoles are run: what a reader types, and what the page says comes back.

A block ```console has commands behind `$ ` (a command goes on in lines behind `> `), each with its
output below; a block ```sh has commands alone. All commands of a page run one after the other, in
one directory. Ids and times differ from run to run, so `masked` takes them out.
To write the outputs of a page anew: python -m tests.console_pages FILE
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from getpass import getuser
from pathlib import Path
from tempfile import TemporaryDirectory

_BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VOLATILE = (
    (re.compile(r"\b(\d+)-[0-9a-f]{4}\b"), r"\1-ID"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "CANDIDATE"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
)


@dataclass(frozen=True, slots=True)
class Shell:
    """Where the commands of a page run: a directory of its own, and an empty home beside it."""

    directory: Path
    home: Path

    def run(self, command: str) -> tuple[int, str]:
        """Run a command as a reader called `me` would; return its exit code and what it prints."""
        programs = str(Path(sys.executable).parent)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.directory,
            env={"HOME": str(self.home), "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        printed = done.stdout.replace(programs, "/home/me/.local/bin")
        printed = printed.replace(str(self.home), "/home/me")
        return done.returncode, printed.replace(f"cli:{getuser()}", "cli:me")


def masked(text: str) -> str:
    """Return an output without what differs from run to run."""
    for pattern, word in _VOLATILE:
        text = pattern.sub(word, text)
    return text


def commands(page: str) -> Iterator[str]:
    """Yield every command of a page."""
    for kind, body in _BLOCK.findall(page):
        yield from (command for command, _ in (_console if kind == "console" else _script)(body))


def outputs(page: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a page's consoles, each with the output below it."""
    for kind, body in _BLOCK.findall(page):
        if kind == "console":
            yield from _console(body)


def rewritten(page: str, run: Callable[[str], str]) -> str:
    """Return a page with the outputs that its commands have now."""

    def block(found: re.Match[str]) -> str:
        if found[1] == "sh":
            for command, _ in _script(found[2]):
                run(command)
            return found[0]
        shown = (_typed(command) + run(command) for command, _ in _console(found[2]))
        return f"```console\n{''.join(shown)}```"

    return _BLOCK.sub(block, page)


def _typed(command: str) -> str:
    first, *rest = command.split("\n")
    return "".join([f"$ {first}\n", *(f"> {line}\n" for line in rest)])


def _console(body: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        first, *rest = entry.splitlines(keepends=True)
        typed = [first.rstrip("\n")]
        while rest and rest[0].startswith("> "):
            typed.append(rest.pop(0)[2:].rstrip("\n"))
        yield "\n".join(typed), "".join(rest)


def _script(body: str) -> Iterator[tuple[str, str]]:
    waiting = ""
    for line in body.splitlines():
        waiting += line
        if line.endswith("\\") or waiting.count("'") % 2:
            waiting += "\n"
            continue
        if waiting and not waiting.startswith("#"):
            yield waiting, ""
        waiting = ""


if __name__ == "__main__":
    file = Path(sys.argv[1])
    with TemporaryDirectory() as directory, TemporaryDirectory() as home:
        shell = Shell(Path(directory), Path(home))
        text = rewritten(file.read_text(encoding="utf-8"), lambda command: shell.run(command)[1])
    file.write_text(text, encoding="utf-8")
