"""Files that are listed instead of kept: too large, secret, or none that an edit can change."""

from __future__ import annotations

import os
import re
import stat

from keyhole.fastclasses import dataclass

LARGE, SECRET, LINK, DIRECTORY, SPECIAL = "large", "secret", "link", "repository", "special"
NAME = "name"
# Names that keyhole writes no file under, so that none could be put back.
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f\\]")

# Files that hold keys and passwords by their names; samples of them are for everybody.
_SECRET = re.compile(
    r"\.env(\..+)?|.+\.env|\.envrc|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|secret)"
    r"|id_(rsa|dsa|ecdsa|ed25519)|\.(netrc|pgpass|npmrc|pypirc|htpasswd|dockercfg|git-credentials)"
    r"|(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt))?|kubeconfig",
    re.IGNORECASE,
)
_SAMPLE = re.compile(r"(^|.*\.)env\.(example|sample|template|dist|test)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that is not kept: why, and what tells that it changed."""

    path: str
    why: str
    size: int = 0
    changed_ns: int = 0


def is_secret(path: str) -> bool:
    """Tell whether a file holds secrets, as far as its name says."""
    name = path.rstrip("/").rpartition("/")[2]
    return bool(_SECRET.fullmatch(name)) and not _SAMPLE.fullmatch(name)


def changed_at(root: str, path: str, otherwise: float) -> float:
    """Return when a file got its name here, or when anything else was done to it."""
    try:
        return os.lstat(os.path.join(root, path)).st_ctime
    except OSError:
        return otherwise


def listed(root: str, path: str, limit: int) -> ListedFile | None:
    """Return why a file is not kept, None for one that is, or that is gone."""
    try:
        status = os.lstat(os.path.join(root, path))
    except OSError:
        return ListedFile(path, SECRET) if is_secret(path) else None
    why = _reason(path, status, limit)
    return ListedFile(path, why, status.st_size, status.st_mtime_ns) if why else None


def _reason(path: str, status: os.stat_result, limit: int) -> str:
    if stat.S_ISLNK(status.st_mode):
        return LINK
    if stat.S_ISDIR(status.st_mode):
        # Git names a directory only where another repository begins.
        return DIRECTORY if path.endswith("/") else ""
    if not stat.S_ISREG(status.st_mode):
        return SPECIAL
    if is_secret(path):
        return SECRET
    if _UNWRITABLE.search(path):
        return NAME
    return LARGE if status.st_size > limit else ""


_SAID = (
    # NAME=value where the name says what it is, in a command or before one.
    re.compile(
        r"(?i)\b([\w-]*(?:token|secret|passw(?:or)?d|passwd|pwd|api[_-]?key|access[_-]?key|auth)"
        r"[\w-]*\s*[=:]\s*)(?!bearer\b|basic\b)(\"[^\"]*\"|'[^']*'|\S+)"
    ),
    re.compile(
        r"(?i)(--?(?:[\w-]*(?:token|secret|passw(?:or)?d|api-?key))\s+)(\"[^\"]*\"|'[^']*'|\S+)"
    ),
    re.compile(r"(?i)(\b(?:bearer|basic)\s+)([\w.+/=~-]{8,})"),
    re.compile(r"(://[^/\s:@]*:)([^/\s@]+)(?=@)"),
    re.compile(
        r"()\b((?:sk|pk|rk)-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}"
        r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)"
    ),
)
REDACTED = "[redacted]"


def redacted(text: str) -> str:
    """Return a command or a prompt without the secrets that it spells, as far as forms tell."""
    for pattern in _SAID:
        text = pattern.sub(rf"\1{REDACTED}", text)
    return text
