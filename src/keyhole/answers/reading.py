"""Answers of reading calls: lines of a file, an outline, hits of a search; data and text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from keyhole.answers.form import call_text, form_text, more_text
from keyhole.fastclasses import dataclass, field
from keyhole.phrases import render, shown
from keyhole.text.diff import numbered

# What one answer shows at most; the rest is asked for by lines.
MOST_LINES = 2000
MOST_CHARACTERS = 256 * 1024


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines of a file as they stand, with the hash that an edit may give back."""

    path: str
    hash: str
    first: int
    rows: tuple[str, ...]
    total_lines: int
    truncated: bool = False
    segment: str = ""
    numbered: bool = True
    exact: str | None = None
    # How the file is stored, where that is not the usual: see `form_of`.
    form: Mapping[str, object] = field(default_factory=dict)
    # The cell of a notebook that the lines are counted in, "" where they are the file's.
    cell: str = ""
    # The last line that was asked for; more of them than are shown where it is truncated.
    end: int = 0
    # Where cells begin in a notebook that is read as a whole: the numbers shown count from there.
    marks: Sequence[int] = ()
    # The call that reads on, and the one that shows a line whole of which only a part is shown.
    next: Mapping[str, object] = field(default_factory=dict)
    cut: Mapping[str, object] = field(default_factory=dict)
    # What others did to the file since the caller last saw it.
    warnings: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[int, int]:
        """Return the first and the last line shown."""
        return self.first, self.first + len(self.rows) - 1

    @property
    def numbered_rows(self) -> list[tuple[int, str]]:
        """Return the lines with the numbers that edits take: in a notebook they count in a cell."""
        rows = enumerate(map(shown, self.rows), self.first)
        if not self.marks:
            return [*rows]
        return [(n - self.marks[bisect_right(self.marks, n) - 1], row) for n, row in rows]

    @property
    def text(self) -> str:
        """Return the lines as they are shown: numbered, or to the character."""
        if self.numbered:
            return numbered(self.numbered_rows)
        return shown(self.exact if self.exact is not None else "\n".join(self.rows))

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract."""
        data: dict[str, object] = {
            "path": self.path,
            "hash": self.hash,
            "lines": list(self.lines),
            "total_lines": self.total_lines,
            "text": self.text,
            "truncated": self.truncated,
            **self.form,
        }
        if self.marks and self.numbered:
            data["numbered"] = "in each cell"
        if self.warnings:
            data["warnings"] = [render(warning) for warning in self.warnings]
        named = {"segment": self.segment} if self.segment else {}
        if self.next:
            return {**data, **named, "next": self.next, **({"cut": self.cut} if self.cut else {})}
        return {**data, **named, **({"help": self._help} if self.truncated else {})}

    def as_text(self) -> str:
        """Return the lines below one line that says what they are."""
        first, last = self.lines
        name = f" `{self.segment}`" if self.segment else ""
        head = f"{self.path}{name} {self.hash} lines {first}-{last} of {self.total_lines}"
        if self.marks:
            head += " in all cells"
            head += ", each numbered by itself" if self.numbered else ""
        if self.next:
            head += ", truncated"
        tail = f"\n(truncated: {self._help})" if self.truncated and not self.next else ""
        tail += f"\nall of line {first}: read {call_text(self.cut)}" if self.cut else ""
        head += form_text(self.form) + warned(self.warnings)
        return f"{head}\n{self.text}{tail}{more_text('read', self.next)}"

    @property
    def _help(self) -> str:
        return f"read lines {self.lines[1] + 1}- for more"


def warned(warnings: Sequence[str]) -> str:
    """Return warnings as lines of their own, each behind a line end."""
    return "".join(f"\nwarning: {render(each)}" for each in warnings)


@dataclass(frozen=True, slots=True)
class Hit:
    """One place a search found, with the address of the segment it lies in."""

    path: str
    line: int
    column: int
    text: str
    segment: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract; context only where it was asked for."""
        data: dict[str, object] = {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "text": shown(self.text),
            "segment": self.segment,
        }
        if self.before or self.after:
            data |= {"before": list(map(shown, self.before)), "after": list(map(shown, self.after))}
        return data


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found: the first hits, and how many there are, or at least are."""

    hits: tuple[Hit, ...]
    total: int
    is_counted: bool = True
    # How many hits come before these, and the call that goes on behind them.
    offset: int = 0
    next: Mapping[str, object] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract."""
        data: dict[str, object] = {
            "hits": [hit.as_data() for hit in self.hits],
            "total": self.total,
        }
        if not self.is_counted:
            data["total_is_least"] = True
        return {**data, **({"next": self.next} if self.next else {})}

    def as_text(self) -> str:
        """Return a line a hit, like every search tool's."""
        more = self.total - len(self.hits)
        least = "" if self.is_counted else "at least "
        left_out = f"{self.total} in all" if self.offset or self.next else f"{more} more"
        tail = [f"({least}{left_out})"] if more > 0 else []
        found = "\n".join([*self._rows(), *tail]) or "nothing found"
        return found + more_text("search", self.next)

    def _rows(self) -> Iterator[str]:
        for hit in self.hits:
            place = f"  [{hit.segment}]" if hit.segment else ""
            for offset, row in enumerate(hit.before, -len(hit.before)):
                yield f"{hit.path}-{hit.line + offset}- {shown(row)}"
            yield f"{hit.path}:{hit.line}:{hit.column}: {shown(hit.text)}{place}"
            for offset, row in enumerate(hit.after, 1):
                yield f"{hit.path}-{hit.line + offset}- {shown(row)}"


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment in an outline answer."""

    address: str
    kind: str
    lines: tuple[int, int]
    parent: str
    parts: Mapping[str, tuple[int, int]]

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract."""
        return {
            "address": self.address,
            "kind": self.kind,
            "lines": list(self.lines),
            "parent": self.parent,
            "parts": {name: list(lines) for name, lines in self.parts.items()},
        }


@dataclass(frozen=True, slots=True)
class Outlined:
    """The outline of one file: its segments, what could not be read, and how it can be edited."""

    path: str
    hash: str
    language: str
    rows: tuple[SegmentRow, ...]
    unreadable: tuple[tuple[int, int], ...] = ()
    editable: tuple[str, ...] = ()
    template: Mapping[str, object] | None = None
    # The kinds of segments that there are, where none of them is shown.
    kinds: tuple[str, ...] = ()
    # How the file is stored, where that is not the usual: see `form_of`.
    form: Mapping[str, object] = field(default_factory=dict)
    # The call that goes on behind these segments.
    next: Mapping[str, object] = field(default_factory=dict)
    # What others did to the file since the caller last saw it.
    warnings: tuple[str, ...] = ()

    def as_data(self) -> dict[str, object]:
        """Return the JSON object of the contract."""
        warnings = [render(warning) for warning in self.warnings]
        return {
            "path": self.path,
            "hash": self.hash,
            "language": self.language,
            **({"warnings": warnings} if warnings else {}),
            **({"next": self.next} if self.next else {}),
            **self.form,
            **({"kinds": list(self.kinds)} if self.kinds and not self.rows else {}),
            "segments": [row.as_data() for row in self.rows],
            "unreadable": [list(lines) for lines in self.unreadable],
            "template": dict(self.template) if self.template else None,
            "editable": list(self.editable),
        }

    def as_text(self, detail: str = "brief") -> str:
        """Return the segments as an indented list."""
        head = f"{self.path} {self.hash} {self.language}{form_text(self.form)}"
        rows = [f"{head}{warned(self.warnings)}", *self.template_rows(), *self._tree()]
        if self.kinds and not self.rows:
            rows.append(f"  no such segments: it has {', '.join(self.kinds)}")
        rows += [f"  lines {first}-{last} could not be read" for first, last in self.unreadable]
        if self.has_own_ways and detail == "lean":
            rows.append(f"  editable by {', '.join(self.editable)}")
        return "\n".join(rows) + more_text("outline", self.next)

    @property
    def has_own_ways(self) -> bool:
        """Tell whether the file can be edited in other ways than files like it."""
        return not {*self.editable} <= {"text", "lines", "patch", "segment"}

    def template_rows(self) -> Iterator[str]:
        """Yield what is said of the template that the file was made from."""
        if self.template:
            yield f"  template {self.template['id']} {self.template['version']}".rstrip()
            warnings = cast("list[str]", self.template["warnings"])
            yield from (f"  warning: {warning}" for warning in warnings)

    def _tree(self) -> Iterator[str]:
        depth: dict[str, int] = {"": 0}
        for row in self.rows:
            level = depth.get(row.parent, 0) + 1
            depth[row.address] = level
            first, last = row.lines
            yield f"{'  ' * level}{row.address}  {row.kind} {first}-{last}"


@dataclass(frozen=True, slots=True)
class OutlinedTree:
    """The outlines of the files below a directory."""

    path: str
    files: tuple[Outlined, ...]
    total: int
    # How many segments come before these, and the call that goes on behind them.
    offset: int = 0
    next: Mapping[str, object] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """Return the outlines in a list, with how many files there are."""
        return {
            "path": self.path,
            "files": [file.as_data() for file in self.files],
            "total": self.total,
            **({"next": self.next} if self.next else {}),
        }

    def as_text(self, detail: str = "brief") -> str:
        """Return the outlines one below the other."""
        rows = [*(file.as_text(detail) for file in self.files), *self.tail()]
        return "\n".join(rows) + more_text("outline", self.next)

    def tail(self) -> Iterator[str]:
        """Yield what is said of files that are not shown, and that there are none."""
        if self.offset or self.next:
            yield f"({self.total} files in all)"
        elif more := self.total - len(self.files):
            yield f"({more} more files: name a directory or a longer query)"
        elif not self.files:
            yield f"no such segments below {self.path}"


def capped(rows: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return as many rows as one answer shows, and whether some were left out."""
    size, kept = 0, 0
    for row in rows[:MOST_LINES]:
        size += len(row) + 1
        if size > MOST_CHARACTERS and kept:
            break
        kept += 1
    cut = tuple(
        row if len(row) <= MOST_CHARACTERS else row[:MOST_CHARACTERS] for row in rows[:kept]
    )
    return cut, kept < len(rows) or any(len(row) > MOST_CHARACTERS for row in rows[:kept])
