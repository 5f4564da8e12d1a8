"""Clean calls: recorded edits in the words of every interface, and a few that the tests bring."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

Call = dict[str, object]
PATHS = ("path", "filePath")

CODE = '''\
"""Load and save."""

import json


class Store:
    """A file of settings."""

    def load(self, path):
        """Read it."""
        with open(path) as file:
            return json.load(file)

    def save(self, path, data):
        # `find` and ```fences``` stay as they are, and so does "quoted, text",
        with open(path, "w") as file:
            json.dump(data, file)


def main():\n\tprint("tab")  # trailing comma ,]
'''
PAGE = "# Guide\n\nOne.\n\n## Install\n\nRun `make`.\n\n## Usage\n\n- a\n- b\n"
# Old and new text of the files above: with quotes, control characters, and nothing at all.
OWN = (
    (
        "store.py",
        CODE,
        "            return json.load(file)\n",
        "            return json.loads(file.read())\n",
    ),
    ("store.py", CODE, '"quoted, text",', '"quoted, \\u2028 \x01 text",]}'),
    ("store.py", CODE, '\tprint("tab")  # trailing comma ,]\n', '\tprint("tab")\n'),
    ("guide.md", PAGE, "Run `make`.", "Run `make setup`,\nthen `make test`."),
    ("guide.md", PAGE, "- b\n", ""),
    ("guide.md", PAGE, "One.", '{"edits": [{"find": "a",},]}'),
)
SEGMENTS = (
    ("store.py", CODE, "python_method", "Store.load", "def load(self, path):\n    return path\n"),
    ("guide.md", PAGE, "markdown_section", "Install", "## Install\n\nNothing to do.\n"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One clean call: the file before it, the tool with its set, and the arguments.

    The file lies at `path`, which a trial may put below a directory of its own.
    """

    name: str
    path: str
    before: bytes
    tool: str
    tools: str
    arguments: Call
    root: str = ""

    def below(self, directory: str, root: str) -> Case:
        """Return the same call for the file in another directory."""
        path = f"{directory}/{self.path}"

        def moved(name: str, value: object) -> object:
            if isinstance(value, dict):
                return {each: moved(each, one) for each, one in value.items()}
            if isinstance(value, list):
                return [moved(name, one) for one in value]
            if name == "input" and isinstance(value, str):
                return value.replace(f" File: {self.path}", f" File: {path}")
            return path if name in PATHS and value == self.path else value

        made = moved("", self.arguments)
        assert isinstance(made, dict)
        return replace(self, path=path, arguments=made, root=root)


def cases(recording: Path | None) -> list[Case]:
    """Return the clean calls of a recording, or those that the tests bring."""
    found = list(_own())
    for task in _tasks(recording) if recording else ():
        found += _recorded(task)
    return found


def _tasks(source: Path) -> Iterator[dict[str, object]]:
    with gzip.open(source, "rt", encoding="utf-8", newline="") as lines:
        for line in lines:
            task = json.loads(line)
            if task["expect"] == "apply":
                yield task


def _own() -> Iterator[Case]:
    for number, (path, before, old, new) in enumerate(OWN):
        yield from _quoting(f"own-{number}", path, before, [(old, new)])
    for number, (path, before, kind, name, new) in enumerate(SEGMENTS):
        yield from _naming(f"own-segment-{number}", path, before, (kind, name, new))
    diff = "--- a/guide.md\n+++ b/guide.md\n@@ -3 +3 @@\n-One.\n+One, two.\n"
    yield from _patching("own-diff", "guide.md", PAGE, diff)


def _recorded(task: dict[str, object]) -> Iterator[Case]:
    name, path, before = str(task["id"]), str(task["path"]), str(task["before"])
    payload = task["payload"]
    assert isinstance(payload, dict)
    if str(task["format"]).startswith("search_replace"):
        yield from _quoting(
            name, path, before, [(one["old"], one["new"]) for one in payload["edits"]]
        )
    elif task["format"] == "segment":
        three = payload["segment_type"], payload["segment_name"], payload["new_content"]
        yield from _naming(name, path, before, three)
    else:
        yield from _patching(name, path, before, payload.get("diff") or payload["patch"])


def _quoting(name: str, path: str, before: str, pairs: list[tuple[str, str]]) -> Iterator[Case]:
    """Yield the calls that quote what they change, in each interface."""
    body = before.encode()
    chance = random.Random(name)

    def case(tool: str, tools: str, arguments: Call) -> Case:
        return Case(f"{name}-{tool}", path, body, tool, tools, arguments)

    edits: list[Call] = [{"find": old, "content": new} for old, new in pairs]
    yield case("edit", "native", {"path": path, "edits": edits, **_options(chance)})
    more = {"reason": "as recorded", "match": chance.choice(("exact", "tolerant"))}
    yield case("edit", "native", {"edits": [{"path": path, **one, **more} for one in edits]})
    reasons = [{"old_string": old, "new_string": new, "reason": "r"} for old, new in pairs]
    yield case("edit_article", "article", {"path": path, "edits": reasons})
    (old, new), *others = pairs
    if others:
        return
    find: Call = {"path": path, "old_content": old, "new_content": new}
    yield case("edit_file", "surgical", {**find, "occurrence": 1, "task_id": "t", "backup": False})
    yield case("edit_file", "surgical", {**find, "occurrence": 0})
    yield case("edit", "native", {"path": path, "edits": [{**edits[0], "occurrence": "all"}]})
    view: Call = {"command": "str_replace", "path": path, "old_str": old, "new_str": new}
    yield case("str_replace_based_edit_tool", "claude", view)
    search: Call = {"path": path, "search": old, "replace": new}
    yield case("safe_edit_file", "safe-edit", {**search, "show_diff": False, "mode": "interactive"})
    yield case("safe_edit_file", "safe-edit", {**search, "search_count": 1})
    if path.endswith((".md", ".txt", ".rst", ".json", ".toml", ".yml", ".html")):
        yield case("TextReplace", "text", {"filePath": path, "oldText": old, "newText": new})
        once: Call = {"oldString": old, "newString": new, "replaceAll": True}
        yield case("TextEdit", "text-files", {"filePath": path, "edits": [once]})
    if before.count(old) == 1 and (lines := _lines(before, old)):
        yield from _counting(case, path, lines, _whole(before, old, new))


def _options(chance: random.Random) -> Call:
    """Return options whose effect an answer or the journal shows."""
    known: tuple[Call, ...] = (
        {},
        {"dry_run": True},
        {"task": "refactor", "reason": "because"},
        {"detail": "full"},
        {"mode": "interactive", "reason": "why not"},
        {"mode": "verify_only", "detail": "full"},
    )
    return chance.choice(known)


def _lines(before: str, old: str) -> tuple[int, int] | None:
    """Return the lines that a quote stands in; none where lines may be counted otherwise."""
    if any(sign in before for sign in "\r\f\v\x85\u2028\u2029") or not old:
        return None
    start = before.index(old)
    first = before.count("\n", 0, start) + 1
    return first, first + old.rstrip("\n").count("\n")


def _whole(before: str, old: str, new: str) -> str:
    """Return the whole lines of a quote with the new text in them."""
    start = before.index(old)
    head = before.rfind("\n", 0, start) + 1
    end = before.find("\n", start + len(old.rstrip("\n")))
    end = len(before) if end == -1 else end + 1
    return before[head:start] + new + before[start + len(old) : max(end, start + len(old))]


def _counting(
    case: Callable[[str, str, Call], Case], path: str, lines: tuple[int, int], text: str
) -> Iterator[Case]:
    """Yield the calls that say where by the numbers of lines."""
    first, last = lines
    edit: Call = {"lines": f"{first}-{last}", "content": text, "indent": "keep"}
    yield case("edit", "native", {"path": path, "edits": [edit]})
    edit = {"lines": [first, last], "content": text, "indent": 0, "regex": False}
    yield case("edit", "native", {"path": path, "edits": [edit], "expected_hash": ""})
    whole: Call = {"start_line": first, "end_line": last, "new_content": text}
    yield case("safe_edit_file", "safe-edit", {"path": path, "line_edits": [whole]})
    yield case("read", "native", {"path": path, "lines": f"{first}-{last}", "numbered": False})
    if path.endswith(".md"):
        target: Call = {"lines": {"start": first, "end": last}}
        patch: Call = {"filePath": path, "operation": "replace", "target": target, "content": text}
        yield case("TextPatch", "text", {**patch, "preserveIndent": False})


def _naming(name: str, path: str, before: str, edit: tuple[str, str, str]) -> Iterator[Case]:
    kind, segment, content = edit
    body = before.encode()
    own: Call = {"segment": segment, "content": content, "part": "whole", "reason": "named"}
    yield Case(f"{name}-edit", path, body, "edit", "native", {"path": path, "edits": [own]})
    three: Call = {"segment_type": kind, "segment_name": segment, "new_content": content}
    call: Call = {"path": path, "segment_edit": three, "show_diff": True}
    yield Case(f"{name}-safe", path, body, "safe_edit_file", "safe-edit", call)


def _patching(name: str, path: str, before: str, patch: str) -> Iterator[Case]:
    body = before.encode()
    call: Call = {"patch": patch, "path": path, "detail": "full", "reason": "patched"}
    yield Case(f"{name}-patch", path, body, "patch", "native", call)
    only: Call = {"path": path, "patch": patch}
    yield Case(f"{name}-file", path, body, "patch_file", "surgical", only)
    if patch.startswith("*** Begin Patch"):
        yield Case(f"{name}-apply", path, body, "apply_patch", "codex", {"input": patch})
