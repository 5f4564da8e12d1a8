"""The outline of a file, by the reader of its language; computed once for each text."""

from __future__ import annotations

from functools import lru_cache

from keyhole.segments.languages.table import LANGUAGES, language_of, row_of
from keyhole.segments.mdx import is_mdx, without_jsx
from keyhole.segments.outline import Outline
from keyhole.text.document import Document

_KEPT = 64
# Cells of notebooks, of which an edit changes one: how many are kept, and of how many characters.
_CELLS_KEPT = 1024
_LONGEST_CELL = 10_000
# Scripts in languages that have no outline, and may have cells.
_OTHER_SCRIPTS = (".r", ".jl")


def outline(path: str, document: Document) -> Outline:
    """Return the outline of a document; a file of unknown type has an empty one."""
    language = language_of(path, document)
    if language == "text":
        from keyhole.segments.locations import outline_by_detector

        found = outline_by_detector(path, document) or Outline(language)
        is_script = path.lower().endswith(_OTHER_SCRIPTS)
        return _with_cells(found, document.text, ("#",)) if is_script else found
    is_jsx = language == "markdown" and is_mdx(path)
    return _outline("mdx" if is_jsx else language, document.text)


@lru_cache(maxsize=_KEPT)
def _outline(language: str, text: str) -> Outline:
    """Return the outline of a text, cached by the text itself."""
    found = _plain_outline(language, text)
    is_script = language == "python" or language in LANGUAGES
    found = _with_cells(found, text, row_of(language).marks) if is_script else found
    if found.cells and language == "python" and found.unreadable:
        from keyhole.segments.notebook.magics import plain_python

        plain = _plain_outline(language, plain_python(text))
        return _with_cells(plain, text, row_of(language).marks)
    return found


def _with_cells(found: Outline, text: str, marks: tuple[str, ...]) -> Outline:
    if "%%" not in text:
        return found
    from keyhole.segments.notebook.script import with_cells

    return with_cells(found, text, marks)


def _plain_outline(language: str, text: str) -> Outline:
    """Return the outline of a text in one language, whose comments begin no cells."""
    if language == "python":
        from keyhole.segments.python.outline import read_python

        return read_python(text)
    if language == "markdown":
        from keyhole.segments.markdown import read_markdown

        return read_markdown(text)
    if language == "mdx":
        from keyhole.segments.markdown import read_markdown

        return read_markdown(text, without_jsx)
    if language == "toml":
        from keyhole.segments.toml import read_toml

        return read_toml(text)
    if language == "notebook":
        from keyhole.segments.notebook.outline import read_cells

        return read_cells(text, _outline_of_cell)
    if language == "jinja":
        from keyhole.segments.jinja import read_jinja

        return read_jinja(text)
    if language in LANGUAGES:
        from keyhole.segments.code.outline import read_code

        return read_code(LANGUAGES[language], text)
    return Outline(language)


def _outline_of_cell(language: str, source: str) -> Outline:
    is_short = len(source) <= _LONGEST_CELL
    return (
        _outline_of_short_cell(language, source) if is_short else _plain_outline(language, source)
    )


@lru_cache(maxsize=_CELLS_KEPT)
def _outline_of_short_cell(language: str, source: str) -> Outline:
    return _plain_outline(language, source)
