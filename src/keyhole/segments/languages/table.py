"""Which file is in which language, and how each language is read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from keyhole.segments.languages.classes import CLASSES
from keyhole.segments.languages.compiled import COMPILED
from keyhole.segments.languages.data import DATA
from keyhole.segments.languages.language import Language
from keyhole.segments.languages.scripted import SCRIPTED
from keyhole.text.document import Document

# Languages with a reader of their own: their rows say everything but how the tree is read.
_READ_ELSEWHERE = (
    Language(
        name="python",
        extensions=("py", "pyi", "pyw"),
        files=("sconstruct", "sconscript"),
        marks=("#",),
        habits=("layout", "tail-comments"),
    ),
    Language(
        name="markdown", extensions=("md", "markdown", "mkd", "mdx", "mdown", "mdc", "qmd", "rmd")
    ),
    Language(name="jinja", extensions=("j2", "jinja", "jinja2"), marks=("{#",), habits=("lines",)),
    Language(name="notebook", extensions=("ipynb",)),
    Language(
        name="toml",
        extensions=("toml",),
        files=("pipfile", "poetry.lock", "cargo.lock", "uv.lock"),
        marks=("#",),
        habits=("tail-tables",),
    ),
)
_READ_HERE = (*COMPILED, *CLASSES, *SCRIPTED, *DATA)
TABLE = (*_READ_ELSEWHERE, *_READ_HERE)

LANGUAGES: Mapping[str, Language] = {language.name: language for language in _READ_HERE}

_ROWS = {row.name: row for row in TABLE}
_EXTENSIONS = {extension: row.name for row in TABLE for extension in row.extensions}
_FILES = {name: row.name for row in TABLE for name in row.files}
_PROGRAMS = {program: row.name for row in TABLE for program in row.programs}
_PLAIN = Language(name="text", extensions=())
# Patterns are compiled when first used. A header says in its text which of two languages it is in.
_CPP = r"(?m)^[ \t]*(?:(?:class|namespace|template|using)\b|(?:public|private|protected):)"
_SHEBANG = r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?P<program>[\w+-]+)"


def row_of(language: str) -> Language:
    """Return what the table says of a language; of one that is not in it, what is usual."""
    return _ROWS.get(language, _PLAIN)


def language_of(path: str, document: Document) -> str:
    """Return the language of a file, "text" if it is none that has segments."""
    name = re.split(r"[\\/]", path)[-1].lower()
    if name.endswith(".h") and re.search(_CPP, document.text):
        return "cpp"
    known = _FILES.get(name) or _EXTENSIONS.get(name.rpartition(".")[2] if "." in name else "")
    if known:
        return known
    shebang = re.match(_SHEBANG, document.text)
    program = shebang["program"].lower() if shebang else ""
    return "python" if program.startswith(("python", "pypy")) else _PROGRAMS.get(program, "text")
