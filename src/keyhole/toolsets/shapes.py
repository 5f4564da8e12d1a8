"""What the arguments of a tool look like, and what other interfaces call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from keyhole.fastclasses import dataclass, field
from keyhole.toolsets.schemas import Schema

_PATHS = ("path", "filepath")
_OLD = ("find", "oldstring", "oldtext", "oldstr", "oldcontent", "search")
_NEW = ("newstring", "newtext", "newstr", "newcontent", "replace")
_WHOLE = ("content", "filetext", "inserttext")
_PATCH = ("patch", "input")
# What tools call an argument, and what callers of other tools call it. An argument is named in the
# first list that the tool has a name of.
_FAMILIES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_PATHS, (*_PATHS, "filename", "file", "targetfile", "absolutepath")),
    (_OLD, (*_OLD, "old")),
    (_NEW, (*_NEW, "new", "content")),
    (_WHOLE, (*_WHOLE, "newcontent")),
    (_PATCH, (*_PATCH, "diff")),
    (("reason",), ("description", "explanation")),
)
# Where a tool finds text by quoting it, its `content` is what others call the new text.
_BESIDE_A_QUOTE = (_WHOLE[:1], (*_NEW, "new"))

# Texts of files and patches: whatever is in them is meant, and an empty one is said too.
LITERAL = frozenset((*_OLD, *_NEW, *_WHOLE, *_PATCH))


def plain(name: str) -> str:
    """Return a name without what tells camelCase from snake_case."""
    return name.replace("_", "").replace("-", "").lower()


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One argument: its kind, the kinds of what is in it, the shape of the objects in it."""

    kinds: tuple[str, ...]
    items: str = ""
    inner: CallShape | None = None
    is_literal: bool = False
    default: object = None

    def is_home_of(self, name: str) -> bool:
        """Tell whether the objects in it have a field of this name themselves."""
        return self.inner is not None and name in self.inner.fields

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

    def takes(self, name: str) -> bool:
        """Tell whether an argument is one of ours, also in other words than one for one."""
        words = {"lines": "start_line", "startline": "lines", "endline": "lines"}
        words["replaceall"] = "occurrence"
        return bool(self.name_of(name)) or words.get(plain(name), "") in self.fields

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
        if target:
            foreign |= {name: target for name in others if name not in spelt | foreign}
    for name, each in fields.items():  # one edit, where edits are wanted
        if each.kind == "array" and each.inner and name.endswith("s"):
            foreign.setdefault(plain(name[:-1]), name)
    return CallShape(
        fields, spelt, {name: own for name, own in foreign.items() if name not in spelt}
    )


def _families(spelt: Iterable[str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    quotes = any(name in _OLD for name in spelt)
    return [*_FAMILIES, _BESIDE_A_QUOTE] if quotes else list(_FAMILIES)


def _field(name: str, schema: Schema) -> FieldShape:
    ways = schema.get("anyOf", (schema,))
    assert isinstance(ways, Iterable), "BUG: anyOf is a list"
    first, *_ = all_ways = list(ways)
    kinds = tuple(str(way["type"]) for way in all_ways)
    items: Schema = next((way["items"] for way in all_ways if "items" in way), {})
    inner = items if first["type"] == "array" else first
    shape = shape_of(inner) if "properties" in inner else None
    literal = name in LITERAL
    return FieldShape(kinds, str(items.get("type", "")), shape, literal, first.get("default"))
