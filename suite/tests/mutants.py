"""Seeded defects: the reference engine with one method broken, as servers of the field break it."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from edit_suite.case import Call
from edit_suite.engines.reference import Reference, Refused, Span, Text
from edit_suite.hunks import FilePatch, Hunk
from edit_suite.judge import Answer
from edit_suite.place import Place


class FirstMatch(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        return super().find(text, old)[:1]


class LastMatch(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        return super().find(text, old)[-1:]


class SkipsOverlapping(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        found: list[Span] = []
        for span in super().find(text, old):
            if not found or span[0] >= found[-1][1]:
                found.append(span)
        return found


class IgnoresCase(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        return super().find(text, old) or super().find(text.lower(), old.lower())[:1]


class QuoteIsRegex(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        try:
            return [found.span() for found in re.finditer(old, text)]
        except re.error:
            return super().find(text, old)


class FuzzyMatch(Reference):
    """Takes the line that is most like the quote."""

    def find(self, text: str, old: str) -> list[Span]:
        found = super().find(text, old)
        if found or "\n" in old:
            return found
        best = self.nearest(text, old).split("\n")[0]
        return super().find(text, best)[:1] if best else []


class IgnoresIndentation(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        found = super().find(text, old)
        if found:
            return found
        pattern = r"\n[ \t]*".join(re.escape(line.strip()) for line in old.split("\n"))
        return [each.span() for each in re.finditer(pattern, text)][:1]


class NormalisesUnicode(Reference):
    def find(self, text: str, old: str) -> list[Span]:
        folded = unicodedata.normalize("NFKC", text), unicodedata.normalize("NFKC", old)
        return super().find(*folded) if len(folded[0]) == len(text) else super().find(text, old)


class FollowsEmptyQuotes(Reference):
    def locate(self, text: str, old: str, new: str) -> Span:
        return super().locate(text, old, new) if old.strip() else (0, 0)


class DollarPatterns(Reference):
    def fit(self, text: str, span: Span, new: str) -> str:
        return super().fit(
            text, span, new.replace("$&", text[span[0] : span[1]]).replace("$$", "$")
        )


class BackslashPatterns(Reference):
    def fit(self, text: str, span: Span, new: str) -> str:
        return super().fit(text, span, new.replace("\\n", "\n").replace("\\\\", "\\"))


class KeepsSentLineEnds(Reference):
    def fit(self, _text: str, _span: Span, new: str) -> str:
        return new


class StripsNewText(Reference):
    def fit(self, text: str, span: Span, new: str) -> str:
        return super().fit(text, span, new.strip())


class WritesElisions(Reference):
    def is_left_out(self, _old: str, _new: str) -> bool:
        return False


class AddsTwice(Reference):
    def is_made(self, *_given: object) -> bool:
        return False


class LastEditWins(Reference):
    """Checks nothing where two edits meet: the later one is laid over the earlier."""

    def replace_text(self, text: str, call: Call) -> str:
        spans = [(self.locate(text, edit["old"], edit["new"]), edit["new"]) for edit in call.edits]
        for (start, end), new in sorted(spans, reverse=True):
            text = text[:start] + new + text[end:]
        return text


class SkipsFailedEdits(Reference):
    def replace_text(self, text: str, call: Call) -> str:
        for edit in call.edits:
            try:
                one = Call("replace_text", call.path, edit)
                text = super().replace_text(text, one)
            except Refused:
                if len(call.edits) == 1:
                    raise
        return text


class StopsHalfway(Reference):
    """Writes the edits before the one that fails, and refuses."""

    def carry_out(self, call: Call, place: Place) -> str:
        if call.verb != "replace_text":
            return super().carry_out(call, place)
        said = ""
        for edit in call.edits:
            said = super().carry_out(Call(call.verb, call.path, edit), place)
        return said


class FalseSuccess(Reference):
    def call(self, call: Call, place: Place) -> Answer:
        answer = super().call(call, place)
        return Answer(refused=False, text=answer.text)


class FalseRefusal(Reference):
    def call(self, call: Call, place: Place) -> Answer:
        answer = super().call(call, place)
        return Answer(refused=True, text=answer.text)


class DoesNothing(Reference):
    def store(self, files: Sequence[tuple[Path, bytes | None]]) -> str:
        return f"wrote {len(files)} files"


class ToLf(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, data.replace(b"\r\n", b"\n"))


class ToOneLineEnd(Reference):
    """Gives every line the end that the first one has."""

    def write(self, path: Path, data: bytes) -> None:
        first = re.search(rb"\r?\n", data)
        super().write(path, re.sub(rb"\r?\n", first[0], data) if first else data)


class UniversalNewlines(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, re.sub(rb"\r\n?", b"\n", data))


class AddsFinalNewline(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, data if data.endswith((b"\n", b"\x00")) or not data else data + b"\n")


class DropsFinalNewline(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, data.rstrip(b"\n"))


class StripsTrailingBlanks(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, re.sub(rb"[ \t]+(?=\n)", b"", data))


class ExpandsTabs(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, data.replace(b"\t", b"    "))


class DropsMark(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, data.removeprefix(b"\xef\xbb\xbf"))


class ReplacesBadBytes(Reference):
    def load(self, path: Path) -> Text:
        if not path.is_file():
            raise Refused("no file")
        return Text(path.read_bytes().decode("utf-8", "replace"), "utf-8")


class LosesMode(Reference):
    def write(self, path: Path, data: bytes) -> None:
        super().write(path, data)
        path.chmod(0o644)


class WritesInPlace(Reference):
    """Truncates, and takes its time."""

    def write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            stream.write(data[: len(data) // 2])
            stream.flush()
            time.sleep(0.002)
            stream.write(data[len(data) // 2 :])


class LeavesBackups(Reference):
    def write(self, path: Path, data: bytes) -> None:
        if path.exists():
            Path(f"{path}.orig").write_bytes(path.read_bytes())
        super().write(path, data)


class BreaksLinks(Reference):
    """Writes over the link instead of its target."""

    def resolve(self, path: str) -> Path:
        super().resolve(path)
        return self.root / path


class FollowsDots(Reference):
    def resolve(self, path: str) -> Path:
        return (self.root / path).resolve() if ".." in path else super().resolve(path)


class FollowsLinksOut(Reference):
    def resolve(self, path: str) -> Path:
        if ".." in path or path.startswith("/"):
            return super().resolve(path)
        return (self.root / path).resolve()


class TrustsAbsolutePaths(Reference):
    def resolve(self, path: str) -> Path:
        return Path(path) if path.startswith("/") else super().resolve(path)


class NoLock(Reference):
    def call(self, call: Call, place: Place) -> Answer:
        try:
            return Answer(refused=False, text=self.carry_out(call, place))
        except Refused as refused:
            return Answer(refused=True, text=str(refused))

    def write(self, path: Path, data: bytes) -> None:
        time.sleep(0.002)
        super().write(path, data)


class OffByOne(Reference):
    def replace_lines(self, text: str, call: Call) -> str:
        moved = {"first": call["first"] + 1, "last": call["last"] + 1, "text": call["text"]}
        return super().replace_lines(text, Call(call.verb, call.path, moved))


class ClampsRanges(Reference):
    def replace_lines(self, text: str, call: Call) -> str:
        most = len(self.lines(text))
        first, last = (min(max(1, call[side]), most) for side in ("first", "last"))
        span = {"first": first, "last": last, "text": call["text"]}
        return super().replace_lines(text, Call(call.verb, call.path, span))


class AppendsBeyondTheEnd(Reference):
    def insert(self, text: str, call: Call) -> str:
        after = min(call["after"], len(self.lines(text)))
        return super().insert(
            text, Call(call.verb, call.path, {"after": after, "text": call["text"]})
        )


class InsertsAbove(Reference):
    def insert(self, text: str, call: Call) -> str:
        after = max(0, call["after"] - 1)
        return super().insert(
            text, Call(call.verb, call.path, {"after": after, "text": call["text"]})
        )


class SplitsAtFormFeeds(Reference):
    def lines(self, text: str) -> list[str]:
        return text.splitlines(keepends=True)


class IgnoresStaleness(Reference):
    def is_stale(self, _path: Path) -> bool:
        return False


class TrustsHunkNumbers(Reference):
    def place_hunk(self, lines: Sequence[str], hunk: Hunk, floor: int) -> int:
        return (
            super().place_hunk(lines, hunk, floor) if hunk.start is None else max(0, hunk.start - 1)
        )


class FirstHunkPlace(Reference):
    def place_hunk(self, lines: Sequence[str], hunk: Hunk, floor: int) -> int:
        size = len(hunk.old)
        found = [
            at
            for at in range(floor, len(lines) - size + 1)
            if [*lines[at : at + size]] == [*hunk.old]
        ]
        return found[0] if found and size else super().place_hunk(lines, hunk, floor)


class IgnoresContext(Reference):
    """Looks only for the lines that a hunk keeps in common with the file: a fuzz without limit."""

    def place_hunk(self, lines: Sequence[str], hunk: Hunk, floor: int) -> int:
        try:
            return super().place_hunk(lines, hunk, floor)
        except Refused:
            found = [at for at, line in enumerate(lines) if hunk.old and line == hunk.old[0]]
            if len(found) != 1:
                raise
            return found[0]


class SkipsFailedHunks(Reference):
    def apply_hunk(self, text: str, hunk: Hunk, floor: int) -> tuple[str, int]:
        try:
            return super().apply_hunk(text, hunk, floor)
        except Refused:
            return text, floor


class WritesFileByFile(Reference):
    def apply_diff(self, diff: str) -> str:
        parts = [part for part in re.split(r"(?m)^(?=--- )", diff) if part.startswith("--- ")]
        for part in parts:
            super().apply_diff(part)
        if not parts:
            raise Refused("this is no diff")
        return "done"


class OverwritesNewFiles(Reference):
    def patched(self, patch: FilePatch) -> tuple[Path, bytes | None]:
        path = self.resolve(patch.path)
        if patch.is_new:
            return path, "".join(f"{line}\n" for line in patch.hunks[0].new).encode()
        return super().patched(patch)


class RemovesWithoutLooking(Reference):
    def patched(self, patch: FilePatch) -> tuple[Path, bytes | None]:
        return (self.resolve(patch.path), None) if patch.is_removed else super().patched(patch)


class LosesTheRest(Reference):
    """Writes the file only as far as the edit reached."""

    def replace_text(self, text: str, call: Call) -> str:
        changed = super().replace_text(text, call)
        new = call.edits[-1]["new"]
        return changed[: changed.find(new) + len(new)] if new else changed


MUTANTS: tuple[type[Reference], ...] = tuple(
    each
    for each in globals().values()
    if isinstance(each, type) and issubclass(each, Reference) and each is not Reference
)
