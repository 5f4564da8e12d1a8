"""The readings of an address as a caller may spell it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from keyhole.segments.names import words_of

_SELECTOR = re.compile(r"(?P<rest>.+?)\s*(?:#(?P<number>[1-9]\d*)|@(?P<line>[1-9]\d*))", re.DOTALL)
_NESTED = re.compile(r"(?P<outer>.+[#@]\d+)(?:\.|::|/| > )(?P<names>[^#@].*)", re.DOTALL)

_BLOCK = re.compile(r"(?:(?P<outer>.+?)(?:/|::))?(?P<kind>code|list|table)(?::(?P<language>\S+))?")
_BLOCK_KINDS = {"code": "code_block", "list": "list", "table": "table"}
_HEADING = re.compile(r"\s*(?:(?P<marks>#{1,6})(?:\s+|$))?(?P<title>.*?)(?:\s+#+)?\s*", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
# Code and escaped signs are what they show; the rest of a heading may be marked up.
_LITERAL = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)|\\(?P<sign>[!-/:-@\[-`{-~])")
_MARKS = (
    re.compile(r"(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1"),
    # `__name__` is what Python calls something, and no emphasis that anybody meant.
    re.compile(r"(?<!\w)(__)(?=\S)(\S*\s.*?)(?<=\S)__(?!\w)"),
    re.compile(r"(?<![\w_])(_)(?=[^\s_])(.*?)(?<=[^\s_])_(?![\w_])"),
)
# The anchor that some processors let a heading have, and do not show.
_ANCHOR = re.compile(r"\s*\{#[\w.:-]+\}\s*$")
_HIDDEN = "\0"
# A longer name is taken as it is written: to try other readings would take long.
_LONGEST = 1000

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
# What a header ends with; a separator at the end is one that lost the name behind it.
_TAIL = re.compile(r"\s*(?:(?<!:):(?!:)|[{;\s])*$")
_CALLED = re.compile(r"(?P<rest>[^\s(]+)\s*\(.*\).*", re.DOTALL)
_SEPARATOR = re.compile(r"::|\s+>\s+|/|->|\\|(?<=\w):(?=\w)|(?<=\w)#(?=[^\W\d])")
_QUOTED = re.compile(r"(?:^|(?<=[./:>\s]))([\"'`])([^\"'`]+)\1(?=[./:\s]|$)")
_IN_QUOTES = re.compile(r"([\"'`])([^\"'`]+)\1")
# Where a path into a file of settings may begin, and a table of TOML as it is written.
_ROOT = re.compile(r"^(?:\$(?=[.\[])\.?|/)")
_TABLE = re.compile(r"\[{1,2}([^\[\]]+)\]{1,2}")
# Languages that put a dollar before the name of a variable, which is no part of the name.
_SIGILS = frozenset({"bash", "php"})
_INDEX = re.compile(r"\[[\"']?([^\]\"']+)[\"']?\]")
_CALLABLE_KINDS = frozenset({"function", "method", "constructor", "macro", "property"})


class AddressQuery(NamedTuple):
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


def readings(address: str, language: str) -> tuple[AddressQuery, ...]:
    """Return the readings of `address`, the most literal first."""
    plain = address.strip()
    if len(plain) > _LONGEST:
        return (AddressQuery(plain),)
    read = _READERS.get(language, _in_code)
    found = list(read(plain, language))
    if selector := _SELECTOR.fullmatch(plain):
        number, line = int(selector["number"] or 0), int(selector["line"] or 0)
        chosen = read(selector["rest"], language)
        found.extend(wanted._replace(number=number, line=line) for wanted in chosen)
    if nested := _NESTED.fullmatch(plain):
        found.append(AddressQuery(nested["names"].strip(), outer=nested["outer"]))
    return tuple(dict.fromkeys(wanted for wanted in found if wanted.names or wanted.block))


@lru_cache(maxsize=1 << 16)
def fold(title: str) -> str:
    """Return a heading as it is shown, in lower case: without markup and runs of blanks."""
    shown = title if len(title) > _LONGEST else _without_markup(_ANCHOR.sub("", title))
    return " ".join(shown.lower().split())


def _without_markup(title: str) -> str:
    literals: list[str] = []

    def hide(found: re.Match[str]) -> str:
        literals.append((found["code"] or found["sign"]).strip())
        return _HIDDEN

    bare = _LITERAL.sub(hide, _LINK.sub(r"\1", title.replace(_HIDDEN, "\ufffd")))
    for marks in _MARKS:
        bare = marks.sub(r"\2", bare)
    kept = iter(literals)
    return re.sub(_HIDDEN, lambda _: next(kept), bare)


def _in_markdown(address: str, _: str) -> Iterator[AddressQuery]:
    yield AddressQuery(address)
    if block := _BLOCK.fullmatch(address):
        kind, language, outer = block["kind"], block["language"] or "", block["outer"] or ""
        yield AddressQuery("", block=_BLOCK_KINDS[kind], language=language, outer=outer)
    yield _headings([address])
    for separator in (" > ", "::"):
        if separator in address:
            yield _headings(address.split(separator))
    yield _headings(re.split(r"\s+>\s+|::", address))
    if quoted := _IN_QUOTES.fullmatch(address):
        yield _headings([quoted[2]])


def _headings(components: list[str]) -> AddressQuery:
    found = [_HEADING.fullmatch(component) for component in components]
    titles = [(heading["marks"] or "", heading["title"]) for heading in found if heading]
    names = "::".join(title or marks for marks, title in titles)
    levels = tuple(len(marks) for marks, _ in titles)
    return AddressQuery(names, levels=levels if any(levels) else ())


def _in_code(address: str, language: str) -> Iterator[AddressQuery]:
    yield AddressQuery(address)
    spelt, group = " ".join(_unquoted(address).split()), ""
    if receiver := _RECEIVER.match(spelt):
        yield AddressQuery(f"{receiver[1]}.{receiver[2]}", group="callable")
        return
    if declared := _DECLARED.fullmatch(spelt):
        group = "callable" if declared["callable"] else "type" if declared["type"] else ""
        spelt = declared["rest"]
    called = _CALLED.fullmatch(spelt)
    spelt = _TAIL.sub("", called["rest"] if called else spelt)
    if language in _SIGILS:
        spelt = spelt.removeprefix("$")
    # What is written as a call means a constructor before its class.
    for meant in ("callable", group) if called and not group else (group,):
        yield AddressQuery(spelt, group=meant)
        yield AddressQuery(_parted(spelt).lstrip("."), group=meant)


def _in_settings(address: str, language: str) -> Iterator[AddressQuery]:
    """Yield the readings of a key, in which any sign may be part of the name."""
    yield AddressQuery(address)
    spelt = _unquoted(address).removesuffix(":").rstrip()
    yield AddressQuery(spelt)
    if language == "hcl" and '"' in address:
        yield AddressQuery(".".join(words_of(address)))
    if table := _TABLE.fullmatch(spelt):
        yield AddressQuery(_unquoted(table[1]))
    path = _ROOT.sub("", spelt)
    yield AddressQuery(_parted(path).removeprefix("." if path.startswith("[") else ""))


def _in_cells(address: str, _: str) -> Iterator[AddressQuery]:
    """Yield the readings of a name in a cell: as a heading, or as code, whose names have dots."""
    yield AddressQuery(address)
    yield _headings([address])
    cell, slash, inner = address.rpartition("/")
    for reading in _in_code(inner, "python"):
        yield AddressQuery(f"{cell}{slash}{reading.names.replace('.', '/')}", group=reading.group)


def _in_selectors(address: str, _: str) -> Iterator[AddressQuery]:
    """Yield the one reading of a selector: each of its signs says which elements are meant."""
    yield AddressQuery(address)
    yield AddressQuery(" ".join(address.rstrip(" {").split()))


def _parted(names: str) -> str:
    return _SEPARATOR.sub(".", _INDEX.sub(r".\1", names))


def _unquoted(address: str) -> str:
    """Return an address without the quotes around it, or around the names in it."""
    return _QUOTED.sub(r"\2", address)


_READERS: Mapping[str, Callable[[str, str], Iterator[AddressQuery]]] = {
    "markdown": _in_markdown,
    "notebook": _in_cells,
    **dict.fromkeys(("json", "yaml", "toml", "hcl"), _in_settings),
    **dict.fromkeys(("css", "html"), _in_selectors),
}
