"""A tour of keyhole: edits in a scratch tree, through the real command line, as a user would."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")

FILES = {
    "server.py": '''\
"""A small server."""

RETRIES = 3


def connect(host, port):
    """Open a connection to the host."""
    timeout = 30
    return host, port, timeout


class Worker:
    """Does the work."""

    def start(self):
        self.state = "ready"
        return self.state

    def stop(self):
        self.state = "done"
        return self.state
''',
    "README.md": "# Server\n\n## Install\n\nRun `setup.py`.\n\n## Use\n\nStart it.\n",
    "settings.ini": "[server]\r\nport = 80\r\nhost = localhost\r\n",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """A directory with a few files, and a state directory of its own."""

    tree: Path
    state: Path
    coloured: bool

    def set_up(self) -> None:
        """Write the files."""
        self.tree.mkdir()
        for name, text in FILES.items():
            self.bytes_of(name, text.encode())

    def bytes_of(self, name: str, body: bytes | None = None) -> bytes:
        """Return what a file holds, after writing it if a body is given."""
        if body is not None:
            (self.tree / name).write_bytes(body)
        return (self.tree / name).read_bytes()

    def run(self, *words: str, expect: int = 0, request: object = None) -> str:
        """Run a command, show it and its answer, and return the answer without its colours."""
        print(f"$ {spelled(words, request)}", flush=True)
        answer = self.answer(*words, expect=expect, request=request)
        print(answer, flush=True)
        return plain(answer)

    def answer(self, *words: str, expect: int = 0, request: object = None) -> str:
        """Run a command as a user would, and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "keyhole", *words, *self._looks(words)],
            cwd=self.tree,
            env={**os.environ, "XDG_STATE_HOME": str(self.state)},
            input=json.dumps(request) if request else "",
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode != expect:
            print(done.stdout + done.stderr)
            sys.exit(f"that should have ended with {expect}, but it did with {done.returncode}")
        return done.stdout

    def _looks(self, words: tuple[str, ...]) -> list[str]:
        detail = ["--detail", "full"] if words[0] in {"edit", "write", "undo"} else []
        return ["--color", "always" if self.coloured else "never", *detail]

    def say(self, text: str) -> None:
        """Say what comes next."""
        print(f"\x1b[1m{text}\x1b[0m" if self.coloured else text, flush=True)


def spelled(words: tuple[str, ...], request: object = None) -> str:
    """Return a command as one would type it."""
    before = f"echo {shlex.quote(json.dumps(request))} | " if request else ""
    return f"{before}keyhole {shlex.join(words)}"


def plain(text: str) -> str:
    """Return text without its colours."""
    return _ESCAPES.sub("", text)


def by_text(stage: Stage) -> None:
    """Quote the text to change. Indentation and line numbers are not needed."""
    stage.run(
        "edit", "server.py", "--find", "RETRIES = 3", "--content", "RETRIES = 5",
        "--reason", "the gateway is slow",
    )  # fmt: skip


def by_lines(stage: Stage) -> None:
    """Or name the lines."""
    stage.run("edit", "README.md", "--lines", "5", "--content", "Run `pip install server`.\n")


def by_segment(stage: Stage) -> None:
    """Or name a segment. New text is written at column 0 and lands where it belongs."""
    stage.run("outline", "server.py")
    stage.run(
        "edit", "server.py", "--segment", "Worker.stop", "--part", "body",
        "--content", 'self.state = "stopped"\nreturn self.state',
    )  # fmt: skip


def several_files(stage: Stage) -> None:
    """Several files in one call: all of it happens, or nothing."""
    stage.run(
        "edit", "--request", "-",
        request={
            "reason": "the port is an argument now",
            "edits": [
                {"path": "server.py", "find": "host, port):", "content": "host, port=8080):"},
                {"path": "README.md", "segment": "Use", "action": "append",
                 "content": "The port is 8080.", "reason": "tell the user"},
            ],
        },
    )  # fmt: skip


def near_miss(stage: Stage) -> None:
    """See a quote with a typo refused: the nearest place is offered, one short call takes it."""
    quote = 'def connect(host, prot=8080):\n    """Open a connection to the host."""\n'
    refusal = stage.run(
        "edit", "server.py", "--find", f"{quote}    timeout = 30",
        "--content", f"{quote}    timeout = 60", expect=1,
    )  # fmt: skip
    offer = re.search(r"candidate (\w+):", refusal)
    if offer is None:
        sys.exit("the refusal should have offered a candidate")
    stage.run("edit", "--accept", offer[1])


def ambiguous(stage: Stage) -> None:
    """Text that stands in two places is never guessed at. Saying which one is enough."""
    edit = ("edit", "server.py", "--find", "return self.state", "--content", "return None")
    stage.run(*edit, expect=1)
    stage.run(*edit, "--segment", "Worker.start")


def line_endings(stage: Stage) -> None:
    """Nothing outside the edit changes: this file ends its lines with CR LF, and still does."""
    print(f"before: {stage.bytes_of('settings.ini')!r}")
    stage.run("edit", "settings.ini", "--find", "port = 80", "--content", "port = 8080\ntls = on")
    print(f"after:  {stage.bytes_of('settings.ini')!r}\n")
    if stage.bytes_of("settings.ini").count(b"\r\n") != 4:
        sys.exit("a line ending got lost")


def taken_back(stage: Stage) -> None:
    """Everything can be taken back, also when it was not the last thing that happened."""
    stage.run("history", "server.py")
    stage.run("undo", "1", "--reason", "the gateway is fast again")
    if b"RETRIES = 3\n" not in stage.bytes_of("server.py"):
        sys.exit("the undo did not bring the old line back")


SCENES = (
    by_text,
    by_lines,
    by_segment,
    several_files,
    near_miss,
    ambiguous,
    line_endings,
    taken_back,
)


NEXT = """
Three things to try, here or in a project of your own:
  {keyhole} edit README.md --find 'MIT licence' --content 'The MIT licence' --reason 'try it'
  {keyhole} review                          # see it in the browser, and undo it there
  {keyhole} install claude-code --dry-run   # what an install would change in an agent host
"""


def main() -> None:
    """Show every kind of edit once, what a refusal looks like, and how to take things back."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="keyhole-demo-") as scratch:
        coloured = not os.environ.get("NO_COLOR")
        stage = Stage(Path(scratch) / "project", Path(scratch) / "state", coloured)
        stage.set_up()
        for number, scene in enumerate(SCENES, 1):
            stage.say(f"{number}. {scene.__doc__}")
            scene(stage)
    print(f"{len(SCENES)} scenes in {time.monotonic() - began:.1f} seconds")
    print(NEXT.format(keyhole=Path(os.path.relpath(sys.executable)).with_name("keyhole")), end="")


if __name__ == "__main__":
    main()
