"""What a sweep found and did: places of many files, in as much room as a host shows its model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from keyhole.answers.file_receipt import FileReceipt, line_numbers
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import dataclass, field, replace
from keyhole.phrases import NATIVE, Row, Words, printable, render, say, shown

# Bytes of the places and of the counts in either form; the rest of eight kilobytes is the frame.
_MOST_PLACES, _MOST_ALL = 5_200, 6_600
_LONGEST_LINE = 160
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """One place of a preview: its line as it stands, and as it would read."""

    id: str
    line: int
    segment: str
    text: str
    becomes: str

    def as_data(self) -> dict[str, object]:
        """Return the place for a program; a place outside of every segment has none."""
        data: dict[str, object] = {"id": self.id, "line": self.line}
        named = {"segment": self.segment} if self.segment else {}
        return {**data, **named, "text": self.text, "becomes": self.becomes}

    def as_rows(self) -> Iterator[str]:
        """Yield the place for a reader."""
        segment = f"  [{self.segment}]" if self.segment else ""
        yield f"  {self.id}  line {self.line}{segment}"
        yield f"    - {self.text}"
        yield f"    + {self.becomes}"


@dataclass(frozen=True, slots=True)
class SweptFile:
    """How many places a file has, and those of them that an answer shows."""

    path: str
    count: int
    places: tuple[FoundPlace, ...] = ()

    def as_data(self) -> dict[str, object]:
        """Return the file for a program."""
        places = [place.as_data() for place in self.places]
        return {"path": self.path, "count": self.count, **({"places": places} if places else {})}

    def as_rows(self) -> Iterator[str]:
        """Yield the file for a reader."""
        yield f"{printable(self.path)}: {counted(self.count, 'place')}"
        for place in self.places:
            yield from place.as_rows()


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """What a sweep found: a preview lists the files, a receipt has them itself."""

    count: int
    files_total: int
    listed: tuple[SweptFile, ...] = ()
    # How many files were not looked at or not taken, by why.
    left_out: Mapping[str, int] = field(default_factory=dict)
    # The offset of the first place that is not shown, 0 where all are.
    following: int = 0
    # How many of the places were changed; None in a preview.
    changed: int | None = None
    is_preview: bool = False
    # Who knows the symbol whose places these are.
    found_by: str = ""
    # What to do next, as a message that each door spells.
    help: str = ""

    def as_data(self, words: Words) -> dict[str, object]:
        """Return what is said beside the files."""
        data: dict[str, object] = {"found_by": self.found_by} if self.found_by else {}
        data |= {"count": self.count, "files_total": self.files_total}
        if self.changed is not None:
            data["changed"] = self.changed
        if self.left_out:
            data["left_out"] = dict(self.left_out)
        if self.following:
            data["next_offset"] = str(self.following)
        return {**data, **({"help": render(self.help, words)} if self.help else {})}

    def files_data(
        self, files: Sequence[FileReceipt], words: Words = NATIVE
    ) -> list[dict[str, object]]:
        """Return the files of a preview, or what became of each without its lines."""
        if self.is_preview:
            return [file.as_data() for file in self.listed]
        return [
            {**file.head(words), "edits": [file.edit_data(each, words) for each in file.plan.edits]}
            for file in files
        ]

    def lean_files(self, files: Sequence[FileReceipt]) -> dict[str, object]:
        """Return as many files as fit, and how many more there are."""
        if self.is_preview:
            return {"files": [file.as_data() for file in self.listed]}
        kept = _fitting(files)
        more = len(files) - len(kept)
        return {"files": [*map(_lean_file, kept)], **({"files_more": more} if more else {})}

    def as_rows(self, files: Sequence[FileReceipt], detail: str, words: Words) -> Iterator[str]:
        """Yield what was found, file by file; a receipt in full tells of the files itself."""
        yield self._headline()
        if self.left_out:
            said = (f"{number} {why}" for why, number in self.left_out.items())
            yield f"left out: {', '.join(said)}"
        if self.is_preview:
            for file in self.listed:
                yield from file.as_rows()
            if more := self.files_total - len(self.listed):
                yield f"... and {counted(more, 'file')} more"
        elif detail != "full":
            yield from _receipt_rows(files)
        if self.following:
            more_places = say("more places: the same call with {offset:bare} {}", self.following)
            yield render(more_places, words)
        if self.help:
            yield Row("help", f"help: {render(self.help, words)}")

    def _headline(self) -> str:
        places, files = counted(self.count, "place"), counted(self.files_total, "file")
        is_all = self.changed is None or self.changed == self.count
        found = f", found by {self.found_by}" if self.found_by else ""
        return f"{'' if is_all else f'{self.changed} of '}{places} in {files}{found}"


def counted(number: int, what: str) -> str:
    """Return a number with the word for what is counted."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def first_of(lines: Sequence[str]) -> str:
    """Return the first of some places, and how many more there are."""
    more = len(lines) - _MOST_TOLD
    return ", ".join(lines[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def fitted(files: Sequence[SweptFile], *, lists_rest: bool) -> tuple[SweptFile, ...]:
    """Return the files with as many places as fit, then more files with their counts alone."""
    kept: list[SweptFile] = []
    spent, is_full = 0, False
    for file in files:
        places, spent = _places_fitting(file, spent, most=0 if is_full else _MOST_PLACES)
        is_full = is_full or len(places) < len(file.places)
        if is_full and not places and (not lists_rest or spent > _MOST_ALL):
            break
        kept.append(replace(file, places=places))
    return tuple(kept)


def _places_fitting(file: SweptFile, spent: int, most: int) -> tuple[tuple[FoundPlace, ...], int]:
    spent += _size(replace(file, places=()))
    kept = 0
    for place in file.places:
        cost = _size(place)
        if spent + cost > most:
            break
        spent += cost
        kept += 1
    return file.places[:kept], spent


def _size(row: FoundPlace | SweptFile) -> int:
    """Return the bytes of the longer form."""
    return max(_bytes("\n".join(row.as_rows())), _bytes(json.dumps(row.as_data()))) + 2


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _lean_file(file: FileReceipt) -> dict[str, object]:
    edits = [
        {
            "lines_after": list(file.lines(edit)[1]),
            "occurrences_replaced": edit.replaced,
            **({"notes": [*map(render, edit.notes)]} if edit.notes else {}),
        }
        for edit in file.plan.edits
    ]
    return {"path": file.path, "hash_after": file.hash_after, "edits": edits}


def _row(file: FileReceipt) -> str:
    replaced = sum(edit.replaced for edit in file.plan.edits)
    lines = ", ".join(_lines(file, edit) for edit in file.plan.edits)
    notes = "".join(f"; {render(note)}" for edit in file.plan.edits for note in edit.notes)
    return f"{printable(file.path)} {file.hash_after} {counted(replaced, 'place')}, {lines}{notes}"


def _lines(file: FileReceipt, edit: LocatedEdit) -> str:
    """Return the lines of the places of a file; of a notebook they count in one cell."""
    lines, after = line_numbers(file.lines(edit)[1]), file.plan.after
    if after is None or not after.stored:
        return lines
    return f"{lines} in `{edit.segment}`" if edit.segment else "in several cells"


def _fitting(files: Sequence[FileReceipt]) -> Sequence[FileReceipt]:
    """Return as many files as fit into the longer form."""
    spent = 0
    for number, file in enumerate(files):
        spent += max(_bytes(json.dumps(_lean_file(file))), _bytes(_row(file))) + 2
        if spent > _MOST_ALL:
            return files[:number]
    return files


def _receipt_rows(files: Sequence[FileReceipt]) -> Iterator[str]:
    """Yield a row for each file that fits, and how many more there are."""
    kept = _fitting(files)
    yield from map(_row, kept)
    if more := len(files) - len(kept):
        yield f"... and {counted(more, 'file')} more"


def cut_line(line: str, at: int) -> str:
    """Return a line, or what stands around one of its columns, as an answer can hold it."""
    text = shown(line)
    if len(text) <= _LONGEST_LINE:
        return text
    first = max(min(at - _LONGEST_LINE // 3, len(text) - _LONGEST_LINE), 0)
    last = first + _LONGEST_LINE
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


HOW_TO_WRITE = say(
    "nothing was written; send the call again with {expected_count:bare}, "
    "or with the ids of places in {only:bare} or {without:bare}"
)
