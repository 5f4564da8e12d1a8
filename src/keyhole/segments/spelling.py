"""How an address may be spelt: the readings of what a caller wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_SELECTOR = re.compile(r"(?P<rest>.+?)\s*(?:#(?P<number>[1-9]\d*)|@(?P<line>[1-9]\d*))", re.DOTALL)
_NESTED = re.compile(r"(?P<outer>.+[#@]\d+)(?:\.|::|/| > )(?P<names>[^#@].*)", re.DOTALL)

_BLOCK = re.compile(r"(?:(?P<outer>.+?)(?:/|::))?(?P<kind>code|list|table)(?::(?P<language>\S+))?")
_BLOCK_KINDS = {"code": "code_block", "list": "list", "table": "table"}
_HEADING = re.compile(r"\s*(?:(?P<marks>#{1,6})(?:\s+|$))?(?P<title>.*?)(?:\s+#+)?\s*", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[*_~`\\]")

_RECEIVER = re.compile(r"(?:func\s*)?\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*\.?\s*(\w+)")
_MODIFIERS = (
    r"(?:(?:async|export|default|public|private|protected|internal|static|final|abstract|override|virtual|sealed"
    r"|inline|unsafe|extern|suspend|local|open|data|pub(?:\([^)]*\))?|const|partial|readonly)\s+)*"
)
_CALLABLE = r"def|func|function|fn|fun|method|sub|proc|defp|defmacro"
_TYPE = r"class|struct|enum|interface|trait|record|object|protocol|union|module|namespace|type"
_OTHER = r"const|let|var|val|variable|key"
_DECLARED = re.compile(
    rf"{_MODIFIERS}(?:(?P<callable>{_CALLABLE})|(?P<type>{_TYPE})|{_OTHER}|async)\s+(?P<rest>\S.*)",
    re.DOTALL,
)
_CALLED = re.compile(r"(?P<rest>[^\s(]+)\s*\(.*\).*", re.DOTALL)
_SEPARATOR = re.compile(r"::|/|->|\\|(?<=\w):(?=\w)|(?<=\w)#(?=[^\W\d])")
_INDEX = re.compile(r"\[[\"']?([^\]\"']+)[\"']?\]")
_CALLABLE_KINDS = frozenset({"function", "method", "constructor", "macro", "property"})


class Wanted(NamedTuple):
    """One reading of an address: the names to match, and what narrows the choice."""

    names: str
    number: int = 0
    line: int = 0
    levels: tuple[int, ...] = ()
    group: str = ""
    block: str = ""
    language: str = ""
    outer: str = ""

    def allows(self, kind: str) -> bool:
        """Tell whether a segment of `kind` can be meant by the keyword that was written."""
        if not self.group:
            return True
        return (kind in _CALLABLE_KINDS) == (self.group == "callable")


def readings(address: str, language: str) -> tuple[Wanted, ...]:
    """Return the readings of `address`, the most literal first."""
    plain = address.strip()
    read = _in_markdown if language == "markdown" else _in_code
    found = list(read(plain))
    if selector := _SELECTOR.fullmatch(plain):
        number, line = int(selector["number"] or 0), int(selector["line"] or 0)
        narrowed = [wanted._replace(number=number, line=line) for wanted in read(selector["rest"])]
        found.extend(narrowed)
    if nested := _NESTED.fullmatch(plain):
        found.append(Wanted(nested["names"].strip(), outer=nested["outer"]))
    return tuple(dict.fromkeys(wanted for wanted in found if wanted.names or wanted.block))


@lru_cache(maxsize=1 << 16)
def fold(name: str) -> str:
    """Return a name without case, markup and runs of blanks: for when nothing fits exactly."""
    bare = _MARKUP.sub("", _LINK.sub(r"\1", name)) or name
    return " ".join(bare.casefold().split())


def _in_markdown(address: str) -> Iterator[Wanted]:
    yield Wanted(address)
    if block := _BLOCK.fullmatch(address):
        kind, language, outer = block["kind"], block["language"] or "", block["outer"] or ""
        yield Wanted("", block=_BLOCK_KINDS[kind], language=language, outer=outer)
    yield _headings([address])
    for separator in (" > ", "::"):
        if separator in address:
            yield _headings(address.split(separator))
    yield _headings(re.split(r"\s+>\s+|::", address))


def _headings(components: list[str]) -> Wanted:
    found = [_HEADING.fullmatch(component) for component in components]
    titles = [(heading["marks"] or "", heading["title"]) for heading in found if heading]
    names = "::".join(title or marks for marks, title in titles)
    levels = tuple(len(marks) for marks, _ in titles)
    return Wanted(names, levels=levels if any(levels) else ())


def _in_code(address: str) -> Iterator[Wanted]:
    yield Wanted(address)
    spelt, group = " ".join(address.split()), ""
    if receiver := _RECEIVER.match(spelt):
        yield Wanted(f"{receiver[1]}.{receiver[2]}", group="callable")
        return
    if declared := _DECLARED.fullmatch(spelt):
        group = "callable" if declared["callable"] else "type" if declared["type"] else ""
        spelt = declared["rest"]
    called = _CALLED.fullmatch(spelt)
    spelt = (called["rest"] if called else spelt).rstrip(" :{;")
    parted = _SEPARATOR.sub(".", _INDEX.sub(r".\1", spelt).removeprefix("$")).strip(".")
    # What is written as a call means a constructor before its class.
    for meant in ("callable", group) if called and not group else (group,):
        yield Wanted(spelt, group=meant)
        yield Wanted(parted, group=meant)
