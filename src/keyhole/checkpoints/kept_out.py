"""Files that are listed instead of kept: too large, secret, or none that an edit can change."""

from __future__ import annotations

import os
import re
import stat

from keyhole.fastclasses import dataclass

LARGE, SECRET, LINK, DIRECTORY, SPECIAL = "large", "secret", "link", "repository", "special"
NAME, UNREADABLE = "name", "unreadable"
# Patterns are compiled when they are first needed: most hooks need none.
# Names that keyhole writes no file under, so that none could be put back.
_UNWRITABLE = r"[\x00-\x1f\x7f\\]"

# Files that hold keys and passwords by their names; samples of them are for everybody.
_HOLDS_KEYS = (
    r"(?i)\.env(\..+)?|.+\.env|\.envrc|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|secret)"
    r"|id_(rsa|dsa|ecdsa|ed25519)|\.(netrc|pgpass|npmrc|pypirc|htpasswd|dockercfg|git-credentials)"
    r"|(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt))?|kubeconfig"
)
_SAMPLE = r"(?i)(^|.*\.)env\.(example|sample|template|dist|test)"


# What a file that was kept can have become: its text is gone.
BECAME = frozenset((LARGE, LINK, SPECIAL))

# How far the clocks of a disk and of the system may be apart, in seconds.
CLOCKS = 1.0


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
    return bool(re.fullmatch(_HOLDS_KEYS, name)) and not re.fullmatch(_SAMPLE, name)


def came_since(root: str, path: str, since: float) -> bool:
    """Tell whether a file got its name after a time: by itself, or with a directory above it.

    A move leaves the time at which a directory's own entries changed; a file that comes or goes in
    the directory does not.
    """
    try:
        if os.lstat(os.path.join(root, path)).st_ctime >= since:
            return True
        above = (os.path.join(root, each) for each in _directories(path))
        times = [os.lstat(each) for each in above]
    except OSError:
        return True
    return any(each.st_ctime >= since > each.st_mtime for each in times)


def is_below_link(root: str, path: str) -> bool:
    """Tell whether a link stands in the place of a directory above a file, so that it is gone."""
    return any(os.path.islink(os.path.join(root, each)) for each in _directories(path))


def is_directory(root: str, path: str) -> bool:
    """Tell whether a directory stands in the place of a file; a repository ends with a slash."""
    place = os.path.join(root, path)
    return not path.endswith("/") and os.path.isdir(place) and not os.path.islink(place)


def _directories(path: str) -> list[str]:
    """Return the directories above a file, below the root."""
    names = path.rstrip("/").split("/")[:-1]
    return ["/".join(names[: count + 1]) for count in range(len(names))]


def listed(root: str, path: str, limit: int) -> ListedFile | None:
    """Return why a file is not kept, None for one that is, or that is gone."""
    place = os.path.join(root, path)
    try:
        status = os.lstat(place)
    except OSError:
        return ListedFile(path, SECRET) if is_secret(path) else None
    why = _reason(path, status, limit)
    if not why and stat.S_ISREG(status.st_mode) and not os.access(place, os.R_OK):
        why = UNREADABLE
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
    if re.search(_UNWRITABLE, path):
        return NAME
    return LARGE if status.st_size > limit else ""


# Forms of secrets, each with words of which a text that has it has one, for most have none.
_NAMED = ("token", "secret", "pass", "pwd", "key", "auth")
_SAID = (
    # NAME=value where the name says what it is, in a command or before one.
    (
        _NAMED,
        (
            r"(?i)\b([\w-]*(?:token|secret|passw(?:or)?d|passwd|pwd|api[_-]?key|access[_-]?key|auth)"
            r"[\w-]*\s*[=:]\s*)(?!bearer\b|basic\b)(\"[^\"]*\"|'[^']*'|\S+)"
        ),
    ),
    (
        _NAMED,
        r"(?i)(--?(?:[\w-]*(?:token|secret|passw(?:or)?d|api-?key))\s+)(\"[^\"]*\"|'[^']*'|\S+)",
    ),
    (("bearer", "bas"), r"(?i)(\b(?:bearer|basic)\s+)([\w.+/=~-]{8,})"),
    (("://",), r"(://[^/\s:@]*:)([^/\s@]+)(?=@)"),
    (
        ("k-", "gh", "github_pat", "xox", "akia", "aiza", "eyj"),
        (
            r"()\b((?:sk|pk|rk)-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}"
            r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)"
        ),
    ),
)
REDACTED = "[redacted]"


def redacted(text: str) -> str:
    """Return a command or a prompt without the secrets that it spells, as far as forms tell."""
    folded = text.casefold()
    for words, pattern in _SAID:
        if any(word in folded for word in words):
            text = re.sub(pattern, rf"\1{REDACTED}", text)
    return text
