# mypy: ignore-errors
"""Make `state.tar.xz`, a workspace as commit d699207 left it.

Run it with `python tests/workspace/released/make.py`. The code of that commit itself runs, from
`git archive`, in processes of its own. The archive holds the tree, the state directory, and
`story.json`: every transaction with the bytes of all files behind it, and what that commit answered
when it was asked about its own past.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

COMMIT = "d699207"
FILES = {
    "app.py": (
        b'"""An application."""\n\n\ndef greet(name):\n    return "hello " + name\n'
        b'\n\ndef part(name):\n    return "bye " + name\n\n\nRETRIES = 3\n'
    ),
    "notes.md": b"# Notes\n\nFirst.\n\n## Plan\n\n- one\n- two\n\n## End\n\nLast.\n",
    "dos.txt": b"one\r\ntwo\r\nthree\r\n",
    "west.txt": "caf\xe9\nth\xe9\n".encode("latin-1"),
    "left.txt": b"left\n",
    "right.txt": b"right\n",
    "old/list.txt": b"a = 1\nb = 1\nc = 1\n",
    "run.sh": b"#!/bin/sh\necho run\n",
}
PATCH = """--- a/notes.md
+++ b/notes.md
@@ -1,3 +1,4 @@
 # Notes

-First.
+First, and more.
+And one line.
"""


def main() -> None:
    """Run that commit's code, and pack what it left."""
    here = Path(__file__).parent
    archive = subprocess.run(
        ["git", "archive", COMMIT, "src"], cwd=here.parents[2], capture_output=True, check=True
    )
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        (home / "code").mkdir()
        subprocess.run(["tar", "-x"], cwd=home / "code", input=archive.stdout, check=True)
        for role, ends in (("live", 0), ("die", -signal.SIGKILL)):
            command = [sys.executable, __file__, role, made]
            path = {**os.environ, "PYTHONPATH": str(home / "code" / "src")}
            assert subprocess.run(command, env=path, check=False).returncode == ends
        (state,) = (home / "state" / "keyhole").iterdir()
        with tarfile.open(here / "state.tar.xz", "w:xz") as packed:
            packed.add(home / "root", "root")
            packed.add(state, "state")
            packed.add(home / "story.json", "story.json")


class Story:
    """A workspace of that commit, and what is told about it."""

    def __init__(self, home: Path) -> None:
        from keyhole.engine import Engine

        self.home = home
        self.engine = Engine.open(home / "root", home / "state")
        self.steps = [self.step("")]

    def step(self, name: str) -> dict[str, object]:
        """Return a transaction with the tree behind it."""
        return {"id": name, "files": self.files(), "programs": self.programs()}

    def files(self) -> dict[str, str]:
        """Return the bytes of every file, a character each."""
        found = (path for path in (self.home / "root").rglob("*") if path.is_file())
        root = self.home / "root"
        return {str(path.relative_to(root)): path.read_bytes().decode("latin-1") for path in found}

    def programs(self) -> list[str]:
        """Return the files that may be run."""
        return [name for name in FILES if os.access(self.home / "root" / name, os.X_OK)]

    def told(self, receipt: object) -> str:
        """Note a transaction, and return its id."""
        assert not receipt.refusals, receipt.as_text()
        assert receipt.outcome in {"applied", "applied-with-tolerance"}, receipt.outcome
        self.steps.append(self.step(receipt.transaction))
        return receipt.transaction

    def edit(self, *edits: object, path: str = "", **options: str) -> str:
        """Make edits that succeed."""
        return self.told(self.engine.edit(edits, said(**options), path))

    def undo(self, name: str, **wish: object) -> str:
        """Undo or redo."""
        from keyhole.walks.recalling import Wish

        return self.told(self.engine.undo(Wish(id=name, **wish), said()))


def said(**options: object) -> object:
    """Return the options of a call."""
    from keyhole.walks.options import Options

    return Options(**{"actor": "me", "tool": "edit", **options})


def live(home: Path) -> None:
    """Fill a workspace with history, and ask about it."""
    for name, data in FILES.items():
        path = home / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (home / "root" / "run.sh").chmod(0o755)
    story = Story(home)
    edited(story)
    whole_files(story)
    undone(story)
    decided = proposed(story)
    offered = candidates(story)
    asked = answers(story)
    story.engine.close()
    told = {"steps": story.steps, "proposals": decided, "candidates": offered, "answers": asked}
    (home / "story.json").write_text(json.dumps(told, indent=1), encoding="utf-8")


def edited(story: Story) -> None:
    """Edit by every action, by text, name, lines, regex and patch."""
    from keyhole.edits.operations import Edit
    from keyhole.walks.looking import Wanted

    story.engine.read("app.py", Wanted(), "me")
    story.edit(Edit(find="RETRIES = 3", content="RETRIES = 5", reason="slow"), path="app.py")
    body = Edit(segment="greet", part="body", content='return f"hello {name}"')
    story.edit(body, path="app.py", task="wording", reason="shorter")
    story.edit(
        Edit(path="app.py", segment="part", action="before", content="LIMIT = 9\n"),
        Edit(path="app.py", segment="greet", action="after", content="def wave():\n    pass"),
        Edit(path="dos.txt", action="prepend", content="zero"),
        Edit(path="dos.txt", action="append", content="four"),
        Edit(path="notes.md", segment="Plan", action="delete"),
        actor="you",
        task="wording",
    )
    every = Edit(find=r"(\w) = 1", regex=True, content=r"\1 = 2", occurrence="all")
    story.edit(every, path="old/list.txt")
    story.edit(Edit(lines="2", content="tea"), path="west.txt")
    story.told(story.engine.patch(PATCH, said(tool="patch")))


def whole_files(story: Story) -> None:
    """Write, move, exchange and delete files, and change a mode."""
    from keyhole.edits.operations import CopyFile, DeleteFile, MoveFile, SetMode, WriteFile

    story.edit(WriteFile("new/file.txt", "new\n", reason="needed"))
    story.edit(MoveFile("old/list.txt", "new/list.txt"))
    story.edit(MoveFile("left.txt", "right.txt"), MoveFile("right.txt", "left.txt"))
    story.edit(CopyFile("copy.md", "notes.md"))
    story.edit(SetMode("run.sh", executable=False))
    story.edit(DeleteFile("west.txt"))


def undone(story: Story) -> None:
    """Undo an older edit, one edit of several and a deletion; redo; edit on top."""
    from keyhole.edits.operations import Edit

    names = [step["id"] for step in story.steps]
    story.undo(names[1])
    story.undo(names[1], redo=True)
    story.undo(names[3], edit=2)
    story.undo(names[-1])
    story.edit(Edit(find="RETRIES = 5", content="RETRIES = 7"), path="app.py", actor="you")
    again = story.undo(names[8])
    story.undo(again)


def proposed(story: Story) -> dict[str, str]:
    """Propose four edits: one waits, the others were accepted, rejected and accepted in part."""
    from keyhole.edits.operations import Edit
    from keyhole.walks.proposing import Decision, decide, proposal, standing

    edits = {
        "accepted": [Edit(path="dos.txt", find="three", content="drei")],
        "rejected": [Edit(path="dos.txt", find="four", content="vier")],
        "partly-accepted": [
            Edit(path="dos.txt", find="one", content="eins"),
            Edit(path="notes.md", find="Last.", content="The end."),
        ],
        "proposed": [Edit(path="notes.md", find="Last.", content="Over.")],
    }
    made = {}
    for outcome, wanted in edits.items():
        name = story.engine.edit(wanted, said(propose=True, reason=outcome)).transaction
        made[outcome] = name
        if outcome == "proposed":
            continue
        found = proposal(story.engine.tree, name)
        paths = frozenset(file.path for file in found.plan.files)
        with story.engine.tree.hold(paths) as held:
            stands = standing(found, held.snapshot.files, story.engine.tree.journal)
        words = {unit.key: outcome != "rejected" for unit in stands.units[:1]}
        words |= dict.fromkeys((unit.key for unit in stands.units[1:]), False)
        receipt = decide(
            story.engine.tree, None, Decision(name, words, stands.seal, "Ann", "as discussed")
        )
        if outcome == "rejected":
            assert receipt.outcome == "rejected", receipt.as_text()
        else:
            story.told(receipt)
    return made


def candidates(story: Story) -> dict[str, dict[str, str]]:
    """Be refused, and note what each candidate would write."""
    from keyhole.edits.operations import Edit

    context, line = "def parts(name):\n", '    return "bye " + name'
    edits = {
        "app.py": Edit(find=context + line, content=context + line.replace("bye", "so long")),
        "new/list.txt": Edit(find="aa = 2\nb = 2\nc = 2", content="aa = 2\nb = 3\nc = 2"),
    }
    names = []
    for path, edit in edits.items():
        (refusal,) = story.engine.edit([edit], said(), path).refusals
        names += [candidate.accept for candidate in refusal.candidates if candidate.accept]
    assert len(names) > 1, names
    made = {}
    for name in names:
        seen = story.engine.edit([Edit(accept=name)], said(dry_run=True))
        made[name] = {file.path: file.diff for file in seen.files}
    return made


def answers(story: Story) -> dict[str, object]:
    """Return what is said about the past: each transaction, and who made each segment."""
    from keyhole.walks.blaming import blame
    from keyhole.walks.proposing import offer, offers
    from keyhole.workspace.journal.base import Query

    engine = story.engine
    names = [step["id"] for step in story.steps[1:]]
    return {
        "history": engine.history(Query()).as_data(),
        "show": {name: engine.show(name).as_data() for name in names},
        "offers": {
            each.proposed.id: offer(engine.tree, each.proposed.id).as_data()
            for each in offers(engine.tree, Query())
        },
        "blame": {
            path: [
                [each.address, [touch.past and touch.past.entry.id for touch in each.touches]]
                for each in blame(engine.tree, path)
            ]
            for path in ("app.py", "notes.md")
        },
        "refusals": engine.stats().as_data()["refusals"],
    }


def die(home: Path) -> None:
    """Die with an edit of two files half published."""
    from keyhole.edits.operations import Edit

    from keyhole.engine import Engine
    from keyhole.workspace import failpoints

    def reach(name: str) -> None:
        if name == "exchanged":
            os.kill(os.getpid(), signal.SIGKILL)

    failpoints.reach = reach
    engine = Engine.open(home / "root", home / "state")
    edits = [Edit(path=path, lines="1", content="over") for path in ("left.txt", "right.txt")]
    engine.edit(edits, said())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"live": live, "die": die}[sys.argv[1]](Path(sys.argv[2]))
    else:
        main()
