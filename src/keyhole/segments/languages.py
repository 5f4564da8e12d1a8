"""Which file is in which language, and how each language is read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from keyhole.segments.language import Language
from keyhole.segments.languages_compiled import COMPILED
from keyhole.segments.languages_scripted import SCRIPTED
from keyhole.text.document import Document

# Languages with a reader of their own: their rows say everything but how the tree is read.
_READ_ELSEWHERE = (
    Language(
        "python",
        "py pyi pyw",
        {},
        files="sconstruct sconscript",
        habits="layout tail-comments",
        mark="#",
    ),
    Language("markdown", "md markdown mkd mdx mdown qmd rmd", {}),
    Language(
        "toml",
        "toml",
        {},
        files="pipfile poetry.lock cargo.lock uv.lock",
        habits="tail-tables",
        mark="#",
    ),
)
_READ_HERE = (*COMPILED, *SCRIPTED)
TABLE = (*_READ_ELSEWHERE, *_READ_HERE)

LANGUAGES: Mapping[str, Language] = {language.name: language for language in _READ_HERE}

_ROWS = {row.name: row for row in TABLE}
_EXTENSIONS = {extension: row.name for row in TABLE for extension in row.extensions.split()}
_FILES = {name: row.name for row in TABLE for name in row.files.split()}
_PROGRAMS = {program: row.name for row in TABLE for program in row.programs.split()}
_PLAIN = Language("text", "", {})
# A header says in its text which of two languages it is in.
_CPP = re.compile(
    r"^[ \t]*(?:(?:class|namespace|template|using)\b|(?:public|private|protected):)", re.MULTILINE
)
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?P<program>[\w+-]+)")


def row_of(language: str) -> Language:
    """Return what the table says of a language; of one that is not in it, what is usual."""
    return _ROWS.get(language, _PLAIN)


def language_of(path: str, document: Document) -> str:
    """Return the language of a file, "text" if it is none that has segments."""
    name = re.split(r"[\\/]", path)[-1].lower()
    if name.endswith(".h") and _CPP.search(document.text):
        return "cpp"
    known = _FILES.get(name) or _EXTENSIONS.get(name.rpartition(".")[2] if "." in name else "")
    if known:
        return known
    shebang = _SHEBANG.match(document.text)
    program = shebang["program"].lower() if shebang else ""
    return "python" if program.startswith(("python", "pypy")) else _PROGRAMS.get(program, "text")
