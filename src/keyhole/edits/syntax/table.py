"""Which check reads which file: a checker for each language, by its name."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import cast

from keyhole.edits.syntax.memory import Memory
from keyhole.edits.syntax.problem import Checker, Problem
from keyhole.segments.languages import LANGUAGES, language_of
from keyhole.text.document import Document

_XML = frozenset(
    {
        "xml",
        "svg",
        "xsd",
        "xsl",
        "xslt",
        "rss",
        "atom",
        "plist",
        "csproj",
        "vbproj",
        "fsproj",
        "props",
        "targets",
        "nuspec",
        "resx",
        "wsdl",
        "xlf",
        "storyboard",
        "xib",
        "kml",
        "gpx",
        "opml",
    }
)
_INI = frozenset({"ini", "cfg", "flake8", "pylintrc", "coveragerc", "pypirc", "editorconfig"})
# Files of that form whose programs take a key as often as one likes.
_NOT_INI = frozenset({"php.ini", "my.ini", "haproxy.cfg"})
_MAKEFILES = frozenset({"makefile", "gnumakefile", "makefile.am", "makefile.in"})
# JSON that its program reads with comments in it.
_JSONC = re.compile(
    r"(?:^|/)(?:[tj]sconfig[^/]*|devcontainer|deno|turbo|nx|wrangler|biome|api-extractor"
    r"|language-configuration|\.eslintrc|\.swcrc|\.babelrc|\.jshintrc|\.hintrc)\.json$"
    r"|(?:^|/)\.(?:vscode|zed|devcontainer)/[^/]+\.json$"
    r"|\.(?:jsonc|code-workspace|babelrc|eslintrc|jshintrc|swcrc)$"
)
# A header that only C++ can read.
_CPP = re.compile(
    r"(?m)^[ \t]*(?:template\s*<|namespace\b|class\s+\w|using\s|public:|private:)|\w::\w"
)
# Shells that the grammar of bash does not quite fit.
_OTHER_SHELL = re.compile(r"\.(?:zsh|ksh)$|/\.?z(?:shrc|profile|shenv|login)$")

# Syntaxes with a checker of their own; every other language of the table has its grammar.
_OWN = {
    "python": ("python", "python_problems"),
    "json": ("json_text", "json_problems"),
    "jsonc": ("json_text", "jsonc_problems"),
    "json5": ("json_text", "json5_problems"),
    "toml": ("toml", "toml_problems"),
    "yaml": ("yaml", "yaml_problems"),
    "xml": ("xml_text", "xml_problems"),
    "ini": ("ini", "ini_problems"),
    "markdown": ("front_matter", "front_matter_problems"),
    "css": ("css", "css_problems"),
    "makefile": ("makefile", "makefile_problems"),
    "other-shell": ("shells", "shell_problems"),
}

# Beyond this many characters reading would take longer than anyone waits for an edit.
_MOST = 500_000
_MOST_QUICK = 5_000_000
_QUICK = frozenset({"json", "jsonc", "python", "xml"})

_answers: dict[str, Memory[tuple[Problem, ...]]] = {}


def syntax_of(path: str, document: Document) -> str:
    """Return the name of the syntax that a file is checked in, "" if it is in none."""
    name = path.rpartition("/")[2].lower()
    suffix = name.rpartition(".")[2]
    if suffix in _XML:
        return "xml"
    if name in _MAKEFILES or suffix in {"mk", "mak"}:
        return "makefile"
    if suffix in _INI and name not in _NOT_INI:
        return "ini"
    language = language_of(path, document)
    if language == "json":
        return _kind_of_json(path, name)
    if name.endswith(".h") and _CPP.search(document.text):
        return "cpp"
    if language == "bash" and _OTHER_SHELL.search(f"/{path}"):
        return "other-shell"
    return language if language in LANGUAGES or language in _OWN else ""


def _kind_of_json(path: str, name: str) -> str:
    if name.endswith(".json5"):
        return "json5"
    return "jsonc" if _JSONC.search(path.lower()) else "json"


def problems(syntax: str, text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text; asked again for the same text, it remembers."""
    if len(text) > (_MOST_QUICK if syntax in _QUICK else _MOST) or not text.strip():
        return ()
    memory = _answers.setdefault(syntax, Memory())
    known = memory.get(text)
    if known is not None:
        return known
    return memory.put(text, tuple(checker_of(syntax)(text)))


def checker_of(syntax: str) -> Checker:
    """Return the checker of a syntax, loading its file only now."""
    if syntax in _OWN:
        home, name = _OWN[syntax]
        return cast("Checker", getattr(import_module(f"keyhole.edits.syntax.{home}"), name))
    from keyhole.edits.syntax.grammar import grammar_problems

    return partial(grammar_problems, LANGUAGES[syntax].parser or syntax)
