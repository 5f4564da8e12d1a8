"""A file and its template: header, schema, blocks; a damaged header is no error."""

from __future__ import annotations

from keyhole.fastclasses import dataclass
from keyhole.refusals import Refused
from keyhole.segments.registry import outline
from keyhole.segments.template_skeleton import DetectedTemplate
from keyhole.segments.templates import find_blocks
from keyhole.templates.header import TemplateHeader, read
from keyhole.templates.library import Library, ListedTemplate
from keyhole.templates.schema import Schema
from keyhole.text.document import Document


@dataclass(frozen=True, slots=True)
class ExaminedFile:
    """A file's header and template; without `schema` the template is unknown."""

    header: TemplateHeader
    schema: Schema | None = None
    detected: DetectedTemplate | None = None
    warnings: tuple[str, ...] = ()


def examine(library: Library, path: str, document: Document) -> ExaminedFile | None:
    """Return the header and template of a file, None if it has no header."""
    header = read(document.text)
    if header is None:
        return None
    if header.problem:
        return ExaminedFile(header, warnings=(f"the scaffold header is damaged: {header.problem}",))
    try:
        listed = library.find(header.template)
    except Refused:
        missing = f"there is no template `{header.template}` here; its blocks are not known"
        return ExaminedFile(header, warnings=(missing,))
    return _with_template(library, listed, header, path, document)


def known_header(library: Library, document: Document) -> TemplateHeader | None:
    """Return the header of a file if its template is known."""
    header = read(document.text)
    if header is None or header.problem:
        return None
    return header if any(each.id == header.template for each in library.listed()) else None


def _with_template(
    library: Library, listed: ListedTemplate, header: TemplateHeader, path: str, document: Document
) -> ExaminedFile:
    from keyhole.templates.chain import Chain, UnreadableError, chain_of
    from keyhole.templates.introspect import schema_of
    from keyhole.templates.skeleton import skeleton_of

    try:
        schema = schema_of(library, listed)
        chain: Chain = chain_of(library, listed.name)
        skeleton = skeleton_of(chain)
    except UnreadableError:
        unreadable = f"template `{header.template}` cannot be read; its blocks are not known"
        return ExaminedFile(header, warnings=(unreadable,))
    warnings: tuple[str, ...] = ()
    if header.version.lower() != schema.version:
        made = header.version or "no version"
        warnings = (f"made with {listed.id} {made}; the template is now {schema.version}",)
    blocks = find_blocks(skeleton, document, outline(path, document), header.span)
    detected = DetectedTemplate(listed.id, header.version, blocks, warnings)
    return ExaminedFile(header, schema, detected, warnings)
