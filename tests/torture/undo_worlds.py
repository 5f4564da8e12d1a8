"""Random worlds of edits, saves and undos, judged by a model: python -m tests.torture.undo_worlds.

`undo_worlds FIRST COUNT [FAULT]` runs worlds by their seeds; `undo_worlds --show SEED` tells one.

The laws: an undo that is carried out leaves what the model says, so no outsider's line is lost, no
line is doubled and none comes up that nobody wrote; a refused one changes nothing; the undo of what
was done last is exact; the undo of an undo is exact.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, Operation, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from tests.torture.arena import memory
from tests.torture.undo_model import (
    Effect,
    Entry,
    File,
    Line,
    Rename,
    World,
    arrange,
    differences,
    texts_of,
)

NAMES = ("a.txt", "b.txt", "d/c.txt")
TASKS = ("", "red", "blue")
TWINS = ("begin", "  run()", "  run()", "end")
# How many edits of one line a long history has: more than anybody looks back step by step.
LONG = 210


class Violation(AssertionError):  # noqa: N818 - what the laws call it
    """A law that did not hold."""


@dataclass(slots=True)
class Play:
    """One world, the engine on it, and the dice."""

    dice: random.Random
    root: Path
    engine: Engine
    world: World = field(default_factory=World)
    told: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    number: int = 0

    def text(self) -> str:
        """Return a line that nobody wrote before, of three words."""
        self.number += 1
        return f"w{self.number} x{self.number} y{self.number}"

    def lines(self, most: int = 3) -> list[str]:
        """Return some new lines, seldom a blank one among them."""
        count = self.dice.randint(1, most)
        return ["" if self.dice.random() < 0.06 else self.text() for _ in range(count)]

    def disk(self) -> dict[str, bytes]:
        """Return every file as it is on the disk."""
        found = {name: self.root / name for name in NAMES}
        return {name: path.read_bytes() for name, path in found.items() if path.exists()}

    def tell(self, what: str) -> None:
        """Keep what happened, for whoever looks at a world."""
        self.told.append(what)


def lines_of(data: bytes) -> list[str]:
    """Return the lines of a file without their ends."""
    text = data.decode("utf-8").replace("\r\n", "\n")
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def content_of(texts: Sequence[str]) -> str:
    """Return lines as the content of an edit."""
    return "".join(f"{text}\n" for text in texts)


def check_disk(play: Play, law: str) -> None:
    """Hold the disk against the model."""
    disk = play.disk()
    paths = sorted(file.path for file in play.world.present)
    if sorted(disk) != paths:
        raise Violation(f"{law}: files are {sorted(disk)}, wanted {paths}")
    for file in play.world.present:
        found = lines_of(disk[file.path])
        if told := differences(file, found):
            raise Violation(f"{law}: {told}")
        arrange(file, found)
        strange = [line for line in found if line not in play.world.written]
        if strange:
            raise Violation(f"{law}: nobody wrote {strange}")


# What agents do


def agent_edits(play: Play) -> None:
    """Make one transaction of one to three edits of one or two files."""
    files = play.dice.sample(play.world.present, min(len(play.world.present), 2))
    operations: list[Operation] = []
    works: list[Callable[[], Effect]] = []
    for file in files[: play.dice.choice((1, 1, 2))]:
        for first, last in spots(play, len(file.visible)):
            operation, work = edit_of(play, file, first, last)
            operations.append(operation)
            works.append(work)
    if operations:
        carry_out(play, operations, works)


def spots(play: Play, count: int) -> list[tuple[int, int]]:
    """Return one or two stretches of visible lines, last first, that do not overlap or touch."""
    found: list[tuple[int, int]] = []
    for _ in range(play.dice.choice((1, 1, 2))):
        first = play.dice.randint(0, count)
        last = min(count, first + play.dice.randint(0, 2))
        if all(last + 1 < start or stop + 1 < first for start, stop in found):
            found.append((first, last))
    return sorted(found, reverse=True)


def edit_of(
    play: Play, file: File, first: int, last: int
) -> tuple[Operation, Callable[[], Effect]]:
    """Return an edit of lines `first` up to `last`, and what it does to the model."""
    seen, path = file.visible, file.path
    way = play.dice.choice(("replace", "replace", "delete", "word", "insert"))
    if first == last or way == "insert":
        texts, action = play.lines(), "after" if first else "replace"
        edit = Edit(path=path, lines=first, action=action, content=content_of(texts), indent="keep")
        return edit, lambda: file.replace(first, first, texts)
    if way == "word" and seen[first].text.count(" ") == 2:
        words = seen[first].text.split(" ")
        words[play.dice.randrange(3)] = play.text().split(" ")[0]
        texts = [" ".join(words)]
        old = seen[first].text
        return (
            Edit(path=path, find=old, lines=f"{first + 1}", content=texts[0], indent="keep"),
            lambda: file.replace(first, first + 1, texts),
        )
    lines = f"{first + 1}-{last}"
    if way == "delete":
        return Edit(path=path, lines=lines, action="delete"), lambda: file.replace(first, last, ())
    texts = play.lines()
    edit = Edit(path=path, lines=lines, content=content_of(texts), indent="keep")
    return edit, lambda: file.replace(first, last, texts)


def carry_out(
    play: Play, operations: Sequence[Operation], works: Sequence[Callable[[], Effect]]
) -> None:
    """Make one transaction for real and in the model, and see that both agree."""
    task, before = play.dice.choice(TASKS), play.disk()
    options = Options(task=task, actor="agent", on_conflict="force", mode="interactive")
    receipt = play.engine.edit(operations, options)
    if not receipt.ok or receipt.outcome != "applied":
        refused(play, before, receipt, "edit")
        return
    effects = []
    for index, work in enumerate(works):
        effect = work()
        effect.edit = index
        effects.append(effect)
    play.world.entries.append(Entry(receipt.transaction, task, tuple(effects)))
    play.world.look()
    play.counts["edits"] += 1
    play.tell(f"{receipt.transaction} edit by {task!r}: {[op_told(op) for op in operations]}")
    check_disk(play, "an edit does what it says")
    if play.dice.random() < 0.15:
        undo_of_the_last(play, before)


def op_told(operation: Operation) -> str:
    """Return an operation in short."""
    if isinstance(operation, Edit):
        where = f"lines {operation.lines}" if operation.lines else ""
        return f"{operation.action} {operation.path} {where} {operation.content!r}"
    return repr(operation)


def undo_of_the_last(play: Play, before: dict[str, bytes]) -> None:
    """Take back what was done this moment: exact, and exact when it is made again."""
    entry = play.world.entries[-1]
    after = play.disk()
    name = undo(play, UndoRequest(entry.id), "the undo of the last")
    play.counts["undos of the last"] += 1
    if play.disk() != before:
        raise Violation(f"the undo of the last is exact: {play.disk()}, not {before}")
    undo(play, UndoRequest(name), "its redo")
    if play.disk() != after:
        raise Violation(f"the redo of the last is exact: {play.disk()}, not {after}")
    flips = tuple(reversed(entry.effects))
    play.world.entries.append(Entry(name, "", flips, is_undo=True))
    play.world.entries.append(Entry(last_id(play), "", entry.effects, is_undo=True))


def last_id(play: Play) -> str:
    """Return the id that the last receipt gave."""
    return play.told[-1].split(" ")[0]


def undo(play: Play, wish: UndoRequest, law: str) -> str:
    """Undo what must be possible."""
    receipt = play.engine.undo(wish, Options(actor="agent"))
    if not receipt.ok:
        raise Violation(f"{law} is refused: {receipt.as_text()}")
    play.tell(f"{receipt.transaction} undo {wish.id}")
    return receipt.transaction


def agent_makes(play: Play) -> None:
    """Create a file where there is none."""
    free = [name for name in NAMES if play.world.at(name) is None]
    if not free:
        return
    path, texts = play.dice.choice(free), play.lines(4)
    texts = [text or play.text() for text in texts]

    def work() -> Effect:
        file = File(path, [Line(text) for text in texts])
        play.world.files.append(file)
        return Rename(file, "", path, tuple(texts))

    carry_out(play, [WriteFile(path, "".join(f"{text}\n" for text in texts))], [work])


def agent_deletes(play: Play) -> None:
    """Delete a file; its lines stay hidden with it."""
    if len(play.world.present) < 2:
        return
    file = play.dice.choice(play.world.present)

    def work() -> Effect:
        effect = Rename(file, file.path, "", texts_of(file))
        file.path = ""
        return effect

    carry_out(play, [DeleteFile(file.path)], [work])


def agent_moves(play: Play) -> None:
    """Move a file to a free name, or swap two."""
    present = play.world.present
    free = [name for name in NAMES if play.world.at(name) is None]
    if free and present and play.dice.random() < 0.5:
        file, target = play.dice.choice(present), play.dice.choice(free)
        carry_out(play, [MoveFile(file.path, target)], [lambda: renamed(file, target)])
    elif len(present) > 1:
        swap(play, *play.dice.sample(present, 2))


def renamed(file: File, target: str) -> Effect:
    """Give a file another name in the model."""
    effect = Rename(file, file.path, target)
    file.path = target
    return effect


def swap(play: Play, one: File, two: File) -> None:
    """Swap two files' names by a patch, as git writes it."""
    first, second, before = one.path, two.path, play.disk()
    patch = "".join(
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
        for old, new in ((first, second), (second, first))
    )
    receipt = play.engine.patch(patch, Options(actor="agent", on_conflict="force"))
    if not receipt.ok or receipt.outcome != "applied":
        refused(play, before, receipt, "swap")
        return
    effects = (renamed(one, second), renamed(two, first))
    play.world.entries.append(Entry(receipt.transaction, "", effects))
    play.counts["swaps"] += 1
    play.tell(f"{receipt.transaction} swap {first} {second}")
    check_disk(play, "a swap does what it says")


def refused(play: Play, before: dict[str, bytes], receipt: Receipt, what: str) -> None:
    """Hold a call that was not carried out to having changed nothing."""
    code = receipt.refusals[0].code if receipt.refusals else receipt.outcome
    play.counts[f"{what} refused: {code}"] += 1
    play.tell(f"- {what} refused: {code}")
    if play.disk() != before:
        raise Violation(f"a refused {what} changed {before} to {play.disk()}")


# What people do beside keyhole


def person_saves(play: Play) -> None:
    """Save a file from outside: a word, a line, several, or only line ends."""
    files = [file for file in play.world.present if file.visible]
    if not files:
        return
    file = play.dice.choice(files)
    count = len(file.visible)
    first = play.dice.randrange(count)
    way = play.dice.choice(("word", "word", "insert", "delete", "replace", "ends", "last end"))
    ending = b"\r\n" if b"\r\n" in (play.root / file.path).read_bytes() else b"\n"
    last_end = (play.root / file.path).read_bytes().endswith(b"\n")
    if way == "word":
        words = file.visible[first].text.split(" ")
        words[play.dice.randrange(len(words))] = play.text().split(" ")[1]
        file.replace(first, first + 1, [" ".join(words)])
    elif way == "insert":
        file.replace(first, first, play.lines(2))
    elif way == "delete" and count > 1:
        file.replace(first, min(count - 1, first + play.dice.randint(1, 2)), ())
    elif way == "replace":
        file.replace(first, min(count, first + 2), play.lines())
    elif way == "ends":
        ending = b"\n" if ending == b"\r\n" else b"\r\n"
    elif way == "last end":
        last_end = not last_end
    file.is_saved_outside = True
    body = ending.join(text.encode() for text in texts_of(file))
    if last_end or not texts_of(file)[-1]:
        body += ending
    (play.root / file.path).write_bytes(body)
    play.world.look()
    play.counts["saves"] += 1
    play.tell(f"- a person saves {file.path} ({way}): {body!r}")


# What is taken back


def take_back(play: Play) -> None:
    """Undo something: a transaction, an edit, a file, a task, all since a point, an undo."""
    if not play.world.entries:
        return
    way = play.dice.choice(("id", "id", "id", "recent", "edit", "path", "task", "to"))
    recent = play.world.entries[-3:] if way == "recent" else play.world.entries
    entry = play.dice.choice(recent)
    wish, effects = (
        UndoRequest(entry.id),
        [each for each in reversed(entry.effects) if stands(entry, each)],
    )
    if way == "edit" and not entry.is_undo:
        index = play.dice.choice([effect.edit for effect in entry.effects])
        wish = UndoRequest(entry.id, edit=index)
        effects = [effect for effect in effects if effect.edit == index]
    elif way == "path" and not entry.is_undo:
        path = play.dice.choice(sorted(set().union(*(each.paths for each in entry.effects))))
        wish = UndoRequest(entry.id, path=path)
        effects = [effect for effect in effects if path in effect.paths]
    elif way == "task":
        task = play.dice.choice(TASKS[1:])
        wish = UndoRequest(task=task)
        ours = [each for each in play.world.entries if each.task == task and not each.is_undo]
        effects = [e for each in reversed(ours) for e in reversed(each.effects) if e.is_on]
    elif way == "to":
        wish, effects = UndoRequest(to=entry.id), list(play.world.since(entry))
    judge_undo(play, wish, effects)


def stands(entry: Entry, effect: Effect) -> bool:
    """Tell whether an effect is as an entry left it; of an undo nobody knows, so it is tried."""
    return entry.is_undo or effect.is_on


def judge_undo(play: Play, wish: UndoRequest, effects: Sequence[Effect]) -> None:
    """Carry an undo out and hold the result against the model."""
    before = play.disk()
    receipt = play.engine.undo(wish, Options(actor="agent"))
    bring_back = play.world.remember()
    known = play.world.flip(effects)
    if not receipt.ok or receipt.outcome != "applied":
        bring_back()
        refused(play, before, receipt, "undo")
        conflict = any(each.code == "undo-conflict" for each in receipt.refusals)
        play.counts["conflicts that the model knows how to undo"] += known and conflict
        return
    told = ", ".join(f"{k}={getattr(wish, k)}" for k in ("id", "edit", "path", "task", "to"))
    play.tell(f"{receipt.transaction} undo {told}")
    play.counts["undos"] += 1
    if not known:
        raise Violation("an undo was carried out for which the model knows no place")
    check_disk(play, "an undo leaves what the model says")
    check_ends(play, before)
    play.world.entries.append(Entry(receipt.transaction, "", tuple(effects), is_undo=True))
    play.world.look()
    if play.dice.random() < 0.5:
        redo_exactly(play, before)


def redo_exactly(play: Play, before: dict[str, bytes]) -> None:
    """Undo the undo that was made this moment: all is as it was before it."""
    entry = play.world.entries[-1]
    name = undo(play, UndoRequest(entry.id), "the redo of an undo")
    play.counts["redos"] += 1
    if play.disk() != before:
        raise Violation(f"the redo of an undo is exact: {play.disk()}, not {before}")
    effects = tuple(reversed(entry.effects))
    if not play.world.flip(effects):
        raise Violation("the model cannot redo what it undid")
    play.world.entries.append(Entry(name, "", effects, is_undo=True))
    play.world.look()


def check_ends(play: Play, before: dict[str, bytes]) -> None:
    """Check that lines which were there before an undo end as they did, but for last ones."""
    now = play.disk()
    for path, data in before.items():
        old, new = ends_of(data), ends_of(now.get(path, b""))
        other = [line.decode() for line in old.keys() & new.keys() if old[line] != new[line]]
        if other:
            raise Violation(f"an undo leaves the ends of other lines: {path} {other}")


def ends_of(data: bytes) -> dict[bytes, bool]:
    """Return which lines end with a carriage return; the last line and twins have no say."""
    lines = data.split(b"\n")[:-2]
    bare = Counter(line.rstrip(b"\r") for line in lines)
    return {
        line.rstrip(b"\r"): line.endswith(b"\r") for line in lines if bare[line.rstrip(b"\r")] == 1
    }


# Worlds


@contextmanager
def played(seed: int) -> Iterator[Play]:
    """Open an empty world."""
    with tempfile.TemporaryDirectory(dir=memory()) as home:
        root = Path(home) / "root"
        root.mkdir()
        engine = Engine.open(root, Path(home) / "state")
        try:
            yield Play(random.Random(seed), root, engine)
        finally:
            engine.close()


def begin(play: Play, texts: Sequence[Sequence[str]]) -> None:
    """Put the first files on the disk, as people wrote them."""
    for path, lines in zip(NAMES, texts, strict=False):
        target = play.root / path
        target.parent.mkdir(exist_ok=True)
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        play.world.files.append(File(path, [Line(line) for line in lines]))
        play.tell(f"- {path}: {list(lines)}")
    play.world.look()


AGENT = (agent_edits,) * 6 + (agent_makes, agent_deletes, agent_moves)


def play_open(play: Play) -> None:
    """Agents, people and undos; every line is another one."""
    begin(play, [[play.text() for _ in range(play.dice.randint(2, 8))] for _ in range(2)])
    for _ in range(play.dice.randint(4, 14)):
        play.dice.choice((*AGENT, *(person_saves,) * 4, *(take_back,) * 7))(play)


def play_twins(play: Play) -> None:
    """Agents and undos among lines that read the same; nobody saves outside."""
    begin(play, [TWINS * play.dice.randint(1, 3), [play.text()]])
    for _ in range(play.dice.randint(4, 14)):
        play.dice.choice((twin_edit, twin_edit, agent_edits, agent_moves, take_back))(play)


def twin_edit(play: Play) -> None:
    """Replace, copy or delete lines by texts that stand elsewhere, too."""
    files = [file for file in play.world.present if file.visible]
    if not files:
        return
    file = play.dice.choice(files)
    first = play.dice.randrange(len(file.visible))
    last = min(len(file.visible), first + play.dice.randint(1, 4))
    # A line that comes back as it was has stayed, so what comes must differ from what goes.
    choice = sorted({*TWINS, "  run(1)"} - {*texts_of(file)[first:last]})
    texts = [play.dice.choice(choice) for _ in range(play.dice.randint(0, 4) if choice else 0)]
    lines, path = f"{first + 1}-{last}", file.path
    content = content_of(texts)
    edit = Edit(path=path, lines=lines, content=content, indent="keep")
    if not texts:
        edit = Edit(path=path, lines=lines, action="delete")
    carry_out(play, [edit], [lambda: file.replace(first, last, texts)])


def play_long(play: Play) -> None:
    """The same among equal blocks, and then a line that is edited again and again."""
    block = ["def f():", "    run()", "    return 1", ""]
    begin(play, [["head", *block, "middle", *block, "tail"]])
    file = play.world.files[0]
    lines = texts_of(file)
    at = lines.index("    run()")
    replace_lines(play, file, at, at + 1, ["    run(1)"])
    replace_lines(play, file, at - 1, at + 3, [])
    at = texts_of(file).index("    run()")
    replace_lines(play, file, at, at + 1, ["    run(1)"])
    for number in range(LONG):
        replace_lines(play, file, 0, 1, [f"head {number}"])
    for _ in range(3):
        take_back(play)
    judge_undo(
        play,
        UndoRequest(play.world.entries[0].id),
        [each for each in play.world.entries[0].effects if each.is_on],
    )


def replace_lines(play: Play, file: File, first: int, last: int, texts: list[str]) -> None:
    """Replace visible lines in one transaction."""
    edit = Edit(
        path=file.path, lines=f"{first + 1}-{last}", content=content_of(texts), indent="keep"
    )
    if not texts:
        edit = Edit(path=file.path, lines=f"{first + 1}-{last}", action="delete")
    options = Options(actor="agent")
    receipt = play.engine.edit([edit], options)
    assert receipt.ok, receipt.as_text()
    effect = file.replace(first, last, texts)
    play.world.entries.append(Entry(receipt.transaction, "", (effect,)))
    play.world.look()


def kind_of(seed: int) -> Callable[[Play], None]:
    """Return what a world of a seed is like: one in a hundred has a long history."""
    if seed % 100 == 99:
        return play_long
    return play_twins if seed % 4 == 3 else play_open


def run_world(seed: int, found: Counter[str]) -> list[str]:
    """Play one world; return what happened if a law was broken."""
    with played(seed) as play:
        try:
            kind_of(seed)(play)
        except Violation as broken:
            found["violations"] += 1
            return [*play.told, f"VIOLATION in world {seed}: {broken}"]
        finally:
            found["worlds"] += 1
            found.update(play.counts)
    return []


def main(first: str, count: str, *faults: str) -> None:
    """Run worlds by their seeds, with faults planted or without, and print what was counted."""
    found: Counter[str] = Counter()
    for name in faults:
        planted()[name]()
    for seed in range(int(first), int(first) + int(count)):
        if told := run_world(seed, found):
            sys.stderr.write("\n".join(told[-1:]) + "\n")
    sys.stdout.write(json.dumps(found) + "\n")


def planted() -> dict[str, Callable[[], None]]:
    """Return the faults that can be planted."""
    from tests.torture.planted.undo import PLANTED

    return dict(PLANTED)


def show(seed: str) -> None:
    """Tell one world, step by step."""
    found: Counter[str] = Counter()
    with played(int(seed)) as play:
        try:
            kind_of(int(seed))(play)
        except Violation as stopped:
            play.tell(f"STOPPED: {type(stopped).__name__} {stopped}\n{play.disk()}")
    sys.stdout.write("\n".join(play.told) + f"\n{dict(found + play.counts)}\n")


if __name__ == "__main__":
    show(sys.argv[2]) if sys.argv[1] == "--show" else main(*sys.argv[1:])
