"""Names: the parts of names in code, and which names look like a misspelt one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_NEAR = 0.4
# How alike two names are that have the same letters.
_ALMOST = 0.99
_LONGEST = 200
_SEPARATOR = re.compile(r"(?<=[\w)\]>])(?:::|\.|:)(?=[\w~])")
# A C++ operator, which is called by its sign, or by what it converts to.
_OPERATOR = re.compile(r"operator(?=[^\w.])\s*(?:\(\s*\)|[^(]+)")
_GENERIC = re.compile(r"(?<=[\w\s])[<(\[].*", re.DOTALL)
_SIGN = re.compile(r"\(([^\w\s()]+)\)")
_INDEX = re.compile(r"(?<=[\w)\]])\[\s*(?:\"([^\"\]]*)\"|'([^'\]]*)'|(\d+))\s*\]")
_COMPUTED = re.compile(r"(?<=\w)(\[\w[\w.]*\])$")
_WORD = re.compile(r"\"[^\"\n]*\"|[\w-]+")
_HEAD = re.compile(r"(?:\"[^\"\n]*\"|[^\"{])*")
_ATTRIBUTE = re.compile(r"\s([^\s\"'<>/=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))|>")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_TAG = re.compile(r"<([\w:-]+)")
# What JavaScript writes before a name without meaning an owner by it.
_NOT_OWNERS = frozenset({"module", "exports", "prototype", "this", "window", "globalThis"})
# Elements worth a name without an id: with every <p> and <span> nobody would find the rest.
_LANDMARKS = frozenset(
    {"html", "head", "body", "title", "main", "header", "footer", "nav", "section", "article"}
    | {"aside", "form", "table", "template", "script", "style", "dialog"}
)


def name_parts(name: str, *, splits: bool) -> tuple[str, ...]:
    """Return the parts of a name as code writes it: `ns::Foo<T>::run` is ns, Foo, run."""
    bare = name.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'`":
        bare = bare[1:-1]
    bare = " ".join(bare.split())
    if sign := _SIGN.fullmatch(bare):
        return (sign[1],)
    if splits and not bare.startswith("["):
        bare = _COMPUTED.sub(r".\1", _INDEX.sub(r".\1\2\3", bare))
        parts = [_bare_part(part) for part in _SEPARATOR.split(bare)]
        kept = [part for part in parts[:-1] if part and part not in _NOT_OWNERS]
        if "(" in parts[-1] and not _OPERATOR.match(parts[-1]):
            parts[-1:] = _IDENTIFIER.findall(parts[-1])[:1]
        return (*kept, *parts[-1:]) if parts and parts[-1] and len(bare) < _LONGEST else ()
    return (bare,) if bare and len(bare) < _LONGEST else ()


def _bare_part(part: str) -> str:
    operator = _OPERATOR.match(part)
    return (operator.group() if operator else _GENERIC.sub("", part)).strip()


def words_of(header: str) -> tuple[str, ...]:
    """Return the words and quoted strings of a header: `resource "aws_instance" "web"`."""
    head = _HEAD.match(header)
    return tuple(word.strip('"') for word in _WORD.findall(head.group() if head else ""))


def tag_name(element: str) -> tuple[str, ...]:
    """Return what an element is called: by its id, or by its tag if that stands out."""
    for attribute in _ATTRIBUTE.finditer(element):
        if not attribute[1]:
            break
        name = (attribute[2] or attribute[3] or attribute[4] or "").strip()
        if attribute[1].lower() == "id" and name:
            return (f"#{name}",)
    tag = _TAG.match(element)
    return (tag[1].lower(),) if tag and tag[1].lower() in _LANDMARKS else ()


def nearest_names(wanted: str, names: Iterable[str], most: int) -> tuple[str, ...]:
    """Return at most `most` of `names` that look like `wanted`, the nearest first."""
    look = _look(wanted)
    scored = [(_nearness(_look(name), look), name) for name in dict.fromkeys(names)]
    near = sorted((item for item in scored if item[0] >= _NEAR), key=lambda item: -item[0])
    return tuple(name for _, name in near[:most])


def likeness(one: str, other: str) -> float:
    """Return how alike two names look, from 0 to 1; only equal ones are wholly alike."""
    if one == other:
        return 1.0
    return min(_nearness(_look(other), _look(one)), _ALMOST)


class _Look(NamedTuple):
    """What makes two names look alike: pairs of characters, each with its number, and letters."""

    pairs: frozenset[tuple[str, int]]
    letters: str


def _nearness(one: _Look, other: _Look) -> float:
    if one.letters and one.letters == other.letters:
        return _ALMOST if one.pairs != other.pairs else 1.0
    return 2 * len(one.pairs & other.pairs) / (len(one.pairs) + len(other.pairs))


@lru_cache(maxsize=1 << 14)
def _look(name: str) -> _Look:
    """Return how a name looks, its case aside: pairs of neighbours, the ends included."""
    folded = name.casefold()
    padded = f" {folded} "
    counted: Counter[str] = Counter()
    pairs = []
    for at in range(len(padded) - 1):
        pair = padded[at : at + 2]
        counted[pair] += 1
        pairs.append((pair, counted[pair]))
    return _Look(frozenset(pairs), "".join(filter(str.isalnum, folded)))
