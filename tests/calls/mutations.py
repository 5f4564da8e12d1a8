"""The shapes that calls come in: each mutation says the same in another way.

They are written from what callers send, and know nothing of how it is healed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from copy import deepcopy

from tests.calls.cases import PATHS, Call, Case

LISTS = ("edits", "line_edits")
OBJECTS = ("segment_edit", "target")
OLD = ("find", "old_string", "oldText", "oldString", "old_str", "old_content", "search")
NEW = ("content", "new_string", "newText", "newString", "new_str", "new_content", "replace")
# Arguments of a call that none of its edits has.
OPTIONS = {"dry_run", "task", "detail", "mode", "expected_hash", "show_diff", "preserveIndent"}
REASONS = {"reason", "description", "explanation"}
# Pairs of names that other tools have for old and new text.
PAIRS = (
    *(("old_string", "new_string"), ("oldText", "newText"), ("old_str", "new_str")),
    *(("search", "replace"), ("old_content", "new_content"), ("oldString", "newString")),
)
# Keys that say nothing: a null under any name, an empty text under one that may be left out.
SILENT: Mapping[str, tuple[str, ...]] = {
    "edit": ("expected_hash", "task", "claim", "mode", "detail"),
    "read": ("segment", "part"),
    "patch": ("task", "claim", "expected_hash"),
    "edit_file": ("task_id", "on_conflict"),
    "safe_edit_file": ("mode",),
    "TextReplace": ("expectedHash", "occurrence"),
    "TextPatch": ("expectedHash",),
    "TextEdit": ("expectedHash",),
    "str_replace_based_edit_tool": ("view_range", "insert_text"),
}
SILENT_IN_EDITS = ("segment", "until", "pattern", "accept", "lines", "occurrence")

Mutation = Callable[[Call, Case, random.Random], Call | None]


def _home(call: Call) -> str:
    return next((name for name in LISTS if isinstance(call.get(name), list)), "")


def _edits(call: Call) -> list[Call]:
    """Return the objects of a call that quote text: its edits, or the call itself."""
    found = call.get(_home(call), [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def flat(call: Call, case: Case, _: random.Random) -> Call | None:
    home = _home(call) or next((name for name in OBJECTS if isinstance(call.get(name), dict)), "")
    inner = call.get(home)
    one = inner[0] if isinstance(inner, list) and len(inner) == 1 else inner
    # A reason beside an edit of ours is the call's, which has one of its own.
    if not isinstance(one, dict) or (case.tool == "edit" and one.keys() & REASONS):
        return None
    rest = {name: value for name, value in call.items() if name != home}
    return None if rest.keys() & one.keys() else {**rest, **one}


def as_object(call: Call, _: Case, __: random.Random) -> Call | None:
    home = _home(call)
    inner = call.get(home)
    return {**call, home: inner[0]} if isinstance(inner, list) and len(inner) == 1 else None


def as_text(call: Call, _: Case, chance: random.Random) -> Call | None:
    home = _home(call) or next((name for name in OBJECTS if name in call), "")
    if not isinstance(call.get(home), list | dict):
        return None
    text = json.dumps(
        call[home], ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, 2))
    )
    return {**call, home: text}


def with_control_characters(call: Call, case: Case, chance: random.Random) -> Call | None:
    made = as_text(call, case, chance)
    if made is None:
        return None
    home = next(name for name in made if made[name] is not call.get(name))
    text = str(made[home])
    # An escape stands for itself only where its backslash is not escaped.
    for escape, sign in (("\\n", "\n"), ("\\t", "\t")):
        pieces = text.split("\\\\")
        text = "\\\\".join(piece.replace(escape, sign) for piece in pieces)
    if chance.random() < 0.5:
        text = f"{text[:-1]},{text[-1]}"
    return {**made, home: text}


def wrapped(call: Call, case: Case, chance: random.Random) -> Call | None:
    ways: list[Call] = [{"arguments": call}, {"params": call}, {case.tool: call}]
    ways += [{"name": case.tool, "arguments": call}, {"payload": call}]
    if case.tool != "apply_patch":
        ways.append({"input": json.dumps(call)})
    if home := _home(call):
        inner = call[home]
        ways += [{**call, home: {home: inner}}, {**call, home: [inner]}]
        ways.append({**call, home: {"item": inner}})
        ways.append({home: call} if isinstance(inner, list) else {**call, home: {home: inner}})
        path = call.get("path")
        if isinstance(path, str) and "." in path and not any("path" in one for one in _edits(call)):
            rest = {name: value for name, value in call.items() if name not in {"path", home}}
            ways.append({**rest, home: {path: inner}})
            ways.append({**rest, home: [{"path": path, home: inner}]})
    if "patch" in call:
        ways.append({**call, "patch": {"patch": call["patch"]}})
    return chance.choice(ways)


def foreign_names(call: Call, case: Case, chance: random.Random) -> Call | None:
    old, new = chance.choice(PAIRS)
    names = {**dict.fromkeys(OLD, old), **dict.fromkeys(NEW, new)}
    names |= {"reason": chance.choice(("description", "explanation"))}
    path = chance.choice(("file_path", "filename"))
    made = {(path if name in PATHS else name): value for name, value in call.items()}
    if case.tool in {"patch", "patch_file", "apply_patch"}:
        own = "input" if "input" in made else "patch"
        made = {("diff" if name == own else name): value for name, value in made.items()}
    elif home := _home(call):
        made[home] = [_quoted(_renamed(one, names), chance) for one in _edits(call)]
    elif any(name in call for name in OLD):
        made = _renamed(made, names)
    return made if made != call else None


def _renamed(one: Call, names: Mapping[str, str]) -> Call:
    quotes = any(name in one for name in OLD)
    known = names if quotes else {name: new for name, new in names.items() if name == "reason"}
    return {known.get(name, name): value for name, value in one.items()}


def _quoted(one: Call, chance: random.Random) -> Call:
    """Say that all are meant, and which lines, as others do."""
    if one.get("occurrence") == "all":
        one = {**{name: one[name] for name in one if name != "occurrence"}, "replace_all": True}
    lines = one.get("lines")
    if isinstance(lines, list) and chance.random() < 0.5:
        rest = {name: one[name] for name in one if name != "lines"}
        one = {**rest, "start_line": lines[0], "end_line": lines[1]}
    return one


def other_case(call: Call, _: Case, chance: random.Random) -> Call | None:
    """Spell names in camelCase, or in snake_case."""
    turn = _snake if chance.random() < 0.3 else _camel

    def turned(value: object, depth: int = 0) -> object:
        if isinstance(value, dict):
            return {turn(name): turned(one, depth + 1) for name, one in value.items()}
        return [turned(one, depth + 1) for one in value] if isinstance(value, list) else value

    made = turned(call)
    assert isinstance(made, dict)
    return made if made != call else None


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(each.capitalize() for each in rest)


def _snake(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


def as_strings(call: Call, _: Case, __: random.Random) -> Call | None:
    def said(value: object) -> object:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, dict):
            return {name: said(one) for name, one in value.items()}
        if isinstance(value, list):
            return [said(one) for one in value]
        return str(value) if isinstance(value, int) else value

    made = said(call)
    assert isinstance(made, dict)
    return made if made != call else None


def silent_keys(call: Call, case: Case, chance: random.Random) -> Call | None:
    made = dict(call)
    for name in SILENT.get(case.tool, ()):
        made.setdefault(name, chance.choice((None, "")))
    made[chance.choice(("comment", "encoding", ""))] = None
    if case.tool == "edit" and _edits(call):
        more = {name: chance.choice((None, "")) for name in SILENT_IN_EDITS}
        made["edits"] = [{**more, **one} for one in _edits(call)]
    return made


def path_twice(call: Call, case: Case, chance: random.Random) -> Call | None:
    path = next((str(call[name]) for name in PATHS if name in call), "")
    home = _home(call)
    if not path or not home:
        return None
    inside = chance.choice((path, f"./{path}", f"{case.root}/{path}"))
    name = chance.choice(("path", "file_path"))
    made = [{name: inside, **one} for one in _edits(call)]
    return {**call, home: made}


def options_inside(call: Call, _: Case, chance: random.Random) -> Call | None:
    """Say in the edits what is an argument of the call."""
    homes = [name for name in (*LISTS, *OBJECTS) if name in call]
    named = [name for name in call if name in OPTIONS]
    if not homes or not named:
        return None
    name, home = chance.choice(named), homes[0]
    rest = {each: one for each, one in call.items() if each != name}
    inner = call[home]
    if isinstance(inner, dict):
        return {**rest, home: {**inner, name: call[name]}}
    return {**rest, home: [{**one, name: call[name]} for one in _edits(call)]}


def absolute(call: Call, case: Case, __: random.Random) -> Call | None:
    made = deepcopy(call)
    known = [made, *_edits(made)]
    for one in known:
        for name in PATHS:
            if isinstance(one.get(name), str) and one[name] == case.path:
                one[name] = f"{case.root}/{case.path}"
    return made if made != call else None


def other_lines(call: Call, case: Case, chance: random.Random) -> Call | None:
    """Say lines in another form."""
    made = deepcopy(call)
    changed = False
    for one in [made, *_edits(made), *[made[name] for name in OBJECTS if name in made]]:
        if not isinstance(one, dict):
            continue
        if pair := _pair(one):
            for name in ("lines", "start_line", "end_line"):
                one.pop(name, None)
            one.update(_said(pair, case, chance))
            changed = True
    return made if changed else None


def _pair(one: Call) -> tuple[int, int] | None:
    lines = one.get("lines")
    if isinstance(lines, str):
        first, _, last = lines.partition("-")
        return int(first), int(last or first)
    if isinstance(lines, list):
        return int(lines[0]), int(lines[1])
    if isinstance(lines, dict):
        return int(lines["start"]), int(lines["end"])
    if "start_line" in one and "end_line" in one:
        return int(str(one["start_line"])), int(str(one["end_line"]))
    return None


def _said(pair: tuple[int, int], case: Case, chance: random.Random) -> Call:
    first, last = pair
    ways: list[Call] = [
        {"lines": f"L{first}-L{last}"},
        {"lines": f"{first}-{last}"},
        {"lines": [first, last]},
        {"lines": [str(first), str(last)]},
    ]
    if case.tool != "TextPatch":
        ways.append({"start_line": first, "end_line": last})
    return chance.choice(ways)


MUTATIONS: Mapping[str, Mutation] = {
    # In this order: what is inside of a text can no longer be renamed.
    "other lines": other_lines,
    "silent keys": silent_keys,
    "path twice": path_twice,
    "absolute path": absolute,
    "options inside": options_inside,
    "numbers as strings": as_strings,
    "foreign names": foreign_names,
    "camelCase": other_case,
    "flat": flat,
    "object": as_object,
    "string": as_text,
    "string with control characters": with_control_characters,
    "wrapped": wrapped,
}
# Forms that are our own too: nothing is healed where nothing else is changed.
UNNAMED = {"absolute path", "path twice", "other lines"}
_SHAPES = {"flat", "object", "string", "string with control characters"}


def mutated(case: Case, names: list[str], chance: random.Random) -> tuple[Call, tuple[str, ...]]:
    """Return a call with some mutations, and those that it could take."""
    call, used = case.arguments, list[str]()
    for name, mutation in MUTATIONS.items():
        if name not in names or (name in _SHAPES and _SHAPES & set(used)):
            continue
        made = mutation(call, case, chance)
        if made is not None and made != call:
            call, used = made, [*used, name]
    return call, tuple(used)


def contradicted(case: Case, chance: random.Random) -> Call:
    """Return a call that says two things, or one that nobody reads."""
    call = deepcopy(case.arguments)
    edits, path = _edits(call), next((name for name in PATHS if name in call), "")
    ways: list[Call] = [{**call, "colour": "red"}, {**call, "encoding": "utf-8"}]
    if path:
        ways.append({**call, "file_name" if path == "path" else "path": f"other-{call[path]}"})
    if len(edits) == 1:
        home, (one,) = _home(call), edits
        old = next((name for name in OLD if name in one), "")
        other = "old_string" if old != "old_string" else "find"
        ways += [{**call, home: [{**one, other: "never there"}]}] if old else []
        ways.append({**call, home: [{**one, "confidence": 0.9}]})
        if "match" in one or (case.tool == "edit" and old):
            rest = {name: value for name, value in one.items() if name != "match"}
            ways.append({**call, home: [rest], "match": one.get("match", "tolerant")})
    return chance.choice(ways)
