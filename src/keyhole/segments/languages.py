"""Which file is in which language: by its name, its extension or its first line."""

from __future__ import annotations

import re

from keyhole.text.document import Document

_EXTENSIONS = {
    "py": "python",
    "pyi": "python",
    "pyw": "python",
    "md": "markdown",
    "markdown": "markdown",
}
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?(?P<program>[\w.+-]+)")


def language_of(path: str, document: Document) -> str:
    """Return the language of a file, "text" if it is none that has segments."""
    name = re.split(r"[\\/]", path)[-1].lower()
    known = _EXTENSIONS.get(name.rpartition(".")[2])
    if known:
        return known
    shebang = _SHEBANG.match(document.text)
    if shebang and shebang["program"].startswith("python"):
        return "python"
    return "text"
