"""Edits of a configuration file by key: an entry put in, replaced or taken out, nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from keyhole.edits.model.operations import Edit, InOrder, Operation, WriteFile
from keyhole.engine.host_files import ConfigText
from keyhole.hosts.model import nested
from keyhole.hosts.text import (
    as_json,
    toml_table,
    toml_value,
    yaml_flow,
    yaml_lines,
)
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Segment

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(rf'"(?:\\.|[^"\\\n])*"|{_COMMENT.pattern}', re.DOTALL)
# What a document of YAML begins and ends with: what stands behind its end is another one.
_START = re.compile(r"\A(?:(?:[%#].*)?\r?\n)*---(?=\s|\Z)")
_END = re.compile(r"(?m)^(?:---|\.\.\.)(?=\s|\Z)")
# Nothing at all, as YAML spells it.
_EMPTY = re.compile(r"[\[{]\s*[\]}]|~|null|Null|NULL")
_EMPTY_FILE = re.compile(rf"(?m)^(?:{_EMPTY.pattern})(?=[ \t]*(?:#.*)?\r?$)")


def with_entry(
    file: ConfigText, keys: Sequence[str], name: str, value: Mapping[str, object]
) -> tuple[Edit, ...]:
    """Return the edits that put an entry below keys, or in the place of one of that name."""
    if file.form == "toml":
        return _toml(file, (*keys, name), value)
    if there := file.segment((*keys, name)):
        if _plain(file.body(there)) == value:
            return ()
        if file.form == "json":
            return (_instead(there, value),)
        content = "\n".join(yaml_lines({name: value}))
        return (Edit(segment=there.address, content=content),)
    return (_added(file, (*keys, name), value),)


def with_item(
    file: ConfigText, keys: Sequence[str], name: str, value: Mapping[str, object]
) -> tuple[Edit, ...]:
    """Return the edits that put an entry into a list of YAML below keys."""
    if there := file.item(keys, name):
        return (Edit(segment=there.address, content="\n".join(yaml_lines([value]))),)
    holder = file.segment(keys)
    if holder is None:
        return (_into_yaml(file, {keys[-1]: [value]}),)
    if flow := _flow(file, holder):
        return _rewritten(holder, flow, [*_others(flow, name), value])
    if _is_empty(file, holder):
        content = "\n".join(yaml_lines([value]))
        return (Edit(segment=holder.address, part="body", content=content),)
    body, ours = file.body(holder), _ours_within(file.body(holder), name)
    content = yaml_flow(value) if body.startswith("[") else "\n".join(yaml_lines([value]))
    if ours:
        changed = Edit(segment=holder.address, part="body", content=body.replace(ours, content))
        return () if ours == content else (changed,)
    if body.startswith("[") and re.search(rf"""name["']?\s*:\s*["']?{name}["']?\s*[,}}]""", body):
        raise Refused(_no_lines(holder, name))
    return (Edit(segment=holder.address, action="append", content=content),)


def _ours_within(body: str, name: str) -> str:
    """Return the item that we wrote into a list within a line, if the list has it."""
    start = body.find(yaml_flow({"name": name})[:-1])
    with suppress(ValueError):
        return body[start : json.JSONDecoder().raw_decode(body, start)[1]] if start >= 0 else ""
    return ""


def _flow(file: ConfigText, holder: Segment) -> list[object]:
    """Return the items of a list within a line, where JSON can be read in it."""
    items = _plain(file.body(holder))
    return items if isinstance(items, list) else []


def _others(items: list[object], name: str) -> list[object]:
    return [each for each in items if not (isinstance(each, dict) and each.get("name") == name)]


def _rewritten(holder: Segment, was: list[object], items: list[object]) -> tuple[Edit, ...]:
    edit = Edit(segment=holder.address, part="body", content=yaml_flow(items))
    return () if items == was else (edit,)


def _plain(text: str) -> object:
    """Return what a text says as JSON, None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def with_values(file: ConfigText, keys: Sequence[str], values: Iterable[str]) -> tuple[Edit, ...]:
    """Return the edits that put texts into a list of JSON below keys, those that are missing."""
    holder = file.segment(keys)
    if holder is None:
        return (_added(file, keys, list(values)),)
    if _is_null(file, holder):
        return (_instead(holder, list(values)),)
    known = _texts(file.body(holder))
    missing = [text for text in (f'"{value}"' for value in values) if text not in known]
    content = ", ".join(missing) if "\n" not in file.body(holder) else ",\n".join(missing)
    return (Edit(segment=holder.address, action="append", content=content),) if missing else ()


def with_hooks(file: ConfigText, entries: Mapping[str, Sequence[object]]) -> tuple[Edit, ...]:
    """Return the edits that put entries into the lists of events below `hooks`, once each."""
    holder = file.segment(("hooks",))
    if holder is None:
        return (_added(file, ("hooks",), entries),)
    if _is_null(file, holder):
        return (_instead(holder, entries),)
    edits, missing = [], []
    for event, values in entries.items():
        there = file.segment(("hooks", event))
        if there is None:
            missing.append(_member((event,), values))
        elif _is_null(file, there):
            edits.append(_instead(there, values))
        elif not all(_has_command(file.body(there), value) for value in values):
            content = ",\n".join(map(as_json, values))
            edits.append(Edit(segment=there.address, action="append", content=content))
    if missing:
        content = ",\n".join(missing)
        edits.append(Edit(segment=holder.address, action="append", content=content))
    return tuple(edits)


def _has_command(body: str, entry: object) -> bool:
    """Tell whether a list of hooks calls the command of an entry already."""
    commands = re.findall(r'"command": ("[^\n]*?[^\\]")', as_json(entry))
    return all(command in body for command in commands)


def with_switches(file: ConfigText, keys: Sequence[str], names: Iterable[str]) -> tuple[Edit, ...]:
    """Return the edits that set keys of JSON to false."""
    holder = file.segment(keys)
    if holder is None:
        return (_added(file, keys, dict.fromkeys(names, False)),)
    if _is_null(file, holder):
        return (_instead(holder, dict.fromkeys(names, False)),)
    edits, missing = [], []
    for name in names:
        there = file.segment((*keys, name))
        if there is None:
            missing.append(f'"{name}": false')
        elif file.body(there) != "false":
            edits.append(Edit(segment=there.address, part="body", content="false"))
    if missing:
        content = ",\n".join(missing)
        edits.append(Edit(segment=holder.address, action="append", content=content))
    return tuple(edits)


def without(file: ConfigText, keys: Sequence[str], name: str, *, item: bool) -> tuple[Edit, ...]:
    """Return the edits that take an entry out; none where it is not there."""
    holder = file.segment(keys) if item else None
    if holder and (flow := _flow(file, holder)):
        return _rewritten(holder, flow, _others(flow, name))
    if holder and (ours := _ours_within(file.body(holder), name)):
        content = re.sub(_with_comma(re.escape(ours)), "", file.body(holder), count=1)
        return (Edit(segment=holder.address, part="body", content=content),)
    there = file.item(keys, name) if item else None
    found = [there] if there else [] if item else _entries(file, (*keys, name))
    return tuple(Edit(segment=each.address, action="delete") for each in found)


def without_values(
    file: ConfigText, was: ConfigText | None, keys: Sequence[str], values: Iterable[str]
) -> tuple[Edit, ...]:
    """Return the edit that takes texts out of a list of JSON, but those it had before."""
    holder, had = file.segment(keys), was and was.segment(keys)
    if holder is None:
        return ()
    kept = _texts(was.body(had)) if was and had else set()
    body = text = file.body(holder)
    for value in (f'"{each}"' for each in values):
        if value not in kept:
            body = _taken_from(body, re.escape(value))
    return () if body == text else (Edit(segment=holder.address, part="body", content=body),)


def without_switches(
    file: ConfigText, was: ConfigText | None, keys: Sequence[str], names: Iterable[str]
) -> tuple[Edit, ...]:
    """Return the edit that takes out keys of JSON that are false, but those it had before."""
    holder = file.segment(keys)
    if holder is None:
        return ()
    body = text = file.body(holder)
    for name in names:
        member, had = rf'"{re.escape(name)}"\s*:\s*false', was and was.segment((*keys, name))
        if was and had:
            value = was.body(had).replace("\\", r"\\")
            body = re.sub(member, f'"{name}": {value}', body, count=1)
        else:
            body = _taken_from(body, member)
    return () if body == text else (Edit(segment=holder.address, part="body", content=body),)


def _texts(body: str) -> set[str]:
    """Return the texts of a list of JSON as they are written, but none of its comments."""
    return {each for each in _TOKEN.findall(body) if each.startswith('"')}


def _taken_from(body: str, item: str) -> str:
    """Return the text of a list or object without what a pattern describes, and its comma."""
    gone = re.compile(rf"({_with_comma(item)})|{_TOKEN.pattern}", re.DOTALL)
    return gone.sub(lambda found: "" if found[1] else found[0], body)


def _with_comma(item: str) -> str:
    return rf",\s*{item}|{item}\s*,\s*|{item}"


def without_hooks(
    path: str, file: ConfigText, was: ConfigText | None, host: str
) -> tuple[Operation, ...]:
    """Return the edits that take our entries out of the lists below `hooks`, the last first."""
    command = re.compile(rf'"command": *"[^\n"]*keyhole\S* hook {host}"')
    holder, gone = file.segment(("hooks",)), list[Segment]()
    events = file.outline.children(holder.address) if holder else ()
    for event in events:
        items = file.outline.children(event.address)
        ours = [each for each in items if command.search(file.text[slice(*each.span)])]
        is_new = len(ours) == len(items) > 0 and not (was and was.segment(event.path))
        gone += [event] if is_new else ours
    if holder and gone and tuple(gone) == events and not (was and was.segment(holder.path)):
        gone = [holder]
    edits = tuple(Edit(segment=each.address, action="delete") for each in reversed(gone))
    return (InOrder(path, edits),) if edits else ()


def without_section(file: ConfigText | None, heading: str) -> tuple[Edit, ...]:
    """Return the edit that takes a section out of a file for models, if it is there."""
    there = file is not None and heading in file.text
    return (Edit(segment=heading, action="delete"),) if there else ()


def whole(name: str, file: ConfigText | None, text: str) -> tuple[Operation, ...]:
    """Return the operation that makes a text all of a file, none where it is."""
    if file is None or not file.text:
        return (WriteFile(name, text),)
    return () if file.text == text else (Edit(lines="1-", content=text),)


def _entries(file: ConfigText, path: tuple[str, ...]) -> list[Segment]:
    """Return an entry; in TOML it may be made of several tables, or of dotted keys."""
    size, found = len(path), list[Segment]()
    for each in file.outline.segments:
        if each.path[:size] == path and not any(_holds(outer, each) for outer in found):
            found.append(each)
    return found


def _holds(outer: Segment, inner: Segment) -> bool:
    return outer.span[0] <= inner.span[0] and inner.span[1] <= outer.span[1]


def _toml(file: ConfigText, path: tuple[str, ...], value: Mapping[str, object]) -> tuple[Edit, ...]:
    table, there = toml_table(path, value), _entries(file, path)
    gone = [Edit(segment=each.address, action="delete") for each in there]
    if there and there[0].kind == "table":
        return (Edit(segment=there[0].address, content=table), *gone[1:])
    if there and there[0].path == path:
        return (Edit(segment=there[0].address, part="body", content=toml_value(value)), *gone[1:])
    if re.search(rf"(?m)^\s*\[\[\s*{path[0]}\s*\]\]", file.text):
        raise Refused(_no_object(path[0]))
    holder = file.segment(path[:-1])
    if holder is not None and holder.kind == "key":
        content = f"{path[-1]} = {toml_value(value)}"
        return (Edit(segment=holder.address, action="append", content=content),)
    return (*gone, _at_end(f"\n{table}" if file.text.strip() else table))


def _added(file: ConfigText, path: Sequence[str], value: object) -> Edit:
    """Return the edit that puts a value below keys of JSON or YAML that are not all there."""
    for size in range(len(path) - 1, 0, -1):
        if holder := file.segment(path[:size]):
            return _into(file, holder, path[size:], value)
    if file.form == "yaml":
        return _into_yaml(file, nested(path, value))
    top = file.outline.children("")
    if top:
        return Edit(segment=top[-1].address, action="after", content=_member(path, value))
    if "{" not in _COMMENT.sub("", file.text):
        return _at_end(as_json(nested(path, value)))
    return _into_braces(file, _member(path, value))


def _into(file: ConfigText, holder: Segment, path: Sequence[str], value: object) -> Edit:
    if file.form == "json":
        if _is_null(file, holder):
            return _instead(holder, nested(path, value))
        if not file.body(holder).startswith("{"):
            raise Refused(_no_object(holder.address))
        return Edit(segment=holder.address, action="append", content=_member(path, value))
    below = nested(path, value)
    if _is_empty(file, holder):
        content = "\n".join(yaml_lines(below))
        return Edit(segment=holder.address, part="body", content=content)
    is_flow = file.body(holder).startswith("{")
    rest = nested(path[1:], value) if is_flow else value
    content = f"{path[0]}: {yaml_flow(rest)}" if is_flow else "\n".join(yaml_lines(below))
    return Edit(segment=holder.address, action="append", content=content)


def _no_lines(holder: Segment, name: str) -> Refusal:
    headline = f"`{holder.address}` has `{name}` in a list within a line that is no JSON"
    return Refusal("wrong-segment-kind", headline, help="write each server on lines of its own")


def _no_object(address: str) -> Refusal:
    headline = f"`{address}` is no object, so nothing can be put into it"
    return Refusal("wrong-segment-kind", headline, help="mend the configuration file")


def _into_braces(file: ConfigText, member: str) -> Edit:
    """Return the edit that makes a member the first of an object that has none, only comments."""
    blanked = _COMMENT.sub(lambda found: " " * len(found[0]), file.text)
    at = blanked.index("{")
    behind = blanked[at + 1 :].lstrip(" \t\r")
    indented = member.replace("\n", "\n  ")
    content = f"{{\n  {indented}" + ("" if behind.startswith("\n") else "\n")
    nth = file.text.count("{", 0, at) + 1
    return Edit(find="{", occurrence=nth, content=content, match="exact", indent="keep")


def _into_yaml(file: ConfigText, value: object) -> Edit:
    """Return the edit that puts keys at the end of a file, or in the place of its nothing."""
    content = "\n".join(yaml_lines(value))
    nothing = None if file.outline.children("") else _EMPTY_FILE.search(file.text)
    if nothing is None:
        if _END.search(_START.sub("", file.text)):
            headline = "a YAML document ends before the file does"
            help_line = "leave one document in it, without a line `...`"
            raise Refused(Refusal("wrong-segment-kind", headline, help=help_line))
        return _at_end(content)
    nth = file.text.count(nothing[0], 0, nothing.start()) + 1
    return Edit(find=nothing[0], occurrence=nth, content=content, match="exact", indent="keep")


def _at_end(content: str) -> Edit:
    return Edit(action="append", content=f"{content}\n")


def _member(path: Sequence[str], value: object) -> str:
    return f'"{path[0]}": {as_json(nested(path[1:], value))}'


def _is_null(file: ConfigText, holder: Segment) -> bool:
    return file.body(holder) == "null"


def _instead(holder: Segment, value: object) -> Edit:
    """Return the edit that gives a key of JSON another value."""
    return Edit(segment=holder.address, part="body", content=as_json(value))


def _is_empty(file: ConfigText, holder: Segment) -> bool:
    body = file.body(holder)
    return not body or _EMPTY.fullmatch(body) is not None
