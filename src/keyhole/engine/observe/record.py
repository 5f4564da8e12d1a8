"""What a look records: what changed since the last one and is not keyhole's.

Worked example: the last look kept `a` as 1. Keyhole's entry 7 made it 2, and it holds 3. Then
entry 8 becomes 2 -> 3, by whoever was at work. Had entry 7 found 0 and not 1, an entry 1 -> 0 would
be recorded too: somebody was there before keyhole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from keyhole.answers.observation import Observation
from keyhole.checkpoints.actors import Actors, Attribution, actors_now
from keyhole.checkpoints.file_changes import (
    ChangeRecorder,
    OutsideChange,
    with_moves,
)
from keyhole.checkpoints.happenings import Happening
from keyhole.checkpoints.kept_out import (
    BECAME,
    CLOCKS,
    LINK,
    ListedFile,
    came_since,
)
from keyhole.checkpoints.marks import Marks
from keyhole.checkpoints.outside import last_change, record_outside
from keyhole.checkpoints.store import DROP_EVERY, DROP_FROM, PACK_EVERY
from keyhole.disk import failpoints
from keyhole.engine.observe.glance import Glance
from keyhole.git.shadow import PROGRAM, BlobReader, ShadowRepository, StagedChange
from keyhole.journal.model import Entry, FileChange, Journal, Query
from keyhole.text.document import hash_of
from keyhole.workspace.tree import Tree

# Texts that are held until the journal has them; of more, each is read again.
_IN_MEMORY = 64 << 20


class TreeLook:
    """What one look needs, from the state of the last one on."""

    def __init__(self, tree: Tree, marks: Marks, repository: ShadowRepository) -> None:
        self._tree, self._marks, self._repository = tree, marks, repository
        self._journal: Journal = tree.journal
        self._root = tree.root.path
        self._is_first = not repository.is_there

    def carry_out(self, happening: Happening, glance: Glance) -> Observation:
        """Record what changed, keep the tree, and mark the happening."""
        is_first, newest = self._is_first, glance.newest or 0
        since = min(int(self._marks.fact("position") or 0), newest)
        moved = self._marks.fact("git") not in {"", glance.git}
        taken, out, gone = glance.taken, glance.out, glance.gone
        failpoints.reach("looked")
        left = [each.path for each in out if not each.path.endswith("/")]
        self._repository.stage(taken, [*gone, *left])
        staged = self._repository.staged() if taken or out or gone else []
        failpoints.reach("look-staged")
        seen = self._seen_before({each.path: each.why for each in out}, staged)
        told = [each for each in staged if not seen(each)]
        known = {each.path for each in staged} | {each.path for each in out}
        told += self._put_back(known, since, newest)
        news = self._marks.relist(out) if not is_first else []
        who = actors_now(self._root, self._marks, glance.time, happening, git_moved=moved)
        entries = list(self._recorded(told, who, since, news, glance.time))
        failpoints.reach("look-recorded")
        if staged or is_first:
            self._repository.keep()
        failpoints.reach("look-kept")
        with self._marks.together():
            if is_first:
                self._marks.relist(out)
            self._marks.remember("position", str(newest))
            self._marks.remember("git", glance.git)
            self._marks.remember("looked", repr(glance.time))
            mark = self._marks.add(happening, _newest(self._journal), glance.time)
            count = self._count(bool(staged))
        if staged or (is_first and taken):
            self._tidy(count, len(staged), is_first=is_first)
        return Observation(mark.id, tuple(entries), tuple(news), is_first=is_first, kept=len(taken))

    def _put_back(self, known: Collection[str], since: int, newest: int) -> Iterator[StagedChange]:
        """Yield the files that are as they were at the last look, though keyhole changed them."""
        if newest == since:
            return
        entries = _since(self._journal, since)
        paths = {file.path for entry in entries for file in entry.files} - {*known}
        for one in self._repository.kept(sorted(paths)):
            # What is there and not kept is ignored, or only listed.
            if one.after or not os.path.lexists(Path(self._root, one.path)):
                yield one

    def _seen_before(
        self, out: Mapping[str, str], staged: Iterable[StagedChange]
    ) -> Callable[[StagedChange], bool]:
        """Return what tells whether a file only came into view, or went out of it.

        A file that was listed, or that git ignored, was there all the time: an undo of its coming
        would delete it. One that became a link, or too large, is gone as the file that it was.
        """
        was_out = self._marks.was_listed()
        repositories = tuple(each for each in was_out if each.endswith("/"))
        last = float(self._marks.fact("looked") or 0.0)
        # Where the clock went back since, a new file may look older than the last look.
        looked = last - CLOCKS if last <= time.time() else 0.0
        moved = {one.before for one in staged if one.before and not one.after}

        def is_old(one: StagedChange) -> bool:
            if one.path in out:
                return not one.before or out[one.path] not in BECAME
            # A link has no text: the file in its place is all new.
            if one.before or was_out.get(one.path) == LINK or self._is_gone(one.path, was_out):
                return False
            if one.path in was_out or one.path.startswith(repositories):
                return True
            return one.after not in moved and not came_since(self._root, one.path, looked)

        return is_old

    def _is_gone(self, path: str, was_out: Collection[str]) -> bool:
        """Tell whether a file was listed and is gone as far as the journal knows."""
        last = last_change(self._journal, path) if path in was_out else None
        return last is not None and last.after is None

    def _count(self, changed: bool) -> int:  # noqa: FBT001 - a count
        """Return how many looks found something, this one included."""
        count = int(self._marks.fact("changes") or 0) + changed
        self._marks.remember("changes", str(count))
        return count

    def _tidy(self, count: int, files: int, *, is_first: bool) -> None:
        """Pack what is kept, or drop what was replaced, where it is time to."""
        if is_first or count % PACK_EVERY == 0:
            self._repository.prune()
        elif count % DROP_EVERY == 0 or files >= DROP_FROM:
            self._repository.drop()

    def _recorded(
        self,
        staged: Sequence[StagedChange],
        who: Actors,
        since: int,
        news: Sequence[ListedFile],
        now: float,
    ) -> Iterator[Entry]:
        """Record what is not keyhole's: what others did between its entries, then the rest."""
        groups: dict[Attribution, list[StagedChange]] = {}
        for one in staged:
            groups.setdefault(who.of(one.path), []).append(one)
        with self._repository.reading() as blobs:
            texts, steps = _Texts(blobs), _Steps(self._journal, since)
            for each, own in groups.items():
                between = [self._between(one, steps, texts) for one in own]
                for nth in range(max(map(len, between), default=0)):
                    gaps = (gap[nth] for gap in between if nth < len(gap))
                    yield from self._entry(gaps, each, texts, (), now)
                late = (self._late(one, steps, texts) for one in own)
                yield from self._entry(late, each, texts, news, now)
                news = ()

    def _between(self, one: StagedChange, steps: _Steps, texts: _Texts) -> list[OutsideChange]:
        """Return what others did to a file before and between what the journal has since."""
        known = steps.of(one.path)
        if not known or self._is_first:
            return []
        before = texts.of(one.before)
        name = texts.hash(before)
        seen = [at for at, step in enumerate(known) if step.after == name]
        rest = known[seen[-1] + 1 :] if seen else known
        states = [name, *(step.after for step in rest)]
        program = one.mode_before == PROGRAM
        return [
            OutsideChange(
                one.path,
                before if was == name else self._text(was),
                self._text(step.before),
                program,
                program,
            )
            for was, step in zip(states, rest, strict=False)
            if was != step.before
        ]

    def _text(self, name: str | None) -> bytes | None:
        return self._journal.image(name) if name else None

    def _late(self, one: StagedChange, steps: _Steps, texts: _Texts) -> OutsideChange:
        """Return what others did to a file since keyhole, or since the last look."""
        last = steps.last(one.path)
        after, is_program = texts.of(one.after), one.mode_after == PROGRAM
        was_program = one.mode_before == PROGRAM
        if last is None:
            return OutsideChange(one.path, texts.of(one.before), after, was_program, is_program)
        before = self._text(last.after)
        known = steps.program(one.path)
        was_program = was_program if known is None else known
        if last.before is None and last.gains is None:  # a new file has the mode that it got
            was_program = is_program
        return OutsideChange(one.path, before, after, was_program, is_program)

    def _entry(
        self,
        changes: Iterable[OutsideChange],
        who: Attribution,
        texts: _Texts,
        news: Sequence[ListedFile],
        now: float,
    ) -> Iterator[Entry]:
        recorder = ChangeRecorder(who.reason)
        records: list[FileChange] = []
        for change in changes:
            if not change.is_nothing:
                texts.keep(change)
                records.append(recorder.record(change))
        if records:
            yield record_outside(self._journal, with_moves(records), texts, who, now, news)


def settled(tree: Tree) -> int:
    """Finish what a crash left unfinished, and return the last entry of the journal."""
    if tree.journal.pending():
        tree.recover()
    return _newest(tree.journal)


def _newest(journal: Journal) -> int:
    return next((each.order for each in journal.entries(Query(limit=1))), 0)


def _since(journal: Journal, order: int) -> list[Entry]:
    """Return the entries after a point, newest first; each is read once, however many files."""
    if _newest(journal) <= order:
        return []
    from keyhole.history import targets  # a hook that finds nothing does not wait for it

    return [*islice(targets.applied_since(journal, order), targets.MOST)]


class _Steps:
    """What the journal knows of files since the last look."""

    def __init__(self, journal: Journal, since: int) -> None:
        self._known: dict[str, list[FileChange]] = {}
        for entry in reversed(_since(journal, since)):
            for file in entry.files:
                self._known.setdefault(file.path, []).append(file)

    def of(self, path: str) -> Sequence[FileChange]:
        """Return what was done to a file, oldest first."""
        return self._known.get(path, ())

    def last(self, path: str) -> FileChange | None:
        """Return the last thing that was done."""
        found = self.of(path)
        return found[-1] if found else None

    def program(self, path: str) -> bool | None:
        """Tell whether the file was a program when keyhole last gave it a mode."""
        modes = [each.gains.is_program for each in self.of(path) if each.gains is not None]
        return modes[-1] if modes else None


class _Texts(Mapping[str, bytes]):
    """The texts of a look by their hashes, read from the kept blobs when somebody asks."""

    def __init__(self, blobs: BlobReader) -> None:
        self._blobs = blobs
        self._held: dict[str, bytes] = {}
        self._sources: dict[str, str] = {}
        self._size = 0
        self._last: tuple[str, bytes] = ("", b"")
        self._hashes: dict[int, str] = {}

    def of(self, blob: str) -> bytes | None:
        """Return the bytes of a blob, None for no blob."""
        if not blob:
            return None
        data = self._blobs.read(blob)
        self._sources.setdefault(self.hash(data) or "", blob)
        return data

    def hash(self, data: bytes | None) -> str | None:
        """Return keyhole's hash of some bytes."""
        return None if data is None else hash_of(data)

    def keep(self, change: OutsideChange) -> None:
        """Hold the texts of a change until the journal has them, as far as there is room."""
        for data in (change.before, change.after):
            if data is not None and (name := self.hash(data) or "") not in self._held:
                is_known = name in self._sources
                if not is_known or self._size + len(data) <= _IN_MEMORY:
                    self._held[name] = data
                    self._size += len(data)

    def __getitem__(self, name: str) -> bytes:
        if name in self._held:
            return self._held[name]
        return self._blobs.read(self._sources[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._held.keys() | self._sources.keys())

    def __len__(self) -> int:
        return len(self._held.keys() | self._sources.keys())
