"""An outline drawn as a tree, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keyhole.readings import Outlined, OutlinedTree, SegmentRow


def drawn(answer: Outlined | OutlinedTree) -> str:
    """Return the text of an outline with branches instead of blanks."""
    if isinstance(answer, Outlined):
        return "\n".join(_file(answer))
    return "\n".join([*(line for file in answer.files for line in _file(file)), *answer.tail()])


def _file(outlined: Outlined) -> Iterator[str]:
    yield f"{outlined.path} {outlined.hash} {outlined.language}"
    yield from outlined.template_rows()
    known = {row.address for row in outlined.rows}
    children: dict[str, list[SegmentRow]] = {}
    for row in outlined.rows:
        # A parent that was filtered out leaves its children at the top.
        children.setdefault(row.parent if row.parent in known else "", []).append(row)
    yield from _below("", "", children)
    for first, last in outlined.unreadable:
        yield f"  lines {first}-{last} could not be read"


def _below(parent: str, indent: str, children: Mapping[str, list[SegmentRow]]) -> Iterator[str]:
    rows = children.get(parent, [])
    for row in rows:
        last = row is rows[-1]
        start, end = row.lines
        branch = "└── " if last else "├── "
        yield f"{indent}{branch}{row.address}  {row.kind} {start}-{end}"
        yield from _below(row.address, indent + ("    " if last else "│   "), children)
