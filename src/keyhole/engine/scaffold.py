"""New files from templates: their text, the schema of a file, the templates there are."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.answers.template import BlockRow, FileSchema, TemplateList
from keyhole.edits.model.operations import WriteFile
from keyhole.engine.reading import Shape
from keyhole.engine.reading import outline as outline_file
from keyhole.engine.template_facts import examined, library_of, now
from keyhole.fastclasses import dataclass, field, replace
from keyhole.refusals import Refused
from keyhole.templates.files import ExaminedFile
from keyhole.templates.render import RenderRequest, scaffold, schema_or_refuse
from keyhole.templates.schema import Schema
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A file to be made: from which template, where, with which variables."""

    template: str
    path: str
    variables: Mapping[str, object] = field(default_factory=dict)


def written(tree: Tree, wanted: Scaffold) -> WriteFile:
    """Return the write that makes a new file from its template, or refuse."""
    order = RenderRequest(wanted.template, tree.resolve(wanted.path), wanted.variables, now())
    reason = f"from template {wanted.template}"
    return WriteFile(wanted.path, scaffold(library_of(tree), order), reason=reason)


def listed(tree: Tree, template: str = "") -> TemplateList:
    """Return the templates there are, or the one that is named; those Jinja cannot read too."""
    library = library_of(tree)
    found = (library.find(template),) if template else library.listed()
    schemas = []
    for each in found:
        try:
            schemas.append(schema_or_refuse(library, each))
        except Refused as refused:
            headline = refused.refusals[0].headline
            schemas.append(
                Schema(each.id, "", each.format, each.metadata.purpose, warnings=(headline,))
            )
    return TemplateList(tuple(schemas))


def file_schema(tree: Tree, path: str, document: Document) -> FileSchema:
    """Return what a file is made of and how it can be edited."""
    found = examined(tree, path, document)
    shown = outline_file(document, path, Shape(), None)
    base = FileSchema(
        path,
        document.hash,
        shown.language,
        segments=shown.rows,
        unreadable=shown.unreadable,
        flaw=document.flaw,
    )
    return _with_template(base, found, document) if found else base


def _with_template(base: FileSchema, found: ExaminedFile, document: Document) -> FileSchema:
    header = found.header
    is_sound = not header.problem
    blocks = found.detected.blocks if found.detected else ()
    return replace(
        base,
        template_id=header.template if is_sound else "",
        template_version=header.version if is_sound else "",
        schema=found.schema,
        blocks=tuple(
            BlockRow(each.name, each.type, document.lines_of(each.span), each.title)
            for each in blocks
        ),
        header={"created": header.created, "updated": header.updated, "path": header.path},
        warnings=found.warnings,
    )
