"""Which syntax a file is checked in, by its name and its text.

Every edit asks this, so nothing is loaded for the files that are edited most.
"""

from __future__ import annotations

import re

from keyhole.text.document import Document

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
    from keyhole.segments.languages import language_of

    language = language_of(path, document)
    if language == "json":
        return "jsonc" if re.search(_JSONC, path.lower()) else "json"
    if language == "bash" and re.search(_OTHER_SHELL, f"/{path}"):
        return "other-shell"
    return "" if language == "text" else language
