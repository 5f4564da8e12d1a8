"""What the user prefers: the pager of the command line, the editor that links lead into."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import quote

from keyhole.refusals import Refusal, Refused

# How each editor is told a file and a line by a link.
EDITORS: Mapping[str, str] = {
    "vscode": "vscode://file{path}:{line}",
    "vscode-insiders": "vscode-insiders://file{path}:{line}",
    "vscodium": "vscodium://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
    "none": "",
}
_SCHEMES_NEVER = ("javascript:", "data:", "vbscript:")


def pager(environment: Mapping[str, str] | None = None) -> str:
    """Return the command of the user's pager, "" for none."""
    given = os.environ if environment is None else environment
    found = given.get("KEYHOLE_PAGER", given.get("PAGER", "less"))
    return "" if found in {"", "cat"} else found


def editor(named: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Return the form of links into the user's editor, "" for none; `{path}` and `{line}` in it."""
    given = os.environ if environment is None else environment
    said = named or given.get("KEYHOLE_EDITOR", "") or "vscode"
    form = EDITORS.get(said, said)
    unfit = form.lower().strip().startswith(_SCHEMES_NEVER) or "{path}" not in form
    if form and (unfit or ":" not in form):
        headline = (
            f"the editor is {said[:60]!r}; it is {', '.join(EDITORS)} or a link with {{path}}"
        )
        raise Refused(Refusal("bad-request", headline, help="for example zed://file{path}:{line}"))
    return form


def editor_link(form: str, path: str, line: int) -> str:
    """Return the link that opens a file at a line; a path with bytes that are no text has none."""
    try:
        spelled = quote(path)
    except UnicodeEncodeError:
        return ""
    return form.replace("{path}", spelled).replace("{line}", str(max(line, 1)))


def forwarded_at(port: int, environment: Mapping[str, str] | None = None) -> str:
    """Return the address under which a development machine in the cloud shows a port, or ""."""
    given = os.environ if environment is None else environment
    name = given.get("CODESPACE_NAME", "")
    domain = given.get("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN", "")
    return f"https://{name}-{port}.{domain}" if name and domain else ""
