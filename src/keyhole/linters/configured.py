"""From a `[validators]` table to linters: a built-in with changes, or a command of the user's."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping

from keyhole.fastclasses import replace
from keyhole.linters.base import Linter
from keyhole.linters.formats import FORMATS

_PYTHON = ("python",)
_SCRIPT = ("javascript", "typescript", "tsx")

_ROWS = (
    Linter(
        "ruff",
        (
            *("ruff", "check", "--quiet", "--no-fix", "--no-cache", "--force-exclude"),
            *("--output-format=json", "--stdin-filename={path}", "-"),
        ),
        _PYTHON,
        format="json:ruff",
    ),
    # A cache of our own keeps it fast and out of the tree; what it prints is the same in every
    # version, unlike its JSON.
    Linter(
        "mypy",
        (
            *("mypy", "--cache-dir={cache}", "--no-error-summary", "--show-column-numbers"),
            *("--show-error-codes", "--no-pretty", "--no-color-output", "--hide-error-context"),
            *("--", "{paths}"),
        ),
        _PYTHON,
        timeout=60,
        input="file",
        anchors=("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"),
        runs_tree=True,
    ),
    Linter(
        "pylint",
        ("pylint", "--output-format=json", "--score=n", "--persistent=n", "--", "{paths}"),
        _PYTHON,
        format="json:pylint",
        timeout=60,
        input="file",
        anchors=("pylintrc", ".pylintrc", "pylintrc.toml", "pyproject.toml", "setup.cfg"),
        runs_tree=True,
    ),
    Linter(
        "pyright",
        ("pyright", "--outputjson", "{paths}"),
        _PYTHON,
        format="json:pyright",
        timeout=60,
        input="file",
        anchors=("pyrightconfig.json", "pyproject.toml"),
        local="node_modules/.bin",
    ),
    Linter(
        "eslint",
        ("eslint", "--stdin", "--stdin-filename={path}", "--format=json"),
        _SCRIPT,
        format="json:eslint",
        timeout=30,
        anchors=(
            *("eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts"),
            *(".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", "package.json"),
        ),
        local="node_modules/.bin",
        runs_tree=True,
    ),
    Linter(
        "tsc",
        ("tsc", "--noEmit", "--pretty", "false", "--project", "."),
        ("typescript", "tsx"),
        timeout=60,
        input="file",
        anchors=("tsconfig.json",),
        local="node_modules/.bin",
    ),
    Linter("gofmt", ("gofmt", "-d"), ("go",), format="diff"),
    Linter(
        "govet",
        ("go", "vet", "{dir}"),
        ("go",),
        timeout=60,
        input="file",
        anchors=("go.mod",),
    ),
    # Frozen: it neither downloads nor writes a lock file. It knows what changed by the times of
    # files, which a mirror cannot keep in order; a hash among its arguments makes it look again.
    Linter(
        "clippy",
        (
            *("cargo", "clippy", "--frozen", "--quiet", "--message-format=json"),
            *("--all-targets", "--target-dir={cache}", "--", "--cfg=keyhole_{digest}"),
        ),
        ("rust",),
        format="json:cargo",
        timeout=120,
        input="file",
        anchors=("Cargo.toml",),
        runs_tree=True,
    ),
)

BUILTIN: Mapping[str, Linter] = {row.name: row for row in _ROWS}


_LONGEST_TIMEOUT = 600
_INPUTS = ("stdin", "file")
# The name is also that of a directory.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_KINDS: Mapping[str, str] = {
    "command": "texts",
    "languages": "texts",
    "anchors": "texts",
    "errors": "texts",
    "environment": "texts",
    "format": "text",
    "input": "text",
    "timeout": "number",
    "blocking": "switch",
}
_FILE_PLACES = ("{path}", "{paths}", "{dir}")
# Programs that run code of the tree they look at: plug-ins, settings that are code, scripts.
_RUNNERS = frozenset(
    {"mypy", "dmypy", "pylint", "flake8", "pytest", "tox", "nox", "pre-commit", "prek"}
    | {"eslint", "eslint_d", "stylelint", "prettier", "textlint", "xo", "oxlint"}
    | {"markdownlint", "markdownlint-cli2", "svelte-check", "vue-tsc", "astro"}
    | {"npx", "npm", "pnpm", "yarn", "bun", "bunx", "node", "deno", "tsx", "ts-node", "nx", "turbo"}
    | {"cargo", "make", "just", "cmake", "ninja", "bazel", "gradle", "gradlew", "mvn", "sbt"}
    | {"rubocop", "rake", "bundle", "mix", "lein", "dotnet", "phpstan", "psalm", "composer"}
)
# What divides the words of a shell's script, and a program's name from its version.
_BETWEEN_WORDS = re.compile(r"[\s;&|()<>'\"`$=@]+")
_VERSION = re.compile(r"[-.]?[0-9][0-9.]*$")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish"})


def linters_of(tables: Mapping[str, object], source: str = "") -> tuple[Linter, ...]:
    """Return the linters that a configuration names; ValueError says what is wrong with one.

    `source` is the hash of the file if it is the workspace's own.
    """
    return tuple(_linter(name, table, source) for name, table in tables.items())


def _linter(name: str, table: object, source: str) -> Linter:
    if not _NAME.fullmatch(name):
        raise ValueError(f"names a validator {name!r}: use letters, digits, - and _")
    if not isinstance(table, dict):
        raise ValueError(  # noqa: TRY004 - it is the value of a setting that is wrong
            f"sets `validators.{name}` to {table!r}, which is not a table"
        )
    given = {key: _checked(name, key, value) for key, value in table.items()}
    if name not in BUILTIN and not ("command" in given and "languages" in given):
        known = ", ".join(BUILTIN)
        raise ValueError(
            f"has no `command` and `languages` for `validators.{name}`, which is none of {known}"
        )
    base = BUILTIN.get(name) or Linter(name, (), (), input=_usual_input(given["command"]))
    linter = replace(base, source=source, **given)  # type: ignore[arg-type]
    _check_shell(linter)
    return replace(linter, runs_tree=linter.runs_tree or _runs_tree(linter.command))


def _runs_tree(command: tuple[str, ...]) -> bool:
    """Tell whether a command starts a program that runs code of the tree, or a file of the tree."""
    program = os.path.realpath(shutil.which(command[0]) or command[0])
    words = [piece for each in (program, *command) for piece in _BETWEEN_WORDS.split(each)]
    names = {word.rpartition("/")[2] for word in words}
    names |= {_VERSION.sub("", name) for name in names}
    return command[0].startswith("./") or not names.isdisjoint(_RUNNERS)


def _checked(name: str, key: str, value: object) -> object:
    """Return a value of the right kind, lists as tuples."""
    kind = _KINDS.get(key)
    where = f"`validators.{name}.{key}`"
    if kind is None:
        raise ValueError(f"has the unknown setting {where}; settings are {', '.join(_KINDS)}")
    if not _is(kind, value):
        raise ValueError(f"sets {where} to {value!r}, which is not {_SAID[kind]}")
    choices = {"format": tuple(FORMATS), "input": _INPUTS}.get(key)
    if choices and value not in choices:
        raise ValueError(f"sets {where} to {value!r}; it is one of {', '.join(choices)}")
    return tuple(value) if isinstance(value, list) else value


_SAID = {
    "texts": "a list of texts",
    "text": "a text",
    "number": f"a number of seconds from 0 to {_LONGEST_TIMEOUT}",
    "switch": "true or false",
}


def _is(kind: str, value: object) -> bool:
    match kind:
        case "texts":
            texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
            return bool(texts and value)
        case "number":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and 0 < value <= _LONGEST_TIMEOUT  # type: ignore[operator]
        case "switch":
            return isinstance(value, bool)
    return isinstance(value, str)


def _usual_input(command: object) -> str:
    named = isinstance(command, tuple) and any(
        place in word for word in command for place in _FILE_PLACES
    )
    return "file" if named else "stdin"


def _check_shell(linter: Linter) -> None:
    """Refuse a shell script with a file's name in it: the name could be a command of its own."""
    is_shell = linter.command[0].rsplit("/", 1)[-1] in _SHELLS
    scripts = [
        word
        for flag, word in zip(linter.command[1:], linter.command[2:], strict=False)
        if flag.startswith("-") and flag.endswith("c")
    ]
    if is_shell and any(place in script for script in scripts for place in _FILE_PLACES):
        raise ValueError(
            f"puts a file name into a shell script in `validators.{linter.name}.command`; "
            'write "$1" in the script, and behind it the words `sh` and `{path}`'
        )
