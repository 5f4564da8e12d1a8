"""The files to edit: those of installed packages, and some that are made up and never change."""

from __future__ import annotations

import hashlib
import os
import random
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from stat import S_ISREG

from tests.torture.place.files import File

LANGUAGES = {
    "c": ".c .h",
    "c++": ".cpp .hpp .cc .hh",
    "cmake": ".cmake",
    "css": ".css .scss",
    "html": ".html .htm",
    "javascript": ".js .mjs .cjs",
    "json": ".json",
    "markdown": ".md",
    "perl": ".pm .pl",
    "python": ".py",
    "restructuredtext": ".rst",
    "shell": ".sh .bash",
    "sql": ".sql",
    "stubs": ".pyi",
    "tcl": ".tcl",
    "text": ".txt",
    "toml": ".toml",
    "typescript": ".ts .mts .cts",
    "xml": ".xml .xsd .xslt",
    "yaml": ".yaml .yml",
}
OF_SUFFIX = {suffix: name for name, suffixes in LANGUAGES.items() for suffix in suffixes.split()}
_SUFFIXES = tuple(OF_SUFFIX)
_ROOTS = (
    sysconfig.get_path("purelib"),
    sysconfig.get_path("stdlib"),
    "/usr/lib/node_modules",
    "/usr/local/lib/node_modules",
    "/usr/share/nodejs",
    "/usr/share/npm",
    "/usr/share/perl",
    "/usr/share/tcltk",
    "/usr/share/postgresql",
    "/usr/include",
    str(Path(__file__).parents[3] / "docs"),
)
_SIZES = 2_000, 60_000
# Most files are small, so that a hundred thousand trials end within the hour.
_SMALL, _OF_EACH, _LARGE_ONES = 8_000, 50, 4
_SKIPPED = {"__pycache__", "test", "tests", "keyhole", "config-3.11-x86_64-linux-gnu"}


@cache
def installed() -> dict[str, tuple[Path, ...]]:
    """Return, for each language, some files of the installed packages, always the same ones."""
    found: dict[str, list[tuple[str, Path]]] = {name: [] for name in LANGUAGES}
    large: dict[str, list[tuple[str, Path]]] = {name: [] for name in LANGUAGES}
    for path, size in _files():
        language = OF_SUFFIX[path.suffix]
        digest = hashlib.sha256(str(path).encode("utf-8", "replace")).hexdigest()
        (found if size <= _SMALL else large)[language].append((digest, path))
    chosen = {
        name: [
            path for _, path in sorted(found[name])[:_OF_EACH] + sorted(large[name])[:_LARGE_ONES]
        ]
        for name in LANGUAGES
    }
    return {name: tuple(paths) for name, paths in chosen.items() if len(paths) > 1}


def _files() -> Iterator[tuple[Path, int]]:
    for root in dict.fromkeys(_ROOTS):
        for top, directories, names in os.walk(root):
            directories[:] = sorted(set(directories) - _SKIPPED)
            for name in sorted(names):
                if not name.endswith(_SUFFIXES):
                    continue
                path = Path(top, name)
                if not path.suffix:
                    continue
                status = path.lstat()
                if S_ISREG(status.st_mode) and _SIZES[0] <= status.st_size <= _SIZES[1]:
                    yield path, status.st_size


@cache
def read(path: Path) -> File | None:
    """Return a file, if it is text of the kind that the truths of this harness are made for."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    plain = text.replace("\r\n", "\n")
    mixed = "\r\n" in text and text.count("\r\n") != text.count("\n")
    if (
        "\r" in plain
        or "\0" in text
        or mixed
        or text.startswith("\ufeff")
        or plain.count("\n") < 20
    ):
        return None
    if max(map(len, plain.split("\n"))) > 400:
        return None
    return File.of(path.suffix, text)


def real(rng: random.Random, wanted: tuple[str, ...] = ()) -> tuple[str, File]:
    """Return the name of a language and a file of it."""
    shelf = installed()
    names = [name for name in shelf if not wanted or name in wanted]
    while True:
        language = rng.choice(names)
        file = read(rng.choice(shelf[language]))
        if file:
            return language, _varied(rng, file)


def made_up(rng: random.Random, wanted: tuple[str, ...] = ()) -> tuple[str, File]:
    """Return the name of a language and a file of it that is put together here."""
    names = [name for name in _MAKERS if not wanted or name in wanted]
    language = rng.choice(names or list(_MAKERS))
    suffix, maker = _MAKERS[language]
    return language, _varied(rng, File.of(suffix, maker(rng)))


def _varied(rng: random.Random, file: File) -> File:
    """Return the file, now and then with other line ends or without the last one."""
    eol = "\r\n" if rng.random() < 0.08 else file.eol
    ended = file.ended and rng.random() > 0.06
    return File(file.suffix, file.lines, eol, ended)


_NOUNS = [
    "order",
    "user",
    "cache",
    "token",
    "report",
    "worker",
    "queue",
    "record",
    "session",
    "invoice",
    "plugin",
    "bucket",
]
_VERBS = [
    "load",
    "save",
    "check",
    "merge",
    "send",
    "parse",
    "render",
    "close",
    "open",
    "reset",
    "count",
    "update",
]


def _name(rng: random.Random, joint: str = "_") -> str:
    return f"{rng.choice(_VERBS)}{joint}{rng.choice(_NOUNS)}"


def _names(rng: random.Random, count: int, joint: str = "_") -> list[str]:
    return list(dict.fromkeys(_name(rng, joint) for _ in range(count * 2)))[:count]


def _python(rng: random.Random) -> str:
    parts = ['"""Things that happen to orders."""', "", "import json", "import logging", "", ""]
    for name in _names(rng, 4):
        parts += [*_python_function(rng, name, ""), "", ""]
    for noun in rng.sample(_NOUNS, 2):
        parts += [f"class {noun.title()}:", f'    """Keeps one {noun}."""', ""]
        for name in _names(rng, 4):
            own = f"_{name}" if rng.random() < 0.3 else name
            parts += [*_python_function(rng, own, "    ", "self, "), ""]
        parts.append("")
    while not parts[-1]:
        parts.pop()
    return "\n".join(parts) + "\n"


def _python_function(rng: random.Random, name: str, margin: str, first: str = "") -> list[str]:
    noun, other = rng.sample(_NOUNS, 2)
    number = rng.randint(2, 99)
    lines = [
        f"def {name}({first}{noun}, limit={number}):",
        f'    """Return the {noun} as it is."""',
    ]
    body = [
        f"{noun} = prepare({noun})",
        f"logging.info('{name} begins with %s', {noun})",
        f"for {other} in {noun}.{other}s:",
        f"    if {other}.size > limit:",
        f"        {noun}.drop({other})",
        f"{other} = json.dumps({noun}.data)",
        f"total = len({other}) + {number}",
        "if total > limit:",
        f"    raise ValueError('{noun} is too large')",
        "data = validated(total, strict=True)",
    ]
    if rng.random() < 0.4:
        body = [line for line in body if line[0] != " " and line[-1] != ":" and rng.random() < 0.85]
    if rng.random() < 0.3:
        body = [*body[:1], "", *body[1:]]
    lines += [f"    {line}" if line else "" for line in body]
    lines.append(f"    return {rng.choice((noun, other, 'data', 'total'))}")
    return [margin + line if line else "" for line in lines]


def _yaml(rng: random.Random) -> str:
    lines = [
        "name: build",
        "on: [push]",
        "env:",
        f"  Path: /opt/{rng.choice(_NOUNS)}",
        "  RETRIES: 3",
        "jobs:",
    ]
    for name in _names(rng, 6):
        noun = rng.choice(_NOUNS)
        lines += [
            f"  {name}:",
            f"    runs-on: {rng.choice(('small', 'large', 'arm'))}-{rng.randint(1, 40)}",
            f"    timeout: {rng.randint(5, 90)}",
            "    steps:",
            f"      - run: make {noun}",
            f"      - run: make {rng.choice(_VERBS)}-{noun}",
            f"        shell: bash -{rng.choice('eux')}",
            "      - uses: upload",
            f"        with: {{path: out/{noun}}}",
        ]
        if rng.random() < 0.4:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _toml(rng: random.Random) -> str:
    lines = ['title = "settings"', ""]
    for name in _names(rng, 7):
        lines += [
            f"[{name}]",
            f'API_KEY = "{rng.randrange(10**6)}"',
            f"retries = {rng.randint(1, 9)}",
            f'{rng.choice(_NOUNS)}_path = "/srv/{rng.choice(_NOUNS)}/{rng.randint(1, 99)}"',
            f"limits = [{rng.randint(1, 9)}, {rng.randint(10, 99)}]",
            "",
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _json(rng: random.Random) -> str:
    lines = ["{"]
    for name in _names(rng, 7):
        noun = rng.choice(_NOUNS)
        lines += [
            f'  "{name}": {{',
            f'    "{noun}Path": "/srv/{noun}/{rng.randint(1, 99)}",',
            f'    "retries": {rng.randint(1, 99)},',
            f'    "apiKey": "{rng.randrange(10**6)}",',
            '    "strict": true',
            "  },",
        ]
    lines += ['  "version": 3', "}"]
    return "\n".join(lines) + "\n"


def _javascript(rng: random.Random) -> str:
    lines = ["'use strict';", "", "const fs = require('fs');", ""]
    for name in _names(rng, 6):
        noun, other = rng.sample(_NOUNS, 2)
        verb, thing = name.split("_")
        lines += [
            "/**",
            f" * Return the {noun} of a {other}.",
            f" * @param {{object}} {noun} what to {verb}",
            " */",
            f"function {verb}{thing.title()}({noun}) {{",
            f"  const {other} = prepare({noun}, {rng.randint(1, 99)});",
            f"  if ({other}.length > {rng.randint(1, 99)}) {{",
            f"    throw new Error('{noun} is too long');",
            "  }",
            f"  {other}.forEach((each) => send(each));",
            f"  return {rng.choice((noun, other))};",
            "}",
            "",
        ]
    lines.append("module.exports = { fs };")
    return "\n".join(lines) + "\n"


def _c(rng: random.Random) -> str:
    lines = ["#include <stdio.h>", "#include <string.h>", ""]
    for name in _names(rng, 6):
        noun, other = rng.sample(_NOUNS, 2)
        lines += [
            f"/* Return the {noun} that was asked for. */",
            f"static int {name}(struct {noun} *{noun}, int limit)",
            "{",
            f"    int {other} = {rng.randint(1, 999)};",
            f"    if (!{noun})",
            "        return -1;",
            f"    while ({noun}->{other} < limit) {{",
            f"        {noun}->{other} += {other};",
            "    }",
            f'    printf("%d {name}\\n", {noun}->{other});',
            "    return 0;",
            "}",
            "",
        ]
    return "\n".join(lines[:-1]) + "\n"


def _markdown(rng: random.Random) -> str:
    lines = ["# Guide", "", "What one should know before one begins.", ""]
    for name in _names(rng, 7, " "):
        noun, other = rng.sample(_NOUNS, 2)
        lines += [f"{'#' * rng.choice((2, 2, 3))} {name.capitalize()}", ""]
        lines += [f"Each {noun} has a {other}, which is {rng.randint(2, 99)} bytes long.", ""]
        lines += [
            f"- first the {noun}",
            f"- then {rng.randint(2, 99)} of each {other}",
            "- then the rest",
            "",
        ]
        if rng.random() < 0.5:
            lines += ["```sh", f"make {name.replace(' ', '-')}", "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _text(rng: random.Random) -> str:
    lines = []
    for number in range(rng.randint(12, 30)):
        noun, other = rng.sample(_NOUNS, 2)
        lines.append(
            f"{rng.choice(_VERBS)} the {noun} before the {other} is {rng.choice(_VERBS)}ed"
        )
        if number % 4 == 3:
            lines += [""] * rng.choice((1, 1, 2))
    return "\n".join(lines).rstrip("\n") + "\n"


_MAKERS = {
    "python": (".py", _python),
    "yaml": (".yaml", _yaml),
    "toml": (".toml", _toml),
    "json": (".json", _json),
    "javascript": (".js", _javascript),
    "c": (".c", _c),
    "markdown": (".md", _markdown),
    "text": (".txt", _text),
}
