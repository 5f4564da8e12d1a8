"""Case files: Markdown that says what was before, what was asked, and what came of it.

A file is one row of the list of dangers, `# 3. title`; a case is `## title`, a sentence that says
what it shows, and fenced blocks. The word after the fence says what a block is:

    before    a file before the call; `path=name` names it (file.txt if not)
    shown     a version of the file that the caller was shown earlier
    edit      one edit of the call, as the JSON of its fields; several blocks are several edits
    after     the file after the call, `matched=rung`; `outcome=...` where nothing was written
    notes     what the receipt notes, one a line; without the block there are no notes
    warnings  what the receipt warns of, in the same way
    refused   the whole text of the receipt of a refused call
    accepted  the file after the first offer of the refusal was accepted

Text stands as it is, each line with its end. What cannot be seen is said beside the word:
`eol=crlf` or `eol=cr`, `bom`, `no-final-newline`, `encoding=utf-16-le`. With `visible`, `·` is a
blank,
`→` a tab, `␍` a carriage return, `⟨U+2028⟩` the character of that number, `⟨ff⟩` that byte.
In the text of a refusal, HASH is the hash of the file and ID-1 the id of the first offer.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from keyhole.text.document import Document

_FENCE = re.compile(r"(`{3,})([a-z]\S*)(?: (.*))?")
_NUMBER = re.compile(r"[a-z]+/(\d+)-[a-z0-9-]+\.md")
_TITLE = re.compile(r"# (\d+)\. (.+)")
_KINDS = {
    "before": {"path", "eol", "bom", "no-final-newline", "encoding", "visible"},
    "shown": {"path", "eol", "bom", "no-final-newline", "encoding", "visible"},
    "edit": set(),
    "after": {
        "path",
        "eol",
        "bom",
        "no-final-newline",
        "encoding",
        "visible",
        "matched",
        "outcome",
    },
    "accepted": {"path", "eol", "bom", "no-final-newline", "encoding", "visible"},
    "notes": set(),
    "warnings": set(),
    "refused": set(),
}
_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_SEEN = {"·": " ", "→": "\t", "␍": "\r"}
_SPELLED = re.compile("⟨(?:U\\+([0-9A-F]{4,6})|([0-9a-f]{2}))⟩")
DEFAULT_PATH = "file.txt"


class UnreadableError(Exception):
    """A case file that does not keep to its form, and where."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: what it is, what is said of it, its lines."""

    kind: str
    words: Mapping[str, str]
    lines: tuple[str, ...]

    @property
    def path(self) -> str:
        return self.words.get("path", DEFAULT_PATH)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file that the block shows."""
        end = _ENDS[self.words.get("eol", "lf")]
        lines = [_spelled(line) for line in self.lines] if "visible" in self.words else self.lines
        text = "".join(line + end for line in lines)
        if "no-final-newline" in self.words:
            text = text.removesuffix(end)
        encoding = self.words.get("encoding", "utf-8")
        text = f"\ufeff{text}" if "bom" in self.words else text
        return text.encode(encoding, "surrogateescape")


def _spelled(line: str) -> str:
    for shown, meant in _SEEN.items():
        line = line.replace(shown, meant)
    return _SPELLED.sub(lambda found: chr(int(found[1], 16)) if found[1] else _byte(found[2]), line)


def _byte(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a file: the row it is of, its title, its blocks by kind."""

    file: str
    title: str
    blocks: tuple[Block, ...]

    def of(self, kind: str) -> list[Block]:
        return [block for block in self.blocks if block.kind == kind]

    def documents(self, kind: str) -> dict[str, list[Document]]:
        """Return the documents of a kind by their path, in the order they come in."""
        found: dict[str, list[Document]] = {}
        for block in self.of(kind):
            found.setdefault(block.path, []).append(Document.from_bytes(block.to_bytes()))
        return found

    @property
    def edits(self) -> list[dict[str, object]]:
        return [json.loads(block.text) for block in self.of("edit")]

    @property
    def notes(self) -> list[str]:
        return [line for block in self.of("notes") for line in block.lines]

    @property
    def warnings(self) -> list[str]:
        return [line for block in self.of("warnings") for line in block.lines]


def cases_of(folder: Path) -> list[Case]:
    """Read every case below a folder, file by file."""
    files = sorted(folder.rglob("*.md"))
    return [
        case for file in files for case in parse(f"{file.parent.name}/{file.name}", _read(file))
    ]


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8")


def parse(name: str, text: str) -> Iterator[Case]:
    """Yield the cases of one file, or say what is wrong with it."""
    head, *sections = _sections(text)
    title, number = _TITLE.match(head), _NUMBER.match(name)
    if not title or not number or int(title[1]) != int(number[1]):
        raise UnreadableError(f"{name}: the title does not begin with the number of the file")
    if not sections:
        raise UnreadableError(f"{name}: no case")
    for section in sections:
        heading, _, body = section.partition("\n")
        yield _checked(Case(name, heading.strip(), tuple(_blocks(name, heading, body))), body)


def _sections(text: str) -> list[str]:
    """Split a file at its headings; what looks like one inside a block is text."""
    sections, fence = [""], ""
    for line in text.split("\n"):
        opened = re.match(r"`{3,}", line)
        if line.startswith("## ") and not fence:
            sections.append(line.removeprefix("## ") + "\n")
            continue
        if fence:
            fence = "" if line == fence else fence
        elif opened:
            fence = opened[0]
        sections[-1] += line + "\n"
    return sections


def _blocks(name: str, heading: str, body: str) -> Iterator[Block]:
    lines = iter(body.split("\n"))
    for line in lines:
        if not line.startswith("```"):
            continue
        fence = _FENCE.fullmatch(line)
        words = dict(_words(fence[3] or "")) if fence else {}
        if not fence or fence[2] not in _KINDS or not words.keys() <= _KINDS[fence[2]]:
            raise UnreadableError(f"{name}: {heading}: no block is {line}")
        inner = []
        for each in lines:
            if each == fence[1]:
                break
            inner.append(each)
        else:
            raise UnreadableError(f"{name}: {heading}: {line} has no end")
        yield Block(fence[2], words, tuple(inner))


def _words(text: str) -> Iterator[tuple[str, str]]:
    for word in text.split():
        key, _, value = word.partition("=")
        yield key, value


def _checked(case: Case, body: str) -> Case:
    counts = {kind: len(case.of(kind)) for kind in _KINDS}
    sentence = body.partition("```")[0].strip()
    sound = (
        sentence
        and counts["before"]
        and counts["edit"]
        and bool(counts["after"]) != (counts["refused"] == 1)
        and counts["refused"] <= 1
        and (counts["refused"] or not counts["accepted"])
    )
    if not sound:
        raise UnreadableError(f"{case.file}: {case.title}: {counts}")
    return case
