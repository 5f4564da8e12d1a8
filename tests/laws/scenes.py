"""Scenes for the laws of editing: a file, a region of it, what the region shall become, and slips.

A slip is what happens to a quote on its way: each takes the quoted lines and the new ones as the
file would spell them, and gives them back as an agent may send them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from keyhole.text.document import Document

Lines = list[str]
Slip = Callable[[Lines, Lines, int], tuple[str, str]]

_ENDS = ("\n", "\r\n")
_WORDS = (
    'alpha = one("x")',
    "beta(two, three)",
    "if gamma == 4:",
    "return delta < 5",
    "it's the epsilon",
    "# zeta — eta",
    "theta: [6, 7]",
    "iota\u2028kappa lambda",
    "mu\fnu xi",
    "omicron é",
)
_FRESH = ("fresh one()", 'fresh = "two"', "while fresh < 3:", "fresh it's $& \\1 \\g<0>")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that shall stand in the region: one of the file's by number, or a new one."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A file as lines and their ends, a region of it, and the lines that shall stand there."""

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    first: int
    last: int
    wanted: tuple[Line, ...]
    bom: bytes
    encoding: str

    @property
    def document(self) -> Document:
        return Document.from_bytes(self.bom + self._text(0, len(self.lines)).encode(self.encoding))

    def _text(self, first: int, last: int) -> str:
        pairs = zip(self.lines[first:last], self.ends[first:last], strict=True)
        return "".join(line + end for line, end in pairs)

    @property
    def before(self) -> str:
        return self._text(0, self.first)

    @property
    def behind(self) -> str:
        return self._text(self.last, len(self.lines))

    @property
    def quoted(self) -> Lines:
        return list(self.lines[self.first : self.last])

    @property
    def new(self) -> Lines:
        return [line.text for line in self.wanted]


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Draw a file whose lines say different things, a region, and an edit of some of its lines."""
    step = draw(st.sampled_from(("    ", "  ", "\t")))
    words = draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9, unique=True))
    lines = [draw(_lines(step, word)) for word in words]
    count = len(lines)
    end = draw(st.sampled_from(_ENDS))
    ends = [draw(st.sampled_from((end, end, *_ENDS))) for _ in range(count)]
    if lines[-1]:
        ends[-1] = draw(st.sampled_from((ends[-1], "")))
    first = draw(st.integers(0, count - 1))
    last = draw(st.integers(first + 1, count))
    wanted = tuple(_edited(draw, lines[first:last], first, step))
    bom, encoding = draw(
        st.sampled_from(((b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")))
    )
    return Scene(tuple(lines), tuple(ends), first, last, wanted, bom, encoding)


def _lines(step: str, word: str) -> st.SearchStrategy[str]:
    tails = st.sampled_from(("", "", "", "  ", "\t"))
    written = st.builds(lambda depth, tail: step * depth + word + tail, st.integers(0, 2), tails)
    return st.one_of(written, written, written, st.sampled_from(("", "", "  ")))


def _edited(draw: st.DrawFn, lines: Lines, first: int, step: str) -> Iterator[Line]:
    for number, line in enumerate(lines, first):
        does = draw(st.sampled_from(("keep", "keep", "keep", "replace", "drop", "add")))
        if does in {"replace", "add"}:
            yield Line(step * draw(st.integers(0, 2)) + draw(st.sampled_from(_FRESH)))
        if does in {"keep", "add"}:
            yield Line(line, number)


def _joined(lines: Lines) -> str:
    return "\n".join(lines)


def _each(change: Callable[[str], str]) -> Slip:
    def slip(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
        return _joined([*map(change, old)]), _joined([*map(change, new)])

    return slip


def _dedented(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
    written = [line for line in (*old, *new) if line.strip()]
    margin = min((line[: len(line) - len(line.lstrip())] for line in written), key=len, default="")
    short = [[line.removeprefix(margin) for line in lines] for lines in (old, new)]
    return _joined(short[0]), _joined(short[1])


def _blanks(count: int) -> Slip:
    def slip(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
        return _joined(_with_runs(old, count)), _joined(_with_runs(new, count))

    return slip


def _with_runs(lines: Lines, count: int) -> Lines:
    """Give the runs of blank lines between two others another length."""
    written = [index for index, line in enumerate(lines) if line.strip()]
    out: Lines = []
    for index, line in enumerate(lines):
        within = written and written[0] < index < written[-1]
        if line.strip() or not within:
            out.append(line)
        elif lines[index - 1].strip():
            out += [""] * count
    return out


def _numbered(separator: str) -> Slip:
    def slip(old: Lines, new: Lines, first: int) -> tuple[str, str]:
        return _joined(_counted(old, first, separator)), _joined(_counted(new, first, separator))

    return slip


def _counted(lines: Lines, first: int, separator: str) -> Lines:
    return [f"{first + 1 + n:>4}{separator}{line}" for n, line in enumerate(lines)]


def _fenced(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
    return f"```py\n{_joined(old)}\n```", f"```py\n{_joined(new)}\n```"


def _escaped(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
    return _joined(old).replace("\n", "\\n"), _joined(new).replace("\n", "\\n")


def _fully_escaped(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
    return _json(_joined(old)), _json(_joined(new))


def _json(text: str) -> str:
    for plain, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ('"', '\\"')):
        text = text.replace(plain, escape)
    return text


def _entities(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _padded(old: Lines, new: Lines, _first: int) -> tuple[str, str]:
    return _joined(["", *old, ""]), _joined(["", *new, ""])


def _curly(line: str) -> str:
    return line.replace("'", "\u2019").replace('"', "\u201d").replace("-", "\u2013")


def _tabbed(line: str) -> str:
    body = line.lstrip(" ")
    size = len(line) - len(body)
    return "\t" * (size // 4) + " " * (size % 4) + body


SLIPS: Mapping[str, Slip] = {
    "none": _each(str),
    "whole-lines": lambda old, new, _: (_joined([*old, ""]), _joined([*new, ""]) if new else ""),
    "trailing-blanks": _each(lambda line: line.rstrip(" \t") + "  "),
    "no-trailing-blanks": _each(lambda line: line.rstrip(" \t")),
    "dedent": _dedented,
    "indent": _each(lambda line: "    " + line if line.strip() else line),
    "tabs": _each(_tabbed),
    "spaces": _each(lambda line: line.replace("\t", "    ")),
    "curly": _each(_curly),
    "fewer-blank-lines": _blanks(1),
    "more-blank-lines": _blanks(3),
    "numbers-and-bar": _numbered("| "),
    "numbers-and-tab": _numbered("\t"),
    "numbers-and-colon": _numbered(": "),
    "fence": _fenced,
    "escaped-newlines": _escaped,
    "escaped": _fully_escaped,
    "entities": _each(_entities),
    "blank-edges": _padded,
}


def split(text: str) -> list[tuple[str, str]]:
    """Return the lines of a text of these scenes, each with its end."""
    *lines, tail = text.split("\n")
    ended = [(line[:-1], "\r\n") if line.endswith("\r") else (line, "\n") for line in lines]
    return [*ended, (tail, "")] if tail else ended
