"""keyhole: its own tools, and the other interfaces it serves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from edit_suite.case import Call
from edit_suite.engines.base import Ask, Contract, Server, Verb
from edit_suite.engines.patches import begin_patch
from edit_suite.hunks import parse
from edit_suite.judge import Answer
from edit_suite.place import Place

_HASH = re.compile(r'"(?:hash|fileHash)": ?"([0-9a-f]{16,64})"')


class _Native:
    """The native tools; a read tells the hash that an edit by line numbers then carries."""

    def __init__(self) -> None:
        self.hashes: dict[str, str] = {}

    def verbs(self) -> dict[str, Verb]:
        return {
            "replace_text": self.replace_text,
            "replace_lines": self.replace_lines,
            "insert": self.insert,
            "apply_diff": lambda ask, call, place: ask(
                "patch", {"patch": place.diff(call["diff"])}
            ),
            "write": self.write,
            "read": self.read,
        }

    def read(self, ask: Ask, call: Call, place: Place) -> Answer:
        path = place.relative(call.path)
        answer = ask("read", {"path": path})
        found = _HASH.search(answer.text)
        if found:
            self.hashes[path] = found[1]
        return answer

    def replace_text(self, ask: Ask, call: Call, place: Place) -> Answer:
        edits = [{"find": edit["old"], "content": edit["new"]} for edit in call.edits]
        return ask("edit", {"path": place.relative(call.path), "edits": edits})

    def replace_lines(self, ask: Ask, call: Call, place: Place) -> Answer:
        edit: dict[str, Any] = {"lines": f"{call['first']}-{call['last']}"}
        text = call["text"]
        edit |= {"content": text} if text else {"action": "delete"}
        return self._edit(ask, call, place, edit)

    def insert(self, ask: Ask, call: Call, place: Place) -> Answer:
        edit = {"lines": call["after"], "action": "after", "content": call["text"]}
        if call["after"] == 0:
            edit |= {"action": "prepend"}
            del edit["lines"]
        return self._edit(ask, call, place, edit)

    def write(self, ask: Ask, call: Call, place: Place) -> Answer:
        arguments = {"path": place.relative(call.path), "content": call["text"]}
        if (place.home / call.path).exists():
            self.read(ask, call, place)
            known = self.hashes.get(place.relative(call.path), "")
            arguments |= {"expected_hash": known, "allow_shrink": True}
        return ask("write", arguments)

    def _edit(self, ask: Ask, call: Call, place: Place, edit: Mapping[str, Any]) -> Answer:
        path = place.relative(call.path)
        known = self.hashes.get(path)
        edit = {**edit, "indent": "keep"}
        return ask(
            "edit", {"path": path, "edits": [edit], **({"expected_hash": known} if known else {})}
        )


def _claude() -> dict[str, Verb]:
    def tool(ask: Ask, command: str, path: str, **arguments: object) -> Answer:
        named = {"command": command, "path": path, **arguments}
        return ask("str_replace_based_edit_tool", named)

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        path = place.relative(call.path)
        return tool(ask, "str_replace", path, old_str=edit["old"], new_str=edit["new"])

    def insert(ask: Ask, call: Call, place: Place) -> Answer:
        path = place.relative(call.path)
        return tool(ask, "insert", path, insert_line=call["after"], insert_text=call["text"])

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        return tool(ask, "create", place.relative(call.path), file_text=call["text"])

    def read(ask: Ask, call: Call, place: Place) -> Answer:
        return tool(ask, "view", place.relative(call.path))

    return {"replace_text": replace, "insert": insert, "write": write, "read": read}


def _codex() -> dict[str, Verb]:
    def patch(ask: Ask, call: Call, place: Place) -> Answer:
        diff = place.diff(str(call.arguments.get("diff", "")))
        return ask("apply_patch", {"input": begin_patch(call, place.relative(call.path), diff)})

    return dict.fromkeys(("replace_text", "apply_diff", "write"), patch)


def _text() -> dict[str, Verb]:
    hashes: dict[str, str] = {}

    def read(ask: Ask, call: Call, place: Place) -> Answer:
        answer = ask("TextInspect", {"filePath": place.relative(call.path)})
        if found := _HASH.search(answer.text):
            hashes[place.relative(call.path)] = found[1]
        return answer

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        texts = {"oldText": edit["old"], "newText": edit["new"]}
        return ask("TextReplace", {"filePath": place.relative(call.path), **texts})

    def lines(ask: Ask, call: Call, place: Place) -> Answer:
        target = {"lines": {"start": call["first"], "end": call["last"]}}
        named = {"filePath": place.relative(call.path), "target": target, "preserveIndent": False}
        if known := hashes.get(place.relative(call.path)):
            named["expectedHash"] = known
        if not call["text"]:
            return ask("TextPatch", {**named, "operation": "delete"})
        return ask("TextPatch", {**named, "operation": "replace", "content": call["text"]})

    return {"replace_text": replace, "replace_lines": lines, "read": read}


def _text_files() -> dict[str, Verb]:
    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        edits = [{"oldString": edit["old"], "newString": edit["new"]} for edit in call.edits]
        return ask("TextEdit", {"filePath": place.relative(call.path), "edits": edits})

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        named = {"filePath": place.relative(call.path), "content": call["text"]}
        return ask("TextCreate", {**named, "overwrite": (place.home / call.path).exists()})

    return {"replace_text": replace, "write": write}


def _surgical() -> dict[str, Verb]:
    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        texts = {"old_content": edit["old"], "new_content": edit["new"]}
        return ask("edit_file", {"path": place.relative(call.path), **texts})

    def insert(ask: Ask, call: Call, place: Place) -> Answer:
        where = {"path": place.relative(call.path), "line": call["after"]}
        return ask("insert_at", {**where, "content": call["text"]})

    def patch(ask: Ask, call: Call, place: Place) -> Answer:
        # The file has to be named, also where the case leaves that to the diff.
        path = call.path or parse(call["diff"])[0].path
        return ask("patch_file", {"path": place.relative(path), "patch": call["diff"]})

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        return ask("write_file", {"path": place.relative(call.path), "content": call["text"]})

    return {"replace_text": replace, "insert": insert, "apply_diff": patch, "write": write}


def _safe_edit() -> dict[str, Verb]:
    def tool(ask: Ask, call: Call, place: Place, **mode: object) -> Answer:
        return ask("safe_edit_file", {"path": place.relative(call.path), **mode})

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        return tool(ask, call, place, search=edit["old"], replace=edit["new"])

    def lines(ask: Ask, call: Call, place: Place) -> Answer:
        edit = {"start_line": call["first"], "end_line": call["last"], "new_content": call["text"]}
        return tool(ask, call, place, line_edits=[edit])

    def insert(ask: Ask, call: Call, place: Place) -> Answer:
        edit = {"at_line": call["after"] + 1, "content": call["text"]}
        return tool(ask, call, place, insert_lines=[edit])

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        return tool(ask, call, place, content=call["text"])

    return {"replace_text": replace, "replace_lines": lines, "insert": insert, "write": write}


def _article() -> dict[str, Verb]:
    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        edits = [
            {"old_string": edit["old"], "new_string": edit["new"], "reason": "the case asks"}
            for edit in call.edits
        ]
        return ask("edit_article", {"path": place.relative(call.path), "edits": edits})

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        return ask("write_file", {"path": place.relative(call.path), "content": call["text"]})

    return {"replace_text": replace, "write": write}


# These sets write only the extensions that their user allows.
_ENDINGS = "py,js,ts,go,rs,java,md,yaml,toml,json,html,sh,txt,c,csv,ini,log,tsx"
_NO_NUMBERS = Contract(whole_lines=True, ended_lines=True, line_numbers=False, overwrites=False)
_FIRST_OR_ALL = Contract(many_edits=False, picks_place=True)
SETS: dict[str, tuple[Callable[[], dict[str, Verb]], Contract]] = {
    "native": (lambda: _Native().verbs(), Contract()),
    "claude": (_claude, Contract(many_edits=False, overwrites=False)),
    "codex": (
        _codex,
        Contract(whole_lines=True, ended_lines=True, line_numbers=False, overwrites=False),
    ),
    "text": (_text, replace(_FIRST_OR_ALL, by_extension=True)),
    "text-files": (_text_files, Contract(by_extension=True)),
    "surgical": (_surgical, replace(_FIRST_OR_ALL, overwrites=False, many_files=False)),
    "safe-edit": (_safe_edit, _FIRST_OR_ALL),
    "article": (_article, Contract(overwrites=False)),
}


def keyhole(tools: str, program: str) -> Server:
    """Return keyhole with one of its sets of tools."""
    verbs, contract = SETS[tools]
    flags = ["--allow-ext", _ENDINGS] if tools.startswith("text") else []
    name = "keyhole" if tools == "native" else f"keyhole-{tools}"
    return Server(
        name,
        lambda root: [program, "mcp", "--root", str(root), "--tools", tools, *flags],
        verbs(),
        contract,
        homes=("XDG_STATE_HOME", "XDG_CONFIG_HOME"),
    )
