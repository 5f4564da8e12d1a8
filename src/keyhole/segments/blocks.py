"""The blocks of a template as they lie in a file, and what is known of the file's template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from keyhole.segments.outline import Outline, Segment, Span
from keyhole.values import dataclass, replace

TEMPLATE_BLOCK = "template_block"


@dataclass(frozen=True, slots=True)
class TemplateBlock:
    """A block of the template as it lies in a file, in offsets; `title` is its heading."""

    name: str
    type: str
    span: Span
    title: str = ""
    indent: str = ""
    parts: Mapping[str, Span] | None = None

    @property
    def segment(self) -> Segment:
        """The block as something that can be edited by name."""
        name, parts = self.name, self.parts or {}
        return Segment(name, TEMPLATE_BLOCK, self.span, parts, self.indent, "", name, (name,))


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file's template makes of it: which it is, the blocks that are certain, warnings."""

    template: str
    version: str
    blocks: tuple[TemplateBlock, ...] = ()
    warnings: tuple[str, ...] = ()

    def find(self, address: str) -> TemplateBlock | None:
        """Return the block that an address names: by its name, or by its title."""
        wanted = address.strip().removeprefix("block:").strip()
        for spelling in (_name_of, _title_of):
            found = [block for block in self.blocks if spelling(block) == wanted]
            if len(found) == 1:
                return found[0]
        return None


def _name_of(block: TemplateBlock) -> str:
    return block.name


def _title_of(block: TemplateBlock) -> str:
    return block.title or block.name


def with_blocks(outline: Outline, blocks: Sequence[TemplateBlock]) -> Outline:
    """Return an outline with the blocks of the file's template behind its segments.

    A name that a block and a segment have means the block; the segment is the first of its name.
    """
    names = {block.name for block in blocks}
    own = tuple(
        replace(each, address=f"{each.address}#1") if each.address in names else each
        for each in outline.segments
    )
    return replace(outline, segments=(*own, *(block.segment for block in blocks)))


def apart(blocks: Sequence[TemplateBlock]) -> Iterator[TemplateBlock]:
    """Yield the blocks that cross no other, and whose name no other has."""
    names = Counter(block.name for block in blocks)
    for block in blocks:
        crossed = any(_cross(block.span, other.span) for other in blocks)
        if not crossed and names[block.name] == 1:
            yield block


def _cross(one: Span, other: Span) -> bool:
    first, second = sorted((one, other))
    return first[0] < second[0] < first[1] < second[1]
