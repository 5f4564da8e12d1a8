"""Other people's servers: one function each, which says how to start it and what its tools are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edit_suite.case import Call
from edit_suite.engines.base import Ask, Contract, Server, home_of
from edit_suite.judge import Answer
from edit_suite.place import Place

# Desktop Commander refuses in plain words, without the mark that the protocol has for it.
_DC_REFUSALS = (
    *("Error:", "Search content not found", "Expected ", "Search string not found"),
    *("Empty search strings", "Edit failed", "Exact match not found"),
)
_WORKER = Path(__file__).with_name("worker.py")


def filesystem(program: Path) -> Server:
    """Return the official filesystem server."""

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        edits = [{"oldText": edit["old"], "newText": edit["new"]} for edit in call.edits]
        return ask("edit_file", {"path": place.absolute(call.path), "edits": edits})

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        return ask("write_file", {"path": place.absolute(call.path), "content": call["text"]})

    def read(ask: Ask, call: Call, place: Place) -> Answer:
        return ask("read_text_file", {"path": place.absolute(call.path)})

    verbs = {"replace_text": replace, "write": write, "read": read}
    return Server("server-filesystem", lambda root: ["node", str(program), str(root)], verbs)


def desktop_commander(program: Path) -> Server:
    """Return Desktop Commander, allowed into the root only, with its telemetry off."""

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        texts = {"old_string": edit["old"], "new_string": edit["new"]}
        return ask("edit_block", {"file_path": place.absolute(call.path), **texts})

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        named = {"path": place.absolute(call.path), "content": call["text"]}
        return ask("write_file", {**named, "mode": "rewrite"})

    def read(ask: Ask, call: Call, place: Place) -> Answer:
        return ask("read_file", {"path": place.absolute(call.path)})

    def prepare(root: Path) -> None:
        settings = home_of(root) / ".claude-server-commander"
        settings.mkdir(parents=True, exist_ok=True)
        # What it would ask a person at the first start is answered; nothing is sent anywhere.
        known = {"telemetryEnabled": False, "sawOnboardingPage": True, "clientId": "edit-suite"}
        known |= {"pendingWelcomeOnboarding": False, "welcomeOnboardingEligible": False}
        config = json.dumps({"allowedDirectories": [str(root)], **known})
        (settings / "config.json").write_text(config, encoding="utf-8")

    def refused(result: Mapping[str, Any], text: str) -> bool:
        return bool(result.get("isError")) or text.lstrip().startswith(_DC_REFUSALS)

    return Server(
        "desktop-commander",
        lambda _root: ["node", str(program)],
        {"replace_text": replace, "write": write, "read": read},
        Contract(many_edits=False),
        refused,
        homes=("HOME",),
        prepare=prepare,
    )


def serena(program: Path) -> Server:
    """Return Serena with one tool an operation, without its dashboard."""

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        texts = {"needle": edit["old"], "repl": edit["new"], "mode": "literal"}
        return ask("replace_content", {"relative_path": place.relative(call.path), **texts})

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        named = {"relative_path": place.relative(call.path), "content": call["text"]}
        return ask("create_text_file", named)

    def read(ask: Ask, call: Call, place: Place) -> Answer:
        return ask("read_file", {"relative_path": place.relative(call.path)})

    def prepare(root: Path) -> None:
        (root / ".serena").mkdir(parents=True, exist_ok=True)
        project = "project_name: suite\nlanguages: [yaml]\nencoding: utf-8\n"
        (root / ".serena/project.yml").write_text(project, encoding="utf-8")

    def command(root: Path) -> list[str]:
        # Its language servers are installed once, in a home that stays.
        stays = f"SERENA_HOME={program.parents[1] / 'home'}"
        start = ["env", stays, str(program), "start-mcp-server", "--project", str(root)]
        flags = ["--agent-interface", "tools", "--enable-web-dashboard", "false"]
        return [*start, *flags]

    return Server(
        "serena",
        command,
        {"replace_text": replace, "write": write, "read": read},
        Contract(many_edits=False),
        homes=("HOME",),
        prepare=prepare,
    )


def aider(python: Path) -> Server:
    """Return aider's SEARCH/REPLACE engine behind a small server of our own."""

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        blocks = [[edit["old"], edit["new"]] for edit in call.edits]
        return ask("apply", {"path": place.relative(call.path), "blocks": blocks})

    return Server(
        "aider-editblock",
        lambda root: [str(python), str(_WORKER), "aider", str(root)],
        {"replace_text": replace},
        Contract(whole_lines=True, has_root=False),
        homes=("HOME",),
    )


def str_replace(python: Path) -> Server:
    """Return Anthropic's reference of the `str_replace` tool behind a small server of our own."""

    def replace(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        texts = {"old_str": edit["old"], "new_str": edit["new"]}
        return tool(ask, "str_replace", call, place, **texts)

    def insert(ask: Ask, call: Call, place: Place) -> Answer:
        texts = {"insert_line": call["after"], "new_str": call["text"].removesuffix("\n")}
        return tool(ask, "insert", call, place, **texts)

    def write(ask: Ask, call: Call, place: Place) -> Answer:
        return tool(ask, "create", call, place, file_text=call["text"])

    def read(ask: Ask, call: Call, place: Place) -> Answer:
        return tool(ask, "view", call, place)

    def tool(ask: Ask, command: str, call: Call, place: Place, **arguments: object) -> Answer:
        return ask("apply", {"command": command, "path": place.absolute(call.path), **arguments})

    return Server(
        "str-replace",
        lambda root: [str(python), str(_WORKER), "str-replace", str(root)],
        {"replace_text": replace, "insert": insert, "write": write, "read": read},
        Contract(many_edits=False, has_root=False, overwrites=False),
        homes=("HOME",),
    )
