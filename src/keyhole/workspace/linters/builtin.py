"""The linters keyhole knows: one row each, run only if the user names them."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.workspace.linters.base import Linter

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
