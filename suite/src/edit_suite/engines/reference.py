"""A small engine that does no harm: what the suite is tested with, and an example to read.

It lands what it can find to the character (line ends aside), and refuses everything else with the
lines that are most like what was asked for. `tests/mutants.py` breaks one method of it at a time.
"""

from __future__ import annotations

import difflib
import itertools
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from edit_suite.case import Call, Case
from edit_suite.hunks import FilePatch, Hunk, parse
from edit_suite.judge import Answer
from edit_suite.place import Place

Span = tuple[int, int]
_REMARK = re.compile(
    r"^\s*(?:#|//|/\*)\s*(?:\.\.\.|\(?(?:rest|keep|existing|unchanged)\b)", re.MULTILINE
)
_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Refused(Exception):  # noqa: N818 - an answer
    """The engine says no, and why."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file as text, and how its bytes are spelled."""

    text: str
    encoding: str

    @classmethod
    def of(cls, data: bytes) -> Text:
        """Decode a file; bytes that are no UTF-8 survive as lone surrogates."""
        encoding = _MARKS.get(data[:2], "utf-8")
        return cls(data.decode(encoding, "surrogateescape"), encoding)

    def encode(self, text: str) -> bytes:
        """Encode a new text in the same way."""
        return text.encode(self.encoding, "surrogateescape")


@dataclass(slots=True)
class Reference:
    """The engine; every call is made under one lock."""

    name: str = "reference"
    root: Path = Path()
    lock: threading.Lock = field(default_factory=threading.Lock)
    # What the caller was shown last: numbers of its lines are worth nothing on another text.
    read: dict[Path, bytes] = field(default_factory=dict)

    def offers(self, case: Case) -> bool:
        """Offer every verb."""
        return bool(case)

    def open(self, root: Path) -> None:
        """Serve a root."""
        self.root = root

    def kill(self) -> None:
        """Nothing runs elsewhere."""

    def close(self) -> None:
        """Nothing is open."""

    def call(self, call: Call, place: Place) -> Answer:
        """Make one call."""
        try:
            with self.lock:
                return Answer(refused=False, text=self.carry_out(call, place))
        except Refused as refused:
            return Answer(refused=True, text=str(refused))

    def carry_out(self, call: Call, place: Place) -> str:
        """Dispatch by the verb."""
        if call.verb == "read":
            path = self.resolve(place.relative(call.path))
            self.read[path] = path.read_bytes()
            return self.load(path).text
        if call.verb == "apply_diff":
            return self.apply_diff(place.diff(call["diff"]))
        path = self.resolve(place.relative(call.path))
        if call.verb == "write":
            return self.store([(path, str(call["text"]).encode())])
        file = self.load(path)
        if call.verb != "replace_text" and self.is_stale(path):
            raise Refused(f"{path.name} has changed since it was read; it reads now:\n{file.text}")
        changed = {
            "replace_text": self.replace_text,
            "replace_lines": self.replace_lines,
            "insert": self.insert,
        }[call.verb](file.text, call)
        return self.store([(path, file.encode(changed))])

    # Paths and files.

    def resolve(self, path: str) -> Path:
        """Return where a path leads, which must be below the root."""
        real = Path(os.path.realpath(self.root / path))
        if not real.is_relative_to(self.root):
            raise Refused(f"{path} is outside of the root")
        return real

    def load(self, path: Path) -> Text:
        """Read a file."""
        if not path.is_file():
            raise Refused(f"{path.name} is no file")
        return Text.of(path.read_bytes())

    def is_stale(self, path: Path) -> bool:
        """Tell whether the caller was shown another version of the file."""
        return path in self.read and self.read[path] != path.read_bytes()

    def store(self, files: Sequence[tuple[Path, bytes | None]]) -> str:
        """Write files, each in one step; None removes it."""
        for path, data in files:
            if data is None:
                path.unlink()
            else:
                self.write(path, data)
        return f"wrote {len(files)} files"

    def write(self, path: Path, data: bytes) -> None:
        """Put a new file in the place of the old one, with its mode."""
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        handle, temporary = tempfile.mkstemp(dir=self.root.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)

    # Edits of a text.

    def replace_text(self, text: str, call: Call) -> str:
        """Make every edit of a call on the text as it was, or none."""
        places: list[tuple[Span, str]] = []
        for edit in call.edits:
            span = self.locate(text, edit["old"], edit["new"])
            if self.is_left_out(edit["old"], edit["new"]):
                raise Refused("the new text leaves code out")
            places.append((span, self.fit(text, span, edit["new"])))
        places.sort(key=lambda each: each[0])
        for (left, _), (right, _) in itertools.pairwise(places):
            if right[0] < left[1] or right == left:
                raise Refused("two edits overlap")
        for (start, end), new in reversed(places):
            text = text[:start] + new + text[end:]
        return text

    def locate(self, text: str, old: str, new: str) -> Span:
        """Return the one place of a quote."""
        if not old.strip():
            raise Refused("the quote is empty")
        spans = self.find(text, old)
        if not spans:
            raise Refused(f"the quote is not there; nearest:\n{self.nearest(text, old)}")
        if len(spans) > 1:
            numbers = [text.count("\n", 0, start) + 1 for start, _ in spans]
            raise Refused(f"the quote stands {len(spans)} times, at lines {numbers}")
        if self.is_made(text, spans[0], old, new):
            raise Refused("the new text is there already")
        return spans[0]

    def find(self, text: str, old: str) -> list[Span]:
        """Return every place of a quote, overlapping ones too; line ends may differ."""
        pattern = re.escape(old.replace("\r\n", "\n")).replace("\\\n", "\r?\n")
        return [(found.start(1), found.end(1)) for found in re.finditer(f"(?=({pattern}))", text)]

    def is_made(self, text: str, span: Span, old: str, new: str) -> bool:
        """Tell whether an addition stands around its quote already."""
        at = new.find(old)
        if at < 0 or new == old:
            return False
        return text.replace("\r\n", "\n").find(new, 0) >= 0 and new in text[span[0] - at :]

    def is_left_out(self, old: str, new: str) -> bool:
        """Tell whether the new text has a remark instead of code."""
        return bool(_REMARK.search(new)) and not _REMARK.search(old)

    def fit(self, text: str, span: Span, new: str) -> str:
        """Give new lines the line ends of their place."""
        plain = new.replace("\r\n", "\n")
        inside = text[span[0] : span[1]]
        ends = re.findall(r"\r?\n", inside)
        if len(set(ends)) > 1 and plain.count("\n") == len(ends):
            pieces = plain.split("\n")
            return "".join(piece + end for piece, end in zip(pieces, [*ends, ""], strict=True))
        return plain.replace("\n", ends[0] if ends else self.line_end(text, span[0]))

    def line_end(self, text: str, at: int) -> str:
        """Return the line end that is used around a place."""
        found = re.compile(r"\r?\n").search(text, at) or re.search(r"\r?\n", text)
        return found[0] if found else "\n"

    def nearest(self, text: str, old: str) -> str:
        """Return the lines that are most like a line of the quote."""
        lines = [line.rstrip("\r") for line in text.split("\n")]
        there = {*lines}
        missing = [line for line in old.split("\n") if line not in there] or old.split("\n")
        likely = [each for each in there if each.strip() and "padding" not in each]
        _, best = max(
            ((self.likeness(line, each), each) for line in missing for each in sorted(likely)),
            default=(0, ""),
        )
        at = lines.index(best)
        return "\n".join([best, *lines[max(0, at - 3) : at + 4]])

    def likeness(self, line: str, other: str) -> float:
        """Return how much two lines have in common, indentation included."""
        return difflib.SequenceMatcher(None, line, other).ratio()

    # Lines.

    def lines(self, text: str) -> list[str]:
        """Return the lines with their ends; only a newline ends one."""
        return re.findall(r"[^\n]*\n|[^\n]+", text)

    def replace_lines(self, text: str, call: Call) -> str:
        """Replace lines by number."""
        lines = self.lines(text)
        first, last = call["first"], call["last"]
        if not 1 <= first <= last <= len(lines):
            raise Refused(f"the file has {len(lines)} lines")
        mark = "\ufeff" if first == 1 and text.startswith("\ufeff") else ""
        new = self.ended(text, lines, last, call["text"])
        return "".join([*lines[: first - 1], mark + new, *lines[last:]])

    def insert(self, text: str, call: Call) -> str:
        """Insert lines below a line."""
        lines = self.lines(text)
        after = call["after"]
        if not 0 <= after <= len(lines):
            raise Refused(f"the file has {len(lines)} lines")
        new = self.ended(text, lines, after, call["text"])
        if after and not lines[after - 1].endswith("\n"):
            end = self.line_end(text, 0)
            return text + end + new.removesuffix(end)
        return "".join([*lines[:after], new, *lines[after:]])

    def ended(self, text: str, lines: Sequence[str], at: int, new: str) -> str:
        """Give new lines their ends: those of the file, and none behind a last line without one."""
        if not new:
            return ""
        whole = new if new.endswith("\n") else f"{new}\n"
        fitted = whole.replace("\r\n", "\n").replace("\n", self.line_end(text, 0))
        bare = at == len(lines) and lines and not lines[-1].endswith("\n")
        return fitted.rstrip("\r\n") if bare else fitted

    # Diffs.

    def apply_diff(self, diff: str) -> str:
        """Apply every file of a diff, or none."""
        patches = parse(diff)
        if not patches:
            raise Refused("this is no diff")
        return self.store([self.patched(patch) for patch in patches])

    def patched(self, patch: FilePatch) -> tuple[Path, bytes | None]:
        """Return what one file of a diff becomes."""
        path = self.resolve(patch.path)
        if patch.is_new:
            if path.exists():
                raise Refused(f"{path.name} is there already")
            return path, "".join(f"{line}\n" for line in patch.hunks[0].new).encode()
        file = self.load(path)
        text, floor = file.text, 0
        for hunk in patch.hunks:
            text, floor = self.apply_hunk(text, hunk, floor)
        if patch.is_removed:
            if text.strip():
                raise Refused(f"{path.name} has other text than the diff removes")
            return path, None
        return path, file.encode(text)

    def apply_hunk(self, text: str, hunk: Hunk, floor: int) -> tuple[str, int]:
        """Put one hunk where its lines are; its number decides only between equal places."""
        lines = self.lines(text)
        bare = [line.rstrip("\r\n") for line in lines]
        if hunk.old == hunk.new:
            raise Refused("the hunk changes nothing")
        at = self.place_hunk(bare, hunk, floor)
        end = self.line_end(text, 0)
        kept = dict(zip(bare[at : at + len(hunk.old)], lines[at:], strict=False))
        new = [kept.get(line, f"{line}{end}") for line in hunk.new]
        after = [*lines[:at], *new, *lines[at + len(hunk.old) :]]
        if after and hunk.open_end and at + len(hunk.old) == len(lines):
            after[-1] = after[-1].rstrip("\r\n")
        return "".join(after), at + len(hunk.new)

    def place_hunk(self, lines: Sequence[str], hunk: Hunk, floor: int) -> int:
        """Return the line that a hunk begins at, from 0."""
        size = len(hunk.old)
        if not size:
            if hunk.start is None or hunk.start > len(lines):
                raise Refused(f"the file has {len(lines)} lines")
            return hunk.start
        found = [
            at
            for at in range(floor, len(lines) - size + 1)
            if [*lines[at : at + size]] == [*hunk.old]
        ]
        if not found:
            near = self.nearest("\n".join(lines), "\n".join(hunk.old))
            raise Refused(f"the hunk's lines are not there; nearest:\n{near}")
        if len(found) == 1:
            return found[0]
        if hunk.start is not None and hunk.start - 1 in found:
            return hunk.start - 1
        raise Refused(f"the hunk stands {len(found)} times, at lines {[at + 1 for at in found]}")
