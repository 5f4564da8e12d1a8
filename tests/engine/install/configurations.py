"""Configurations as people have them, and readers of their formats that are none of ours."""
# ruff: noqa: E501 - texts of files, a line each

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

# What configurations hold; the tests know its shape.
Data = Any


@dataclass(frozen=True, slots=True)
class Configuration:
    """A file of a host as it stands before keyhole comes; None where there is none."""

    name: str
    host: str
    body: bytes | None


_JSON = {
    "empty": "",
    "blank": "\n\n",
    "empty-object": "{}\n",
    "empty-object-inside": "{ }\n",
    "open-object": "{\n}\n",
    "only-comments": "// { not this one }\n{\n  // nothing yet\n}\n",
    "comment-file": "// settings of my editor\n",
    "other-key": '{\n  "theme": "dark"\n}\n',
    "other-key-inline": '{"theme": "dark"}\n',
    "trailing-comma": '{\n  "theme": "dark",\n}\n',
    "empty-servers": '{\n  "KEY": {}\n}\n',
    "comment-inside": '{\n  "KEY": {\n    // none yet\n  }\n}\n',
    "comment-inside-inline": '{"KEY": { /* none */ }, "a": 1}\n',
    "null": '{\n  "KEY": null,\n  "theme": "dark"\n}\n',
    "servers-inline": '{"KEY": {"fs": {"command": "npx", "args": ["-y", "x"]}}, "a": 1}\n',
    "servers": '{\n  "KEY": {\n    "fs": {\n      "command": "npx",\n      "args": ["-y"]\n    }\n  }\n}\n',
    "comments": (
        "{\n  // my servers\n"
        '  "KEY": {\n    /* the first */\n    "fs": { "command": "npx" }, // keep\n'
        '    // "old": {}\n    "git": { "command": "uvx", "args": ["mcp-server-git"] } // last\n'
        '  }, // end\n  "theme": "dark" // the best\n}\n'
    ),
    "trailing-commas": '{\n  "KEY": {\n    "fs": {\n      "command": "npx",\n    },\n  },\n}\n',
    "tabs": '{\n\t"theme": "dark",\n\t"KEY": {\n\t\t"fs": {\n\t\t\t"command": "npx"\n\t\t}\n\t}\n}\n',
    "four-spaces": '{\n    "KEY": {\n        "fs": { "command": "npx" }\n    },\n    "x": [1,\n        2]\n}\n',
    "odd-layout": '{ "theme": "dark"\n, "KEY":\n  { "fs": { "command": "npx" }\n  }\n}\n',
    "same-key-deeper": '{\n  "projects": {\n    "/home/me/a.b": { "KEY": {} }\n  }\n}\n',
    "text-like-comments": '{\n  "url": "http://x/*y*/", // {\n  "KEY": { "a//b": { "url": "\\"}{" } }\n}\n',
    "keyhole": '{\n  "KEY": {\n    "keyhole": {\n      "command": "old" // mine\n    },\n    "fs": {}\n  }\n}\n',
    "keyhole-alone": '{\n  "KEY": {\n    "keyhole": {"command": "old", "args": []}\n  },\n  "a": null\n}\n',
    "keyhole-inline": '{"KEY": {"a": {}, "keyhole": {"command": "old"}, "z": {}}}\n',
    "other-name-of-it": '{\n  "KEY": {\n    "Keyhole": {},\n    "keyhole2": {}\n  }\n}\n',
    "wide": '{\n  "été": "ü",\n  "KEY": { "日本": {"command": "é"} }\n}\n',
}
_TOML = {
    "empty": "",
    "blank": "\n",
    "comment": "# my settings\n",
    "top-keys": 'model = "o3"\napproval = "never" # always\n',
    "others": '[mcp_servers.fs]\ncommand = "npx"\nargs = ["-y", "x"]\n',
    "others-with-env": (
        'model = "o3"\n\n[mcp_servers.fs]\ncommand = "npx" # fast\n\n'
        '[mcp_servers.fs.env]\nTOKEN = "a#b"\n\n[tui]\ntheme = "x"\n'
    ),
    "table-of-servers": '[mcp_servers]\nfs = { command = "npx" }\n\n[profiles.x]\nmodel = "y"\n',
    "inline-servers": 'mcp_servers = { fs = { command = "npx" } }\n[tui]\na = 1\n',
    "dotted": 'mcp_servers.fs.command = "npx"\n',
    "arrays-of-tables": "[[rules]]\na = 1\n\n[[rules]]\na = 2\n",
    "multiline": 'notes = """\n[mcp_servers.keyhole]\n"""\nargs = [\n  "a", # b\n  "c",\n]\n',
    "keyhole": '[mcp_servers.keyhole]\ncommand = "old"\nargs = []\n\n[tui]\na = 1\n',
    "keyhole-with-env": (
        '[mcp_servers.keyhole]\ncommand = "old"\n\n[mcp_servers.keyhole.env]\nA = "b"\n\n[tui]\na = 1\n'
    ),
    "keyhole-inline": '[mcp_servers]\nkeyhole = { command = "old" }\nfs = { command = "npx" }\n',
    "keyhole-dotted": 'mcp_servers.keyhole.command = "old"\nmcp_servers.keyhole.args = []\nmcp_servers.fs.command = "npx"\n[tui]\na = 1\n',
    "keyhole-dotted-in-table": '[mcp_servers]\nkeyhole.command = "old"\nfs.command = "npx"\n\n[tui]\na = 1\n',
    "tabs": "[tui]\n\ta = 1\n\tb = 2\n\n\t[tui.c]\n\td = 3\n",
}
_GOOSE = {
    "empty": "",
    "comment": "# goose\n",
    "top-keys": "GOOSE_MODEL: x\nGOOSE_MODE: auto # fine\n",
    "others": "extensions:\n  developer:\n    enabled: true\n    type: builtin\nGOOSE_MODEL: x\n",
    "others-last": "GOOSE_MODEL: x\nextensions:\n  # mine\n  developer:\n    enabled: true # on\n    type: builtin\n",
    "four-spaces": "extensions:\n    developer:\n        enabled: true\n\nGOOSE_MODEL: x\n",
    "empty-flow": "extensions: {}\nGOOSE_MODEL: x\n",
    "null": "extensions:\nGOOSE_MODEL: x\n",
    "null-with-comment": "extensions: null # none yet\nGOOSE_MODEL: x\n",
    "flow": "extensions: {developer: {enabled: true}}\nGOOSE_MODEL: x\n",
    "keyhole": "extensions:\n  keyhole:\n    cmd: old\n    enabled: false\n  memory:\n    enabled: true\n",
}
_CONTINUE = {
    "top-keys": "name: Mine\nversion: 1.0.0\nschema: v1\nmodels: []\n",
    "others": "name: Mine\nmcpServers:\n  - name: fs\n    command: npx\n    args:\n      - -y\nmodels: []\n",
    "at-margin": "name: Mine\nmcpServers:\n- name: fs # a\n  command: npx\nmodels: []\n",
    "empty-flow": "name: Mine\nmcpServers: []\nmodels: []\n",
    "null": "name: Mine\nmcpServers:\nmodels: []\n",
    "flow": 'name: Mine\nmcpServers: [{"name": "fs", "command": "npx"}]\nmodels: []\n',
    "flow-without-quotes": 'name: Mine\nmcpServers: [{name: "fs", command: "npx"}] # a\nmodels: []\n',
    "keyhole": "name: Mine\nmcpServers:\n  - name: keyhole\n    command: old\n  - name: fs\n    command: npx\n",
}
_FORMS = {
    "claude-code": ("json", {k: v.replace("KEY", "mcpServers") for k, v in _JSON.items()}),
    "opencode": ("json", {k: v.replace("KEY", "mcp") for k, v in _JSON.items()}),
    "codex": ("toml", _TOML),
    "goose": ("yaml", _GOOSE),
    "continue": ("yaml", _CONTINUE),
}


def configurations() -> list[Configuration]:
    """Every text as it is, and those with more than a line also with other line ends and edges."""
    found = []
    for host, (form, texts) in _FORMS.items():
        found.append(Configuration(f"{host}-missing", host, None))
        for name, text in texts.items():
            found.append(Configuration(f"{host}-{name}", host, text.encode()))
            if host == "opencode" or len(text.split("\n")) < 4:
                continue
            found.append(
                Configuration(f"{host}-{name}-crlf", host, text.replace("\n", "\r\n").encode())
            )
            found.append(
                Configuration(f"{host}-{name}-cut", host, text.removesuffix("\n").encode())
            )
            if form == "json":
                found.append(
                    Configuration(f"{host}-{name}-bom", host, b"\xef\xbb\xbf" + text.encode())
                )
    return found


def read(host: str, body: bytes | None) -> Data:
    """What a host makes of a configuration; nothing at all is nothing in it."""
    form = _FORMS[host][0]
    text = (body or b"").decode("utf-8-sig").replace("\r\n", "\n")
    if form == "toml":
        return tomllib.loads(text)
    return read_yaml(text) if form == "yaml" else read_jsonc(text)


_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[^"/,]+|.', re.DOTALL)


def read_jsonc(text: str) -> Data:
    """JSON with comments and trailing commas."""
    pieces = [each for each in _TOKEN.findall(text) if not each.startswith(("//", "/*"))]
    kept = [
        each
        for at, each in enumerate(pieces)
        if each != "," or "".join(pieces[at + 1 :]).lstrip()[:1] not in {"}", "]"}
    ]
    plain = "".join(kept)
    return json.loads(plain, object_pairs_hook=_once) if plain.strip() else {}


def _once(pairs: list[tuple[str, Data]]) -> Data:
    assert len(dict(pairs)) == len(pairs), "a key stands twice"
    return dict(pairs)


def read_yaml(text: str) -> Data:
    """The part of YAML that these configurations are written in: blocks, and JSON within lines."""
    lines = [_without_comment(line) for line in text.split("\n")]
    rows = [(len(line) - len(line.lstrip()), line.strip()) for line in lines if line.strip()]
    value, rest = _block(rows, rows[0][0]) if rows else ({}, [])
    assert not rest, f"lines that belong to nothing: {rest}"
    return value


Rows = list[tuple[int, str]]


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line)


def _block(rows: Rows, indent: int) -> tuple[Data, Rows]:
    if rows[0][1].startswith("- "):
        items = []
        while rows and rows[0][0] == indent and rows[0][1].startswith("- "):
            inner = [(indent + 2, rows[0][1][2:].strip()), *rows[1:]]
            if ": " in inner[0][1] or inner[0][1].endswith(":"):
                value, rows = _block(inner, indent + 2)
            else:
                value, rows = _scalar(inner[0][1]), inner[1:]
            items.append(value)
        return items, rows
    pairs: list[tuple[str, Data]] = []
    while rows and rows[0][0] == indent and not rows[0][1].startswith("- "):
        key, _, said = rows[0][1].partition(":")
        rows, value = rows[1:], _scalar(said.strip())
        is_list = bool(rows) and rows[0][0] == indent and rows[0][1].startswith("- ")
        if not said.strip() and rows and (rows[0][0] > indent or is_list):
            value, rows = _block(rows, rows[0][0])
        pairs.append((key, value))
    return _once(pairs), rows


def _scalar(said: str) -> Data:
    if said[:1] in {"{", "["}:
        said = re.sub(r"([{,]\s*)(\w+):", r'\1"\2":', said)
    try:
        return json.loads(said) if said else None
    except json.JSONDecodeError:
        return said
