"""Names in their other spellings, and where a quoted name begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

# "" is anywhere; the others are what a caller may ask for.
BOUNDARIES = ("", "word", "identifier")
_NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")
# oldName, OLDName2, old-name, OLD_NAME: a word is a run of capitals, or of small letters behind at
# most one capital, with the digits that follow.
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\dA-Z_]+\d*|\d+")
# What else belongs to a name, beside letters, digits and underscores, by the ending of the file.
_ALSO_IN_NAMES = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "php", "java"), "$"),
    **dict.fromkeys(("vue", "svelte", "kt", "scala", "dart", "sh", "bash", "pl"), "$"),
    **dict.fromkeys(("css", "scss", "less", "html", "htm", "xml", "svg"), "-"),
    **dict.fromkeys(("clj", "cljs", "el", "lisp", "scm", "yaml", "yml", "toml"), "-"),
}


def is_name(text: str) -> bool:
    """Tell whether a text is one name, of at least one word."""
    return bool(_NAME.fullmatch(text) and _WORD.search(text))


def spellings(old: str, new: str) -> dict[str, str]:
    """Return for each spelling of a name the same spelling of another; their own come first.

    >>> spellings("old_name", "fresh_name")["OldName"]
    'FreshName'
    """
    found = {old: new}
    for one, other in zip(_forms(old), _forms(new), strict=True):
        found.setdefault(one, other)
    return found


def _forms(name: str) -> Iterator[str]:
    """Yield a name as snake_case, camelCase, PascalCase, CONSTANT_CASE, kebab-case, TRAIN-CASE.

    Underscores that a name begins or ends with stay in each.
    """
    bare = name.strip("_")
    head, tail = name[: len(name) - len(name.lstrip("_"))], name[len(name.rstrip("_")) :]
    words = [word.lower() for word in _WORD.findall(bare)]
    capitals = [word[:1].upper() + word[1:] for word in words]
    yield f"{head}{'_'.join(words)}{tail}"
    yield f"{head}{''.join([words[0], *capitals[1:]])}{tail}"
    yield f"{head}{''.join(capitals)}{tail}"
    yield f"{head}{'_'.join(words).upper()}{tail}"
    yield f"{head}{'-'.join(words)}{tail}"
    yield f"{head}{'-'.join(words).upper()}{tail}"


def stands_alone(text: str, start: int, end: int, boundary: str, path: str = "") -> bool:
    """Tell whether a span of a text is not a part of a longer word, or of a longer identifier."""
    if not boundary:
        return True
    also = "" if boundary == "word" else _ALSO_IN_NAMES.get(path.rpartition(".")[2].casefold(), "")
    before, first = text[start - 1 : start], text[start]
    last, after = text[end - 1], text[end : end + 1]
    return not (_joins(before, first, also) or _joins(after, last, also))


def _joins(outer: str, inner: str, also: str) -> bool:
    """Tell whether two neighbours belong to one name."""
    return bool(outer) and _is_of_name(outer, also) and _is_of_name(inner, also)


def _is_of_name(character: str, also: str) -> bool:
    return character.isalnum() or character == "_" or character in also
