"""The checkers by the name of their syntax."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import cast

from keyhole.edits.checks.syntax.problem import Checker, Problem, ProblemCache
from keyhole.text.document import Document

# Syntaxes with a checker of their own; every other language of the table has its grammar.
_OWN = {
    "python": ("python", "python_problems"),
    "json": ("config", "json_problems"),
    "jsonc": ("config", "jsonc_problems"),
    "json5": ("config", "json5_problems"),
    "toml": ("config", "toml_problems"),
    "jinja": ("jinja", "jinja_problems"),
    "yaml": ("config", "yaml_problems"),
    "notebook": ("notebook", "notebook_problems"),
    "xml": ("config", "xml_problems"),
    "ini": ("config", "ini_problems"),
    "markdown": ("config", "front_matter_problems"),
    "css": ("grammar", "css_problems"),
    "makefile": ("config", "makefile_problems"),
    "other-shell": ("grammar", "shell_problems"),
}

# Beyond this many characters reading would take longer than anyone waits for an edit.
_MOST = 500_000
_MOST_QUICK = 5_000_000
_QUICK = frozenset({"json", "jsonc", "notebook", "python", "xml"})

_answers: dict[str, ProblemCache[tuple[Problem, ...]]] = {}


def problems(syntax: str, text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text; asked again for the same text, it remembers."""
    if len(text) > (_MOST_QUICK if syntax in _QUICK else _MOST) or not text.strip():
        return ()
    memory = _answers.setdefault(syntax, ProblemCache())
    known = memory.get(text)
    if known is not None:
        return known
    found = tuple(checker_of(syntax)(text))
    if found and syntax == "python" and "%%" in text:
        found = _without_magics(text, found)
    return memory.put(text, found)


def _without_magics(text: str, found: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return what is wrong with a script of cells, in which magics are no mistakes."""
    from keyhole.segments.notebook.magics import plain_python
    from keyhole.segments.notebook.script import cells_of_script

    plain = plain_python(text)
    return problems("python", plain) if plain != text and cells_of_script(text, "#") else found


def checker_of(syntax: str) -> Checker:
    """Return the checker of a syntax, loading its file only now."""
    if syntax in _OWN:
        home, name = _OWN[syntax]
        return cast("Checker", getattr(import_module(f"keyhole.edits.checks.syntax.{home}"), name))
    from keyhole.edits.checks.syntax.grammar import grammar_problems

    return partial(grammar_problems, syntax)


_XML = (
    "xml svg xsd xsl xslt rss atom plist csproj vbproj fsproj props targets nuspec resx wsdl xlf"
    " storyboard xib kml gpx"
)
_INI = "ini cfg flake8 pylintrc coveragerc pypirc editorconfig"
_KNOWN = {
    "txt": "",
    "log": "",
    "csv": "",
    "py": "python",
    "pyi": "python",
    "md": "markdown",
    "toml": "toml",
    "yaml": "yaml",
    "yml": "yaml",
    "js": "javascript",
    "json5": "json5",
    "mk": "makefile",
    "mak": "makefile",
    **dict.fromkeys(_XML.split(), "xml"),
    **dict.fromkeys(_INI.split(), "ini"),
}
_FILES = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    # Files in the form of INI whose programs take a key as often as one likes.
    "php.ini": "",
    "my.ini": "",
    "haproxy.cfg": "",
}
# Patterns are compiled when first used: JSON that its program reads with comments in it,
_JSONC = (
    r"(?:^|/)(?:[tj]sconfig[^/]*|devcontainer|deno|turbo|nx|wrangler|biome|api-extractor"
    r"|language-configuration|\.eslintrc|\.swcrc|\.babelrc|\.jshintrc|\.hintrc)\.json$"
    r"|(?:^|/)\.(?:vscode|zed|devcontainer)/[^/]+\.json$"
    r"|\.(?:jsonc|code-workspace|babelrc|eslintrc|jshintrc|swcrc)$"
)
# and shells that the grammar of bash does not quite fit.
_OTHER_SHELL = r"\.(?:zsh|ksh)$|/\.?z(?:shrc|profile|shenv|login)$"


def syntax_of(path: str, document: Document) -> str:
    """Return the name of the syntax that a file is checked in, "" if it is in none."""
    name = path.rpartition("/")[2].lower()
    known = _FILES.get(name, _KNOWN.get(name.rpartition(".")[2] if "." in name else name))
    return known if known is not None else _looked_up(path, document)


def _looked_up(path: str, document: Document) -> str:
    from keyhole.segments.languages.table import language_of

    language = language_of(path, document)
    if language == "json":
        return "jsonc" if re.search(_JSONC, path.lower()) else "json"
    if language == "bash" and re.search(_OTHER_SHELL, f"/{path}"):
        return "other-shell"
    return "" if language == "text" else language
