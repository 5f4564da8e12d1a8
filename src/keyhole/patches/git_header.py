"""The lines git writes above the hunks of a file: its names, where it came from, its mode."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keyhole.edits.model.hunk import Hunk
from keyhole.fastclasses import dataclass, field
from keyhole.patches.common import bad_patch, path_of

_FILE_MODES = {"100644": False, "100664": False, "100755": True}
_NAMES = {
    "rename from ": "renamed_from",
    "rename to ": "renamed_to",
    "copy from ": "copied_from",
    "copy to ": "copied_to",
}
_MODES = ("new file mode ", "deleted file mode ", "new mode ", "old mode ")
_BINARY = {
    "GIT binary patch": "a binary patch",
    "Binary files ": "a patch of binary files",
    "Prereq:": "a patch with a prerequisite",
}
_NOWHERE = "/dev/null"
_INDEX = re.compile(r"index [0-9a-f]+\.\.[0-9a-f]+ (\d{6})$")
_QUOTED = re.compile(r'"(?:[^"\\]++|\\.)*+"')


@dataclass(slots=True)
class Section:
    """What a patch says of one file, as it is read."""

    old: str = ""
    new: str = ""
    # The date in the header says that there is no such file.
    no_old: bool = False
    no_new: bool = False
    renamed_from: str = ""
    renamed_to: str = ""
    copied_from: str = ""
    copied_to: str = ""
    # Whether the file shall be a program; None where the patch does not say.
    executable: bool | None = None
    creates: bool = False
    deletes: bool = False
    # Git takes the file for a new one that has the old one's name.
    rewrites: bool = False
    was_program: bool = False
    # What else a plain header may mean; the first name that is there is the file's.
    names: tuple[str, ...] = ()
    # How many directories git put before the names: `a/` and `b/`, or none.
    strip: int | None = None
    # A mail or a commit begins with it: it follows all sections before.
    follows: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def says_something(self) -> bool:
        """Tell whether the section asks for anything, with hunks or without."""
        whole = self.creates or self.deletes or self.renamed_to or self.copied_to
        return bool(self.hunks or whole or self.executable is not None)


def is_of(section: Section, *headers: str) -> bool:
    """Tell whether the names of a plain header are those of a section that git began."""
    names = {section.old, section.new, section.renamed_from, section.renamed_to}
    names |= {section.copied_from, section.copied_to}
    written = {path_of(header[4:], prefixed=False) for header in headers}
    given = written | {stripped(name, 1) for name in written}
    return names == {""} or not names.isdisjoint(given)


def section_of(line: str, *, follows: bool) -> Section:
    """Begin the section of a `diff --git` line, which names the file where nothing else does."""
    names = list(_names(line.removeprefix("diff --git ").rstrip("\r")))
    if len(names) != 2:
        return Section(follows=follows)
    first, second = (path_of(name, prefixed=False) for name in names)
    strip = 0 if first == second else 1
    old, new = (stripped(name, strip) for name in (first, second))
    return Section(old, new, strip=strip, follows=follows)


def stripped(name: str, count: int) -> str:
    """Return a name without its first directory, if it shall go and there is one."""
    return name.partition("/")[2] or name if count else name


def _names(both: str) -> Iterator[str]:
    """Yield the two names; without quotes only those can be told apart that end equally."""
    if '"' not in both:
        half = len(both) // 2
        first, second = both[:half], both[half + 1 :]
        is_one_name = first == second or _tail(first) == _tail(second) != ""
        if both[half : half + 1] == " " and is_one_name:
            yield from (first, second)
        return
    first_quoted = _QUOTED.match(both)
    if first_quoted:
        yield first_quoted[0]
        yield both[first_quoted.end() + 1 :]
    elif second_quoted := _QUOTED.search(both):
        yield both[: second_quoted.start() - 1]
        yield second_quoted[0]


def _tail(name: str) -> str:
    return name.partition("/")[2]


def name_files(section: Section, old: str, new: str) -> None:
    """Take in the two names of a plain header: `---` and `+++`."""
    if section.strip is not None:
        section.old, section.new = (_named(name, section.strip) for name in (old, new))
        return
    section.old, section.new = path_of(old), path_of(new)
    first, second = path_of(old, prefixed=False), path_of(new, prefixed=False)
    tail = _tail(first)
    has_prefix = (section.old, section.new) != (first, second)
    if first == second or has_prefix or _NOWHERE in {first, second}:
        return
    if tail and tail == _tail(second):
        # Two directories were compared: what is patched stands in one, or is one of them.
        section.names = (tail, second, first)
        section.old = section.new = tail
        return
    section.names = tuple(sorted((first, second), key=_plainness))


def _named(written: str, strip: int) -> str:
    name = path_of(written, prefixed=False)
    return name if name == _NOWHERE else stripped(name, strip)


def _plainness(name: str) -> tuple[int, int, int]:
    """Return what GNU `patch` prefers a name by: few directories, then a short name."""
    return name.count("/"), len(name.rpartition("/")[2]), len(name)


def refuse_forbidden(line: str, at: int) -> None:
    """Refuse what no patch may ask for."""
    for start, what in _BINARY.items():
        if line.startswith(start):
            raise bad_patch(f"line {at + 1} makes this {what}", "only text changes are applied")


def read_header(section: Section, line: str) -> None:
    """Take in one of git's header lines; any other says nothing."""
    for start, name in _NAMES.items():
        if line.startswith(start):
            setattr(section, name, path_of(line[len(start) :], prefixed=False))
    for start in _MODES:
        if line.startswith(start):
            _read_mode(section, start, line[len(start) :].strip())
    if line.startswith("dissimilarity index "):
        section.rewrites = True
    elif mode := _INDEX.match(line.rstrip("\r")):
        section.was_program = _FILE_MODES.get(mode[1], False)


def _read_mode(section: Section, start: str, mode: str) -> None:
    if mode not in _FILE_MODES:
        headline = f"mode {mode[:20]} is not that of a file"
        raise bad_patch(headline, "a patch makes files with mode 100644 or 100755, and no links")
    section.creates |= start == "new file mode "
    section.deletes |= start == "deleted file mode "
    if start in {"new file mode ", "new mode "}:
        section.executable = _FILE_MODES[mode]
