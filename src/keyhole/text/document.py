"""Document: a file's exact bytes as text one can search, and back again without loss."""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, field
from keyhole.phrases import SURROGATE
from keyhole.refusals import Refusal, Refused
from keyhole.text.encodings import (
    HEAD,
    WIDE_MARKS,
    decoded,
    encoding_declared,
    encoding_given,
    lossless_errors,
    mark_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keyhole.text.changes import ChangeSet
    from keyhole.text.notebook import FormerCell, Notebook
    from keyhole.text.renewal import RenewedJson

HASH_DIGITS = 16
_LONE_RETURN = re.compile(r"\r(?!\n)")
# How a notebook is stored: JSON in UTF-8, of which `text` shows the cells.
NOTEBOOK = "notebook"
# From how many bytes on a notebook keeps them.
_LARGE = 1 << 20
# Who asks for the lines of more places than these is given an index.
_FEW = 256


def hash_of(data: bytes) -> str:
    """Return keyhole's hash of a file: the first 16 hex digits of the SHA-256 of its bytes."""
    return hashlib.sha256(data).hexdigest()[:HASH_DIGITS]


@dataclass(frozen=True)
class Document:
    """Text exactly as stored: `from_bytes(b).to_bytes() == b` for every `b`.

    An offset is an index into `text`, which holds no byte-order mark. Bytes that are not valid in
    the encoding are lone surrogates in `text` and come out again as the same bytes. The text of a
    notebook is that of its cells; `stored` is its JSON, which is written.
    """

    text: str
    bom: bytes = b""
    encoding: str = "utf-8"
    errors: str = "surrogateescape"
    stored: str = field(default="", repr=False)

    @staticmethod
    def from_bytes(
        data: bytes, encoding: str | None = None, known: Document | None = None
    ) -> Document:
        """Read `data` in its encoding: by mark, as given, as its first lines say, else UTF-8.

        A `known` document is returned itself where it is what would be read.
        """
        bom, name = mark_of(data)
        if encoding == NOTEBOOK and not data.startswith(WIDE_MARKS):
            return _read_cells(data, bom, known)
        if not bom:
            name = encoding_given(encoding) or encoding_declared(data) or "utf-8"
        if known is not None and (known.bom, "utf-8") == (bom, name) and known.is_read_from(data):
            return known
        digest = hash_of(data)
        body = data[len(bom) :] if bom else data
        text = decoded(body, name)
        if text is None:
            name, text = "utf-8", body.decode("utf-8", "surrogateescape")
        return _hashed(Document(text, bom, name, lossless_errors(name)), digest)

    @cached_property
    def hash(self) -> str:
        """Return the hash of the bytes, which takes long for a large notebook."""
        return hash_of(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the exact bytes of this document."""
        if self._kept:
            return self._kept
        data = (self.stored or self.text).encode(self.codec, self.errors)
        return self.bom + data if self.bom else data

    @cached_property
    def _kept(self) -> bytes:
        """Hold the bytes of a large notebook, which take as long to make as its file to read."""
        return b""

    @property
    def codec(self) -> str:
        """Return the name of the codec that the bytes are in."""
        return "utf-8" if self.encoding == NOTEBOOK else self.encoding

    @cached_property
    def notebook(self) -> Notebook | None:
        """Return the cells of a notebook; None for any other file."""
        if not self.stored:
            return None
        from keyhole.text.notebook import read_notebook

        return read_notebook(self.stored)

    @property
    def flaw(self) -> str:
        """Return why a file that should be a notebook is none that can be read, "" if it can."""
        if self.encoding != NOTEBOOK or self.stored or not self.text:
            return ""
        from keyhole.text.notebook import NotANotebookError, read_notebook

        try:
            read_notebook(self.text)
        except NotANotebookError as error:
            return str(error)
        return ""

    @cached_property
    def marks(self) -> tuple[int, ...]:
        """Return the lines of a notebook's text that tell of a cell; none in any other file."""
        if not self.stored:
            return ()
        rows = enumerate(split_lines(self.text), 1)
        return tuple(number for number, row in rows if row.startswith("<<cell "))

    def cell_at(self, line: int) -> int:
        """Return the number, from 1, of the cell that holds a line; 0 where there are none."""
        return bisect_right(self.marks, line)

    def line_shown(self, line: int) -> int:
        """Return the number that answers give a line: in a notebook it counts in the cell.

        The line that tells of the cell has the number 0.
        """
        cell = self.cell_at(line) if self.stored else 0
        return line - self.marks[cell - 1] if cell else line

    def lines_shown(self, lines: tuple[int, int]) -> tuple[int, int]:
        """Return the numbers that answers give a range of lines; an empty one is before a line."""
        first, last = lines
        if not self.stored:
            return lines
        if last < first:
            shown = self.line_shown(last)
            return shown + 1, shown
        shown = max(self.line_shown(first), 1)
        return shown, max(self.line_shown(last), shown)

    def rows_shown(self, rows: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Return numbered lines with the numbers that answers give them."""
        return [(self.line_shown(n), text) for n, text in rows] if self.stored else rows

    def place_shown(self, line: int) -> str:
        """Return a line as a message names it: in a notebook with its cell."""
        cell = self.cell_at(line) if self.stored else 0
        return f"{self.line_shown(line)} of `cell#{cell}`" if cell else f"{line}"

    def is_read_from(self, data: bytes) -> bool:
        """Tell whether these bytes are UTF-8 and this is what they read."""
        if self.encoding != "utf-8":
            return False
        try:
            # Not as `to_bytes` does: half a character beside the other half would read as one.
            return self.bom + self.text.encode("utf-8") == data
        except UnicodeEncodeError:
            return False

    def is_notebook_of(self, data: bytes) -> bool:
        """Tell whether this is a notebook with these bytes; comparing is faster than a hash."""
        if self.encoding != NOTEBOOK:
            return False
        text = self.stored or self.text
        may_be = not text.isascii() or len(self.bom) + len(text) == len(data)
        return may_be and self.to_bytes() == data

    def is_same_file(self, other: Document) -> bool:
        """Tell whether both have the same bytes, without a hash of a notebook."""
        if self.stored and other.stored:
            return (self.bom, self.stored) == (other.bom, other.stored)
        return self.hash == other.hash

    def with_text(self, text: str, same: int = 0) -> Document:
        """Return this document with other text, or refuse what its encoding cannot spell.

        `same` is how many characters are known to be those of this document.
        """
        if self.stored:
            from keyhole.text.align import differences

            old, new = split_lines(self.text), split_lines(text)
            at = [0, *accumulate(map(len, old))]
            hunks = differences(old, new)
            exchanged = [(at[a], at[b], "".join(new[c:d])) for a, b, c, d in hunks]
            return self._renewed(exchanged, text)
        if self.encoding == NOTEBOOK:
            return Document.from_bytes(text.encode("utf-8", self.errors), NOTEBOOK)
        data = self.spelled(text)
        digest = hash_of(self.bom + data if self.bom else data)
        made = _hashed(Document(text, self.bom, self.encoding, self.errors), digest)
        if same and "_counted" in self.__dict__ and made.terminator == self.terminator:
            made.__dict__["_counted"] = same, self._ends_before(same)
        return made

    def changed(self, changes: ChangeSet, former: Sequence[FormerCell] = ()) -> Document:
        """Return this document with changes made, or refuse what its encoding cannot spell.

        The `former` cells are those of an older version that the changes may bring back.
        """
        if not changes.changes:
            return self
        text = changes.apply(self.text)
        if self.stored:
            return self._renewed(
                [(each.start, each.end, each.text) for each in changes.changes], text, former
            )
        return self.with_text(text, same=changes.changes[0].start)

    def with_stored(self, text: str) -> Document:
        """Return this document with another text as it is stored, which of a notebook is JSON."""
        if self.encoding != NOTEBOOK:
            return self.with_text(text)
        return Document.from_bytes(self.bom + text.encode("utf-8", self.errors), NOTEBOOK)

    def former_cells(self, spans: Sequence[tuple[int, int]]) -> tuple[FormerCell, ...]:
        """Return the cells in which spans of a notebook's text lie; none of any other file."""
        if self.notebook is None:
            return ()
        from keyhole.text.notebook import former_cells

        return former_cells(self.notebook, spans)

    def _renewed(
        self, changes: list[tuple[int, int, str]], text: str, former: Sequence[FormerCell] = ()
    ) -> Document:
        from keyhole.text.renewal import renewed

        notebook = self.notebook
        assert notebook is not None, "BUG: only a notebook is stored in another form"
        made_of = renewed(notebook, changes, text, former)
        data = made_of.stored.encode("utf-8", self.errors)
        made = _read_cells(self.bom + data if self.bom else data, self.bom, self, made_of)
        if made.text != text:
            headline = "the notebook would not hold the cells as the edit writes them"
            help_line = "look at the notebook again; its language or format may be another now"
            raise Refused(Refusal("conflict", headline, help=help_line))
        return made

    def spelled(self, text: str) -> bytes:
        """Return text as it is stored in this document, or refuse what cannot be."""
        if self.stored:  # JSON has escapes for all there is.
            return text.encode("utf-8", "surrogatepass")
        try:
            return text.encode(self.codec, self.errors)
        except UnicodeEncodeError as error:
            raise Refused(_cannot_spell(text, error, self.codec)) from None

    @cached_property
    def _counted(self) -> tuple[int, int]:
        """Hold the offset up to which line ends were last counted, and how many there are."""
        return 0, 0

    @property
    def is_binary(self) -> bool:
        """Tell whether the file is not text: a NUL near its start."""
        return "\0" in self.text[:HEAD]

    @property
    def newline(self) -> str:
        """Return the terminator of the first line: what a new line of this file ends with."""
        at = self.text.find("\n")
        if at >= 0:
            return "\r\n" if at and self.text[at - 1] == "\r" else "\n"
        return "\r" if "\r" in self.text else "\n"

    @cached_property
    def terminator(self) -> str:
        r"""Return the character that ends the lines of this file: `\r` only where no `\n` is."""
        return "\r" if self.newline == "\r" else "\n"

    @cached_property
    def starts(self) -> array[int]:
        """Return the offset of each line's first character."""
        starts, at, end = array("Q", [0]), 0, self.terminator
        find = self.text.find
        while (at := find(end, at) + 1) > 0:
            starts.append(at)
        if len(starts) > 1 and starts[-1] == len(self.text):
            starts.pop()
        return starts

    @cached_property
    def line_count(self) -> int:
        """Return how many lines there are; an empty file has none."""
        if not self.text:
            return 0
        return self.text.count(self.terminator) + (not self.text.endswith(self.terminator))

    def line_at(self, offset: int) -> int:
        """Return the 1-based number of the line that holds `offset`."""
        asked = self.__dict__["_asked"] = self.__dict__.get("_asked", 0) + 1
        if asked > _FEW or "starts" in self.__dict__:
            return bisect_right(self.starts, offset)
        at_end = offset == len(self.text) and offset > 0 and self.text.endswith(self.terminator)
        return self._ends_before(offset) + 1 - at_end

    def lines_of(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the first and the last line that a span touches; an empty one touches one."""
        start, end = span
        return self.line_at(start), self.line_at(max(start, end - 1))

    def _ends_before(self, offset: int) -> int:
        """Count the line ends before `offset`, from where they were counted last.

        That is cheaper than an index as long as few places are asked for.
        """
        at, ends = self._counted
        if offset < at:
            ends -= self.text.count(self.terminator, offset, at)
        else:
            ends += self.text.count(self.terminator, at, offset)
        self.__dict__["_counted"] = offset, ends
        return ends

    def span_of_lines(self, first: int, last: int) -> tuple[int, int]:
        """Return the offsets of lines `first` to `last`, terminators included."""
        starts = self.starts
        end = starts[last] if last < len(starts) else len(self.text)
        return starts[first - 1], end

    @property
    def rows(self) -> tuple[str, ...]:
        """Return every line without its terminator."""
        return tuple(chop(line) for line in split_lines(self.text, self.terminator))

    def line(self, number: int) -> str:
        """Return one line without its terminator."""
        start, end = self.span_of_lines(number, number)
        return chop(self.text[start:end])


def spelled(name: str) -> str:
    """Return a name as it can be kept: bytes that are no characters are spelled out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def masked(text: str) -> str:
    """Return text for readers that take no bytes that are no characters; offsets stay."""
    return text if text.isascii() else SURROGATE.sub("?", text)


def chop(line: str) -> str:
    """Return a line without its terminator."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def split_lines(text: str, terminator: str = "\n") -> list[str]:
    """Return the lines of `text`, each with its terminator; nothing else ends a line."""
    lines = text.split(terminator)
    tail = lines.pop()
    lines = [line + terminator for line in lines]
    return [*lines, tail] if tail else lines


def _read_cells(
    data: bytes, bom: bytes, known: Document | None, renewed: RenewedJson | None = None
) -> Document:
    """Read a notebook; what is none that can be read is its plain text.

    It may be `known` as it was before, and be `renewed` from that.
    """
    if known is not None and known.is_notebook_of(data):
        return known
    from keyhole.text.notebook import NotANotebookError, read_notebook

    if renewed is not None and renewed.stored.isascii():
        stored, ends = renewed
    else:
        stored, ends = data[len(bom) :].decode("utf-8", "surrogateescape"), (0, 0)
    try:
        notebook = read_notebook(stored, known.notebook if known else None, ends)
    except NotANotebookError:
        return Document(stored, bom, NOTEBOOK, "surrogateescape")
    made = Document(notebook.text, bom, NOTEBOOK, "surrogateescape", stored)
    made.__dict__["notebook"] = notebook
    if len(data) >= _LARGE:
        made.__dict__["_kept"] = data
    return made


def _hashed(document: Document, digest: str) -> Document:
    """Return a document whose hash is known."""
    document.__dict__["hash"] = digest
    return document


def stored_as(path: str, encoding: str | None) -> str | None:
    """Return how the file at a path is stored, if that does not show in its bytes."""
    return NOTEBOOK if path.lower().endswith(".ipynb") else encoding


def _cannot_spell(text: str, error: UnicodeEncodeError, encoding: str) -> Refusal:
    character = text[error.start]
    line = text.count("\n", 0, error.start) + 1
    return Refusal(
        "encoding",
        f"U+{ord(character):04X} {character!a} cannot be written in {encoding}",
        where=f"line {line} of the new text",
        help=f"use characters that {encoding} has, or convert the file first",
    )


def plain_lines(text: str) -> str:
    r"""Return `text` with a lone `\r` as `\n`, which most languages take it for; offsets stay."""
    if text.count("\r") == text.count("\r\n"):
        return text
    return _LONE_RETURN.sub("\n", text)
