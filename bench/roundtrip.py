"""Every segment replaced by its own text, taken to column 0: not a byte of the file may change.

python -m bench.roundtrip              the standard library, and other languages in packages
python -m bench.roundtrip PATH...      these files, or every file below these directories
"""

from __future__ import annotations

import sys
import sysconfig
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from keyhole.edits.by_name.named import place_segment
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.refusals import Refused
from keyhole.segments.outline import Segment
from keyhole.text.document import Document

_LARGEST = 400_000
_SHOWN = 20


def by_prefix(text: str, indent: str) -> str:
    """Take the segment's indent off each line that has it."""
    return "\n".join(line.removeprefix(indent) for line in text.split("\n"))


def by_margin(text: str, _: str) -> str:
    """Take off what all lines have in common, as `textwrap.dedent` does."""
    return textwrap.dedent(text)


DEDENTS: tuple[Callable[[str, str], str], ...] = (by_prefix, by_margin)


def main(arguments: list[str]) -> int:
    """Make the round trips, print what differs and how many there were."""
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    for path in files(list(map(Path, arguments))) if arguments else installed():
        target = Target(path.name, Document.from_bytes(path.read_bytes()))
        if not target.document.is_binary:
            differing = list(differences(target, counted))
            wrong += [f"{path}: {each}" for each in differing]
    print("\n".join(wrong[:_SHOWN]))
    for language, number in counted.most_common():
        print(f"{language:<12}{number:>9} round trips")
    print(f"{counted.total()} round trips, {len(wrong)} differences")
    return 1 if wrong or not counted else 0


def installed() -> Iterator[Path]:
    """Yield the Python of the standard library, and files of other languages from packages."""
    paths = sysconfig.get_paths()
    library, packages = Path(paths["stdlib"]), Path(paths["purelib"])
    for path in files([library]):
        if path.suffix == ".py" and "site-packages" not in path.relative_to(library).parts:
            yield path
    yield from (path for path in files([packages]) if path.suffix not in {".py", ".pyi"})


def files(roots: list[Path]) -> Iterator[Path]:
    """Yield the files below directories; those that no person wrote are too large."""
    for root in roots:
        below = sorted(root.rglob("*")) if root.is_dir() else [root]
        yield from (path for path in below if path.is_file() and path.stat().st_size < _LARGEST)


def differences(target: Target, counted: Counter[str]) -> Iterator[str]:
    """Yield the address of each segment whose own text, dedented, would change its file."""
    for segment in target.outline.segments:
        text = own_text(target, segment)
        for dedent in DEDENTS if _has_own_lines(target, segment) else (by_margin,):
            counted[target.outline.language] += 1
            if what := difference(target, segment, dedent(text, segment.indent)):
                yield f"{segment.address} {dedent.__name__}: {what}"


def own_text(target: Target, segment: Segment) -> str:
    """Return the text of a segment as an agent sees it."""
    start, end = map(target.view.flat_offset, segment.span)
    return target.view.flat[start:end].removesuffix("\n")


def _has_own_lines(target: Target, segment: Segment) -> bool:
    start = target.view.flat_offset(segment.span[0])
    return start == 0 or target.view.flat[start - 1] == "\n"


def difference(target: Target, segment: Segment, content: str) -> str:
    """Return what replacing a segment by `content` would change, "" if nothing."""
    try:
        placed = place_segment(Edit(segment=segment.address, content=content), target)
    except Refused as refused:
        return str(refused)
    return ", ".join(f"{change.text!r} at {change.start}" for change in placed.changes[:2])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
