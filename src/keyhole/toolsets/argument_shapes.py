"""What the arguments of a tool look like, what other interfaces call them, and values that fit.

Values may come in another way: numbers and switches as text, JSON in a text, lines in any form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from keyhole.fastclasses import dataclass, field
from keyhole.toolsets.json_texts import loaded
from keyhole.toolsets.schemas import Schema

# The way to a value in a call: names of objects, numbers of list items.
Place = tuple[str | int, ...]

_PATHS = ("path", "filepath")
_OLD = ("find", "oldstring", "oldtext", "oldstr", "oldcontent", "search")
_NEW = ("newstring", "newtext", "newstr", "newcontent", "replace")
_WHOLE = ("content", "filetext", "inserttext")
_PATCH = ("patch", "input")
_ALSO_NEW = ("new", "replacement", "replacewith", "replacementcontent", "newcode", "with", "text")
# What tools call an argument, and what callers of other tools call it. An argument is named in the
# first list that the tool has a name of.
_FAMILIES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_PATHS, (*_PATHS, "filename", "file", "targetfile", "absolutepath", "relativepath", "uri")),
    (_PATHS, ("source", "oldpath", "paths", "directory", "dir", "dirpath", "folder", "outputpath")),
    (_OLD, (*_OLD, "old", "original", "searchtext", "searchstring", "oldcode", "targetcontent")),
    (_NEW, (*_NEW, *_ALSO_NEW, "content")),
    (_WHOLE, (*_WHOLE, "newcontent", "newstr", "text", "contents", "filecontent", "codecontent")),
    (_PATCH, (*_PATCH, "diff", "patchtext", "patchcontent", "unifieddiff", "content")),
    (("reason",), ("description", "explanation", "instruction", "instructions", "why")),
    (("reason",), ("rationale", "justification")),
    (("lines",), ("line", "linenumber", "linenumbers", "linerange", "range", "viewrange")),
    (("segment",), ("symbol", "symbolname", "namepath", "section", "segmentname")),
    (("action", "operation"), ("operation", "op", "position", "type", "command")),
    (("line",), ("linenumber", "insertline")),
    (("sectiontitle",), ("section", "heading", "title")),
    (("regex",), ("isregex", "useregex", "regexp")),
    (("dryrun",), ("preview", "simulate")),
    (("moveto",), ("destination", "dest", "newpath", "newname", "to")),
    (("query",), ("pattern", "search", "searchterm", "searchquery", "text", "q")),
    (("glob",), ("include", "includepattern", "filepattern")),
    (("limit",), ("maxresults", "headlimit", "count", "n")),
    (("depth",), ("maxdepth",)),
    (("context",), ("contextlines",)),
    (("id",), ("transaction", "transactionid")),
    (("template",), ("templateid", "templatename", "name")),
    (("variables",), ("vars", "context", "values")),
)
# Where a tool finds text by quoting it, its `content` is what others call the new text.
_BESIDE_A_QUOTE = (_WHOLE[:1], (*_NEW, *_ALSO_NEW))
# What a search looks for is its pattern, where a pattern may be an expression.
_OF_A_SEARCH = (("pattern",), ("query", "search", "searchterm", "searchquery", "text", "q"))
# Where it quotes nothing, a name is a segment's; what is renamed has an old and a new one.
_BESIDE_NO_QUOTE = (("segment",), ("name", "function", "functionname", "oldname", "oldsymbolname"))
_OF_A_RENAME = (("to",), ("newname", "newsymbolname"))
EDITS = ("changes", "replacements", "operations", "modifications", "replacementchunks", "files")

# What other tools say in two arguments, or of all places, by what it is.
START, END, ALL, COUNT, OFFSET, LIMIT = "start", "end", "all", "count", "offset", "limit"
_IN_OTHER_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("startline", "startlineoneindexed", "linestart", "fromline"), START),
    **dict.fromkeys(("endline", "endlineoneindexed", "endlineoneindexedinclusive"), END),
    **dict.fromkeys(("lineend", "toline"), END),
    **dict.fromkeys(("replaceall", "allowmultiple", "all", "global"), ALL),
    "expectedreplacements": COUNT,
    "offset": OFFSET,
    "limit": LIMIT,
}
# The argument of ours that says it.
_SAID_BY: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((START, END), ("lines", "view_range", "start_line")),
    **dict.fromkeys((OFFSET, LIMIT), ("lines",)),
    **dict.fromkeys((ALL, COUNT), ("occurrence", "search_count")),
}

# Texts of files and patches: whatever is in them is meant, and an empty one is said too.
LITERAL = frozenset((*_OLD, *_NEW, *_WHOLE, *_PATCH))
WHOLE_TEXTS = frozenset((*_WHOLE, *_PATCH))

TRUTH = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_ACTIONS = {
    "insertafter": "after",
    "insertbefore": "before",
    "remove": "delete",
    "strreplace": "replace",
}
# Words that may also be numbers, and stay these.
_COUNTED = ("occurrence", "indent")
# What words of ours are by default: they may come in another case.
_WORDS = ("unique", "auto", "strict", "refuse", "brief")
_NOTHING: tuple[object, ...] = (None, "", [], {})
_MOST_SHOWN = 40
_WHOLE_NUMBER = re.compile(r"\s*(-?\d{1,15})(?:\.0+)?\s*", re.ASCII)
_RANGE = re.compile(
    r"\s*(?:lines?\s*|#?L)?(\d{1,12})\s*(?:(-|–|—|:|,|\.\.|to)\s*L?(\d{0,12}))?\s*",
    re.ASCII | re.IGNORECASE,
)
_OWN_RANGE = re.compile(r"\s*\d+\s*(?:-\s*\d*\s*)?", re.ASCII)


def plain(name: str) -> str:
    """Return a name without what tells camelCase from snake_case; `-n` is a switch, no name."""
    return name.replace("_", "").replace("-", "").lower() if name[:1] != "-" else name


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One argument: its kind, the kinds of what is in it, the shape of the objects in it."""

    kinds: tuple[str, ...]
    items: str = ""
    inner: CallShape | None = None
    is_literal: bool = False
    default: object = None
    # The words that it may be, where the schema lists them.
    choices: tuple[str, ...] = ()

    def is_home_of(self, name: str) -> bool:
        """Tell whether the objects in it have a field of this name themselves."""
        return self.inner is not None and name in self.inner.fields

    def is_silent(self, value: object) -> bool:
        """Tell whether a value says nothing; texts that may be empty, or must not be, say it."""
        if value is None:
            return "null" not in self.kinds
        if self.is_literal or self.inner:
            return False
        # An empty list is no word.
        is_word = self.kind == "string" and self.default is not None
        return value == "" if is_word else value in _NOTHING

    @property
    def kind(self) -> str:
        """Return what the argument is by its contract; other kinds are only let through."""
        return self.kinds[0]


@dataclass(frozen=True, slots=True)
class CallShape:
    """The arguments of a tool, or the fields of an object in them, by all names they go by."""

    fields: Mapping[str, FieldShape]
    spelt: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)

    def name_of(self, name: str) -> str:
        """Return our own name of an argument, "" where it is none of ours."""
        if name in self.fields:
            return name
        known = plain(name)
        return self.spelt.get(known) or self.foreign.get(known, "")

    def in_other_words(self, name: str) -> str:
        """Return what an argument says that ours say in other words than one for one."""
        word = _IN_OTHER_WORDS.get(plain(name), "")
        return word if self.has(*_SAID_BY.get(word, ())) or self._holds(word) else ""

    def _holds(self, word: str) -> bool:
        inner = (each.inner for each in self.fields.values() if each.inner)
        return any(one.has(*_SAID_BY.get(word, ())) for one in inner)

    def takes(self, name: str) -> bool:
        """Tell whether an argument is one of ours, also in other words than one for one."""
        is_pair = plain(name) == "lines" and "start_line" in self.fields
        return bool(self.name_of(name)) or is_pair or bool(self.in_other_words(name))

    def has(self, *names: str) -> str:
        """Return the first of the names that is an argument here, "" if none is."""
        return next((name for name in names if name in self.fields), "")


_KNOWN: dict[int, tuple[Schema, CallShape]] = {}


def shape_of(schema: Schema) -> CallShape:
    """Return the shape that a schema describes; each is read once."""
    found = _KNOWN.get(id(schema))
    if found is None:
        # The schema is kept too, so that no other one gets its id.
        found = _KNOWN[id(schema)] = (schema, _shape(schema))
    return found[1]


def _shape(schema: Schema) -> CallShape:
    known = schema["properties"]
    assert isinstance(known, Mapping), "BUG: a tool takes an object"
    spelt = {plain(name): name for name in known}
    fields = {name: _field(plain(name), each) for name, each in known.items()}
    foreign: dict[str, str] = {}
    for own, others in _families(spelt):
        target = next((spelt[name] for name in own if name in spelt), "")
        # A part of a file that is one of several kinds is named by its kind.
        if target and not (target == "lines" and fields[target].kind == "object"):
            foreign |= {name: target for name in others if name not in spelt | foreign}
    for name, each in fields.items():  # one edit, where edits are wanted
        if each.kind == "array" and each.inner and name.endswith("s"):
            foreign.setdefault(plain(name[:-1]), name)
            foreign |= {other: name for other in EDITS if name == "edits"}
    return CallShape(
        fields, spelt, {name: own for name, own in foreign.items() if name not in spelt}
    )


def _families(spelt: Collection[str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    quotes = any(name in _OLD for name in spelt)
    if quotes:
        return [*_FAMILIES, _BESIDE_A_QUOTE]
    renames = [_OF_A_RENAME] if {"segment", "to"} <= {*spelt} else []
    searches = [_OF_A_SEARCH] if {"pattern", "regex"} <= {*spelt} else []
    return [*_FAMILIES, _BESIDE_NO_QUOTE, *renames, *searches]


def _field(name: str, schema: Schema) -> FieldShape:
    first, *_ = ways = _ways(schema)
    kinds = tuple(str(way["type"]) for way in ways if way != {"type": "null"})
    items = next((_ways(way["items"])[0] for way in ways if "items" in way), {})
    inner = items if first["type"] == "array" else first
    shape = shape_of(inner) if "properties" in inner else None
    words = first.get("enum", ())
    assert isinstance(words, Iterable), "BUG: an enum is a list"
    return FieldShape(
        kinds,
        str(items.get("type", "")),
        shape,
        name in LITERAL,
        first.get("default"),
        tuple(map(str, words)),
    )


def _ways(schema: object) -> list[Schema]:
    assert isinstance(schema, Mapping), "BUG: a schema is an object"
    return list(schema.get("anyOf", (schema,)))


# Arguments that say something together with others, and those that edits share with their call.
_JOINED = {"pattern", "lines", "view_range", "start_line"}
_SHARED = {"path", "filepath", "filename", "file"}


def is_sound(given: Mapping[str, object], shape: CallShape) -> bool:
    """Tell whether a call is in its tool's own shape to the letter, as most calls are.

    What takes a closer look to tell is not.
    """
    if not given or "start_line" in shape.fields:
        return False
    for name, value in given.items():
        known = shape.fields.get(name)
        if known is None or name in _JOINED:
            return False
        if not (
            _is_sound_list(name, value, known) if known.inner else _is_plain(name, value, known)
        ):
            return False
    return True


def _is_sound_list(name: str, value: object, known: FieldShape) -> bool:
    """Tell whether edits are a list of objects in their own shape, which say no path."""
    inner = known.inner
    if not isinstance(value, list) or not value or known.kind != "array" or inner is None:
        return False
    is_own = name not in inner.fields
    return is_own and all(
        type(one) is dict and is_sound(one, inner) and not _SHARED & {*map(plain, one)}
        for one in value
    )


def _is_plain(name: str, value: object, known: FieldShape) -> bool:
    """Tell whether a value is of the kind that an argument has."""
    if known.is_literal:
        return type(value) is str
    if known.is_silent(value) or (isinstance(value, str) and value.lstrip()[:1] in {"{", "["}):
        return False
    made = fitted(name, value, known)
    return type(made) is type(value) and made == value and not isinstance(value, list | dict)


def strays_in(value: object, shape: CallShape, at: Place = ()) -> Iterator[Place]:
    """Yield the places of all names that nobody would read."""
    for place, one in objects_in(value, at):
        for name, inside in one.items():
            known = shape.fields.get(name)
            if known is None:
                yield (*place, name)
            elif known.inner:
                yield from strays_in(inside, known.inner, (*place, name))


def objects_in(value: object, at: Place) -> Iterator[tuple[Place, dict[str, object]]]:
    """Yield an object, or each object of a list, with its place."""
    if isinstance(value, dict):
        yield at, value
    if isinstance(value, list):
        yield from (((*at, index), one) for index, one in enumerate(value) if isinstance(one, dict))


def misplaced_in(call: Mapping[str, object], shape: CallShape) -> list[tuple[str, str, str]]:
    """Return the arguments of a call that stand in its edits: where, as what, our own name."""
    found: dict[tuple[str, str, str], None] = {}
    homes = [(home, known.inner) for home, known in shape.fields.items() if known.inner]
    for home, inner in homes:
        for name in (name for _, one in objects_in(call.get(home), ()) for name in one):
            own = "" if inner.takes(name) else shape.name_of(name)
            if own and not (shape.fields[own].inner or shape.fields[own].is_literal):
                found[home, name, own] = None
    return list(found)


def fitted(name: str, value: object, known: FieldShape) -> object:
    """Return a value of the kind that an argument has, if it says one in another way."""
    if isinstance(value, dict) and [*map(plain, value)] == [plain(name)] and all(value.values()):
        (value,) = value.values()  # wrapped once more
    if known.is_literal:
        return value
    if name in {"lines", "view_range"}:
        return lines(value, known.kind)
    if known.kind == "boolean":
        return _truth(value)
    if known.kind == "integer" or (name == "indent" and isinstance(value, str)):
        return number(value)
    if known.kind == "string":
        return _text(name, value, known)
    if isinstance(value, str) and known.kind == "array" and known.items == "string":
        found = loaded(value)
        words = [word.strip() for word in value.split(",")] if name == "kinds" else [value]
        return found if found is not None else value if "," in words[0] else words
    if isinstance(value, str) and {"array", "object"} & {*known.kinds}:
        return loaded(value) or value
    return value


def _truth(value: object) -> object:
    if isinstance(value, str):
        return TRUTH.get(value.strip().lower(), value)
    return bool(value) if value in (0, 1) else value


def _text(name: str, value: object, known: FieldShape) -> object:
    """Return a text that is no file's: one in a list, a word in another case, a file's address."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        (value,) = value if name != "occurrence" else (value,)
    if isinstance(value, float):
        value = number(value)
    if type(value) is int and name not in _COUNTED:
        return str(value)
    if not isinstance(value, str):
        return value
    if plain(name) in _PATHS and value.startswith("file://"):
        from urllib.parse import unquote

        return unquote(value.removeprefix("file://"))
    if plain(name) == "expectedhash" and value.strip().lower() in {"null", "none", "undefined"}:
        return ""
    if known.choices:
        word = plain(value.strip())
        word = _ACTIONS.get(word, word) if name == "action" else word
        return next((each for each in known.choices if plain(each) == word), value)
    if {"array", "object"} & {*known.kinds}:
        return loaded(value) or value
    return value.strip().lower() if known.default in _WORDS else value


def number(value: object) -> object:
    """Return the whole number that a value says, or the value."""
    if isinstance(value, str) and (found := _WHOLE_NUMBER.fullmatch(value)):
        return int(found[1])
    return int(value) if isinstance(value, float) and value.is_integer() else value


def lines(value: object, kind: str) -> object:
    """Return lines as an argument of a kind has them: text, two numbers, an object's start, end."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = loaded(value) or value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list | dict | str):
        (value,) = value
    if isinstance(value, dict):
        value = _ends(value)
    if isinstance(value, list | float):
        value = [number(each) for each in value] if isinstance(value, list) else number(value)
    if isinstance(value, list) and len(value) == 1 and kind == "string":
        value = value * 2
    if isinstance(value, list) and len(value) == 2 and value[1] in (None, -1):
        value = f"{value[0]}-" if kind == "string" else [value[0], -1]
    pair = pair_of(value)
    if pair is None:
        return value
    first, last = pair
    if kind == "string":
        is_own = not isinstance(value, str) or _OWN_RANGE.fullmatch(value)
        return value if is_own else _as_text(first, last)
    return [first, last] if kind == "array" else {"start": first, "end": last}


def _ends(value: dict[str, object]) -> object:
    """Return both ends that an object names, or the object."""
    for start, end in (
        ("start", "end"),
        ("from", "to"),
        ("first", "last"),
        ("startline", "endline"),
    ):
        names = {plain(name): each for name, each in value.items()}
        if {start, end} >= names.keys() >= {start}:
            return [names[start], names.get(end, names[start])]
    return value


def pair_of(value: object) -> tuple[int, int] | None:
    """Return the first and the last line that a value names; -1 is the end of the file."""
    if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
        first = int(found[1])
        return first, int(found[3]) if found[3] else -1 if found[2] else first
    if isinstance(value, list) and len(value) == 2 and all(type(each) is int for each in value):
        return value[0], value[1]
    return (value, value) if type(value) is int and value > 0 else None


def _as_text(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{'' if last == -1 else last}"


def shown(value: object) -> str:
    """Return a value as a note can hold it."""
    if isinstance(value, dict | list) and any(isinstance(one, dict | list) for one in value):
        return "JSON"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
