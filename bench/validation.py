"""Plant breakages and sound edits in files of many languages: how many are caught, how many pass.

    python -m bench.validation

The cases are tests/cases/validation/*.md. Each edit is made twice: in a sound file, and in one that
is already broken elsewhere. The command fails if a breakage is let through or a sound edit refused.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from keyhole import Document, Edit, Refused
from keyhole.edits.checks.validate import validate
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve

CASES = Path(__file__).parent.parent / "tests" / "cases" / "validation"

_TITLE = re.compile(r"# (?P<title>.+)\n")
_SOURCE = re.compile(
    r"^(?P<fence>`{3,})\w+ (?P<path>\S+)\n(?P<text>(?s:.*?))^(?P=fence)$", re.MULTILINE
)
_SPAN = r"(?P<{0}mark>`{{2,}})(?P<{0}>.+?)(?P={0}mark)(?!`)"
_ITEM = re.compile(
    r"^(?:- )?(?P<label>[^`\n]+?)(?: \((?P<code>[a-z-]+)\))?: "
    + _SPAN.format("old")
    + r" -> (?:nothing|"
    + _SPAN.format("new")
    + r")$",
    re.MULTILINE,
)
_SIGNS = str.maketrans({"⏎": "\n", "⇥": "\t", "␀": "\0", "␛": "\x1b", "␌": "\f"})


class Case(NamedTuple):
    """One planted edit: it must be refused with `code`, or pass if that is empty."""

    language: str
    label: str
    path: str
    text: str
    old: str
    new: str
    code: str
    is_broken_elsewhere: bool = False


def cases() -> Iterator[Case]:
    """Yield every case, in a sound file and in one that is broken elsewhere."""
    for file in sorted(CASES.glob("*.md")):
        yield from cases_of(file.read_text(encoding="utf-8"))


def cases_of(text: str) -> Iterator[Case]:
    """Yield the cases of one page."""
    title, source = _TITLE.match(text), _SOURCE.search(text)
    assert title, "a page has a title"
    assert source, "a page has a source"
    elsewhere, *items = _ITEM.finditer(text, source.end())
    sound = text.index("## Sound")
    broken = _replaced(source["text"], elsewhere)
    for item in items:
        code = (item["code"] or "syntax-broken") if item.start() < sound else ""
        old, new = _pair(item)
        made = Case(title["title"], item["label"], source["path"], source["text"], old, new, code)
        yield made
        yield made._replace(text=broken, is_broken_elsewhere=True)


def _pair(item: re.Match[str]) -> tuple[str, str]:
    return _plain(item, "old"), _plain(item, "new") if item["new"] else ""


def _plain(item: re.Match[str], name: str) -> str:
    """Return what a code span shows, without the blanks that keep a backtick off its marks."""
    text = item[name]
    is_padded = len(item[f"{name}mark"]) > 2
    return (text[1:-1] if is_padded else text).translate(_SIGNS)


def _replaced(text: str, item: re.Match[str]) -> str:
    old, new = _pair(item)
    assert text.count(old) == 1, f"{old!r} is not there once"
    return text.replace(old, new)


def answer(case: Case) -> str:
    """Carry a case out as far as the checks go, and return the code it is refused with, or ""."""
    document = Document.from_bytes(case.text.encode())
    edit = Edit(path=case.path, find=case.old, content=case.new, match="exact")
    plan = resolve([edit], Snapshot({case.path: document}))
    try:
        validate(plan, "strict", lambda _: True)
    except Refused as refused:
        return refused.refusals[0].code
    return ""


def main() -> int:
    """Run every case and print the table."""
    ran: Counter[tuple[str, bool, bool]] = Counter()
    held: Counter[tuple[str, bool, bool]] = Counter()
    for case in cases():
        key = case.language, case.is_broken_elsewhere, bool(case.code)
        given = answer(case)
        ran[key] += 1
        held[key] += given == case.code
        if given != case.code:
            where = "broken elsewhere" if case.is_broken_elsewhere else "sound"
            said = f"{given or 'let through'} instead of {case.code or 'letting it through'}"
            print(f"MISSED: {case.language} ({where}): {case.label}: {said}", file=sys.stderr)
    print(_table(ran, held))
    return 0 if ran == held and ran else 1


def _table(ran: Counter[tuple[str, bool, bool]], held: Counter[tuple[str, bool, bool]]) -> str:
    columns = [(False, True), (False, False), (True, True), (True, False)]
    heads = ("breaks caught", "sound passed", "breaks, broken", "sound, broken")
    lines = [f"{'language':<22}" + "".join(f"{head:>16}" for head in heads)]
    for language in dict.fromkeys(key[0] for key in ran):
        cells = (f"{held[language, *c]}/{ran[language, *c]}" for c in columns)
        lines.append(f"{language:<22}" + "".join(f"{cell:>16}" for cell in cells))
    sums = (
        f"{sum(n for key, n in held.items() if key[1:] == c)}"
        f"/{sum(n for key, n in ran.items() if key[1:] == c)}"
        for c in columns
    )
    languages = len({key[0] for key in ran})
    return "\n".join(
        [*lines, f"{languages} languages".ljust(22) + "".join(f"{s:>16}" for s in sums)]
    )


if __name__ == "__main__":
    sys.exit(main())
