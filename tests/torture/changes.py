"""Sessions of two hosts and a person in one tree; a judge holds the history against what happened.

Hooks are what Claude Code and Codex send. The judge knows who wrote which file between two looks,
and has the tree as it was at each prompt.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.disk import failpoints
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.hooks.hook import take_hook
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import EVERYBODY
from keyhole.journal.model import APPLIED, Entry, Query
from keyhole.text.document import hash_of
from tests.torture.arena import child, memory_directory, report
from tests.torture.changes_faults import FAULTS, LOOKS
from tests.torture.changes_lines import PersonsLines, lines_of
from tests.torture.changes_ways import (
    SHELL,
    WHOLE_TREES,
    Playground,
    Snapshot,
    git_by_hand,
    keyhole_edit,
    save_as_vim,
    save_in_place,
)

PERSON, GIT = "person", "git"
# What moves whole trees comes less often than what changes a file.
_OFTEN = ("keyhole", "sed", "python", "chmod", "mv", "rm") * 4
_TOOLS = {
    "claude-code": (*_OFTEN, *("Edit", "Write") * 4, *SHELL),
    "codex": (*_OFTEN, *SHELL),
}
_KILLS = 0.5
_ALL = frozenset(("keyhole", "Edit", "Write", "vim", "in place", *SHELL))


@dataclass
class Agent:
    """A session of a host."""

    host: str
    session: str
    prompt: str = ""
    uses: int = 0

    def actor(self, tool: str) -> str:
        """Return how the history names a tool of this host."""
        shell = {"claude-code": "claude-code:Bash", "codex": "codex:shell"}[self.host]
        return f"{self.host}:{tool}" if tool in {"Edit", "Write"} else shell

    def said(self, event: str, root: Path, **more: object) -> bytes:
        """Return what the host sends."""
        turn = "prompt_id" if self.host == "claude-code" else "turn_id"
        own = {"permission_mode": "default"} if turn == "prompt_id" else {"model": "m"}
        common = {
            "session_id": self.session,
            "transcript_path": "/nowhere",
            "cwd": str(root),
            "hook_event_name": event,
            turn: self.prompt,
        }
        return json.dumps({**common, **own, **more}).encode()


@dataclass
class Use:
    """One use of a tool: what its hooks say, and whether the one before it came through."""

    agent: Agent
    tool: str
    name: str
    given: dict[str, object]
    # The only file that it changes, "" if it can change any.
    target: str = ""
    # Whether it ended and nobody heard of it: it counts as at work until the next prompt.
    is_over: bool = False
    # Whether the host refused it: it never ends, and others go on.
    is_refused: bool = False

    def said(self, event: str, root: Path) -> bytes:
        """Return its hook."""
        names = {"keyhole": "mcp__keyhole__edit", "Edit": "Edit", "Write": "Write"}
        tool = names.get(self.tool, "Bash")
        more = {"tool_response": {"stdout": ""}} if event == "PostToolUse" else {}
        return self.agent.said(
            event, root, tool_name=tool, tool_input=self.given, tool_use_id=self.name, **more
        )


@dataclass
class Kept:
    """A prompt that a look has marked, and the tree at that moment."""

    prompt: str
    session: str
    tree: Snapshot


@dataclass
class Trial:
    """One session of so many steps, and what the judge found."""

    ground: Playground
    kills: float
    found: Counter[str] = field(default_factory=Counter)
    known: dict[str, str | None] = field(default_factory=dict)
    writers: dict[str, set[str]] = field(default_factory=dict)
    at_work: dict[str, Use] = field(default_factory=dict)
    # Tools whose beginning a kill kept back: nobody knows of them until they end.
    unheard: dict[str, Use] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    lines: PersonsLines = field(default_factory=PersonsLines)
    position: int = 0
    torn: bool = False
    ways: set[str] = field(default_factory=set)
    # Without what rewrites many files at once, so that more can be taken back line by line.
    calm: bool = False

    @property
    def rng(self) -> random.Random:
        """Return the one source of chance."""
        return self.ground.rng

    def run(self, steps: int) -> None:
        """Play the session."""
        self.ground.build()
        agents = [Agent("claude-code", "claude-1"), Agent("codex", "codex-1")]
        self.known = {path: hash_of(data) for path, (data, _) in self.ground.snapshot().items()}
        take_hook("codex", _bare(self.ground.root), os.environ)
        for each in agents:
            self.prompt(each)
        for _ in range(steps):
            self.step(agents)
        for each in agents:
            self.hook(each.host, each.said("Stop", self.ground.root))
        self.found["steps"] = steps
        self.found["ways"] = len(self.ways & _ALL)

    def step(self, agents: list[Agent]) -> None:
        """Let something happen."""
        choice = self.rng.random()
        if choice < 0.1:
            self.prompt(self.rng.choice(agents))
        elif choice < 0.3:
            self.person()
        elif choice < 0.31 and not self.calm:
            self.act(GIT, lambda: git_by_hand(self.ground))
        elif choice < 0.42:
            self.together(agents)
        elif choice < 0.43:
            self.refuse(agents[1])
        else:
            use = self.begin(self.rng.choice(agents))
            self.work(use)
            if use.tool in {"keyhole", "Edit", "Write"} and self.rng.random() < 0.8:
                self.person(spare=use.target)
            self.end(use)

    def together(self, agents: list[Agent]) -> None:
        """Let two agents be at work at once."""
        # What git puts back may be the text that the last look saw.
        tools = ("", "") if self.calm or self.rng.random() < 0.6 else ("keyhole", "restore")
        one, other = self.begin(agents[0], tools[0]), self.begin(agents[1], tools[1])
        self.work(one)
        self.work(other)
        first, last = self.rng.sample([one, other], 2)
        self.end(first)
        self.work(last)
        self.end(last)
        self.found["two at once"] += 1

    def refuse(self, agent: Agent) -> None:
        """Let a host refuse a tool that began, as Codex does without another word."""
        use = self.begin(agent, "rm")
        if use.name in self.at_work:
            use.is_refused = True
            self.person()
            self.found["refused tools"] += 1

    def prompt(self, agent: Agent) -> None:
        """Let a user ask for something; the tree as it is then can be gone back to."""
        agent.prompt = f"{agent.session}-{len(self.kept)}-{self.rng.randrange(10**9)}"
        said = agent.said("UserPromptSubmit", self.ground.root, prompt="go on")
        if self.hook(agent.host, said):
            for name in [name for name, use in self.at_work.items() if use.agent is agent]:
                del self.at_work[name]
            self.kept.append(Kept(agent.prompt, agent.session, self.ground.snapshot()))

    def begin(self, agent: Agent, tool: str = "") -> Use:
        """Let a tool begin, its hook before it."""
        tools = [each for each in _TOOLS[agent.host] if not self.calm or each not in WHOLE_TREES]
        tool = tool or self.rng.choice(tools)
        agent.uses += 1
        use = Use(agent, tool, f"{agent.session}-use-{agent.uses}", {"command": tool})
        if tool in {"Edit", "Write"}:
            file = self.ground.pick()
            use.target = str(file.relative_to(self.ground.root))
            use.given = {"file_path": str(file)}
        if self.hook(agent.host, use.said("PreToolUse", self.ground.root)):
            self.at_work[use.name] = use
        else:
            self.unheard[use.name] = use
        return use

    def end(self, use: Use) -> None:
        """Let a tool end, its hook after it."""
        late = use if use.name not in self.at_work else None
        if self.hook(use.agent.host, use.said("PostToolUse", self.ground.root), late):
            self.at_work.pop(use.name, None)
            self.unheard.pop(use.name, None)
        elif use.name in self.at_work:
            use.is_over = True

    def work(self, use: Use) -> None:
        """Let a tool change what it changes."""
        who = use.agent.session
        self.ways.add(use.tool)
        if use.tool == "keyhole":
            actor = use.agent.host
            self.note("", lambda: keyhole_edit(self.ground, who, use.name, actor), who)
        elif use.target:
            file = self.ground.root / use.target
            if file.exists():
                self.act(
                    use.agent.actor(use.tool),
                    lambda: void(file.write_bytes(self.ground.changed(file, who))),
                    who,
                )
        else:
            way = SHELL[use.tool]
            self.act(use.agent.actor(use.tool), lambda: way(self.ground, who), who)

    def person(self, spare: str = "") -> None:
        """Let a person save a file, where only tools are at work that cannot have done it."""
        shells = (use for use in self.at_work.values() if not use.target and use.tool != "keyhole")
        if any(not use.is_refused for use in shells):
            return
        spared = {use.target for use in self.at_work.values()} | {spare}
        name, way = self.rng.choice((("vim", save_as_vim), ("in place", save_in_place)))
        self.ways.add(name)
        self.act(PERSON, lambda: way(self.ground, *sorted(spared)[-1:]))

    def act(self, who: str, change: Callable[[], None], session: str = "") -> None:
        """Let somebody change files, and note which."""
        self.found[f"by {who}"] += 1
        self.note(who, change, session)

    def note(self, who: str, change: Callable[[], None], session: str = "") -> None:
        """Note who wrote which files; keyhole's own edits have their entries."""
        before = self.ground.snapshot()
        change()
        after = self.ground.snapshot()
        self.lines.note(before, after, session, len(self.kept))
        for path in before.keys() | after.keys():
            if before.get(path) != after.get(path) and who:
                self.writers.setdefault(path, set()).add(who)

    def hook(self, host: str, body: bytes, late: Use | None = None) -> bool:
        """Send a hook, or kill it on its way; tell whether it came through."""
        if self.rng.random() < self.kills:
            after = self.rng.randrange(1, 12)
            _, killed = child(lambda _: _killed_hook(host, body, self.ground.root, after))
            if killed:
                self.found["killed"] += 1
                self.torn = True
                return False
        else:
            said = take_hook(host, body or _bare(self.ground.root), os.environ)
            assert not said, said
        self.found["looks"] += 1
        self.judge(late)
        return True

    def judge(self, late: Use | None) -> None:
        """Hold what the history has new against what happened since the last look."""
        for entry in self.news():
            for change in entry.files:
                self.found["gaps"] += self.known.get(change.path) != change.before
                self.known[change.path] = change.after
            if entry.call.details.get("observed"):
                self.check_maker(entry, late)
        now = {path: hash_of(data) for path, (data, _) in self.ground.snapshot().items()}
        known = {path: name for path, name in self.known.items() if name}
        self.found["unexplained"] += len(set(now.items()) ^ set(known.items()))
        self.writers.clear()
        self.torn = False

    def check_maker(self, entry: Entry, late: Use | None) -> None:
        """Check that all who wrote the files are named, and nobody who can't have been at work."""
        details = entry.call.details
        among = details.get("among")
        makers = among if isinstance(among, list) else [{**details, "actor": entry.call.actor}]
        names = {str(each["actor"]) for each in makers}
        self.found["observed"] += len(entry.files)
        for change in entry.files:
            wrote = self.writers.get(change.path, set())
            wrote = {PERSON if each == GIT else each for each in wrote}
            named = {PERSON if each == GIT else each for each in names}
            unheard = {use.agent.actor(use.tool) for use in self.unheard.values()}
            is_over = any(use.is_over for use in self.at_work.values())
            if self.torn or is_over or (wrote & unheard and late is None):
                self.found["after a kill"] += 1
                continue
            self.found["wrong actor"] += not wrote <= named
            can = {use.agent.actor(use.tool): use for use in self.at_work.values()}
            can |= {late.agent.actor(late.tool): late} if late else {}
            self.found["bystanders"] += len(named - wrote - {PERSON} - can.keys())
            self.found["ambiguous"] += len(names) > 1
            is_alone = among is None and not names & {PERSON, GIT}
            if is_alone and (use := can.get(entry.call.actor)):
                given = use.agent.session, use.agent.prompt
                self.found["wrong prompt"] += given != (
                    details.get("host_session"),
                    details.get("prompt"),
                )
                self.found["attributed"] += 1

    def news(self) -> list[Entry]:
        """Return the entries that came since, oldest first."""
        engine = Engine.open(self.ground.root, self.ground.state)
        try:
            found = engine._tree.journal.entries(Query(limit=60))
        finally:
            engine.close()
        new = [each for each in found if each.order > self.position and each.state == APPLIED]
        self.position = max((each.order for each in found), default=0)
        return new[::-1]

    def go_back(self) -> None:
        """Go back to each prompt, exactly and keeping what people did, and return."""
        home = self.ground.root.parent
        for name in ("root", "state"):
            shutil.copytree(home / name, home / f"kept-{name}", symlinks=True)
        for kept in self.kept:
            self.found["prompts"] += 1
            for session in (EVERYBODY, ""):
                self.rewind(kept, session)
                for name in ("root", "state"):
                    shutil.rmtree(home / name)
                    shutil.copytree(home / f"kept-{name}", home / name, symlinks=True)

    def rewind(self, kept: Kept, session: str, *, partly: bool = False) -> None:
        """Go back to one prompt, compare, and undo it; where it clashes, go back partly."""
        before = self.ground.snapshot()
        engine = Engine.open(self.ground.root, self.ground.state)
        try:
            wish = UndoRequest(prompt=kept.prompt, session=session, partly=partly)
            options = Options(actor="cli:me", tool="cli rewind")
            receipt = engine.checkpoints.rewind(wish, options)
            after = self.ground.snapshot()
            self.compare(kept, session, before, after, ok=receipt.ok)
            if not receipt.ok:
                how = "refused partly" if partly else "refused"
                self.found[f"{how} {receipt.refusals[0].code}"] += 1
                if not partly and receipt.refusals[0].code == "undo-conflict":
                    self.rewind(kept, session, partly=True)
                return
            self.found["partly"] += partly
            if not receipt.transaction:  # all was as it would be
                self.found["changed without a word"] += after != before
                return
            back = engine.undo(UndoRequest(id=receipt.transaction), options)
            self.found["not undone"] += not back.ok or self.ground.snapshot() != before
        finally:
            engine.close()

    def compare(
        self, kept: Kept, session: str, before: Snapshot, after: Snapshot, *, ok: bool
    ) -> None:
        """Compare a tree that was gone back with what it has to be."""
        if session == EVERYBODY:
            self.found["exact"] += after == kept.tree
            self.found["not exact"] += after != kept.tree
        elif ok:
            self.found["selective"] += 1
            owed = self.lines.owed(before, kept.tree, kept.session, self.kept.index(kept))
            self.found["brought by the session"] += (lines_of(before) - owed).total()
            self.found["person's lines lost"] += (owed - lines_of(after)).total()
        else:
            self.found["refused and changed"] += before != after


def _bare(root: Path) -> bytes:
    return json.dumps({"hook_event_name": "SessionStart", "cwd": str(root)}).encode()


def _killed_hook(host: str, body: bytes, root: Path, after: int) -> None:
    """Take a hook and die at a failpoint on its way."""
    counted = iter(range(1, after))

    def hook(_: str) -> None:
        if next(counted, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    with failpoints.watch(hook):
        take_hook(host, body or _bare(root), os.environ)


def void(_: object) -> None:
    """Take a value that nobody needs."""


def run(steps: int, seed: int, mood: str = "mixed", fault: str = "") -> Counter[str]:
    """Play one session, `mixed`, `calm` or `killed`; return what the judge found."""
    with memory_directory() as home:
        root = home / "root"
        root.mkdir()
        os.environ.update(XDG_STATE_HOME=str(home / "state"), HOME=str(home))
        if fault:
            FAULTS[fault]()
        kills = _KILLS if mood == "killed" else 0.0
        ground = Playground(root, home / "state", random.Random(seed))
        trial = Trial(ground, kills, calm=mood == "calm")
        trial.run(steps)
        if fault not in LOOKS:
            trial.go_back()
        return trial.found


if __name__ == "__main__":
    number, chance, *rest = sys.argv[1:]
    report(run(int(number), int(chance), *rest))
