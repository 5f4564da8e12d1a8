"""Answers about templates: the schema of a file, and the templates there are; data and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keyhole.answers.form import form_text
from keyhole.answers.reading import SegmentRow
from keyhole.fastclasses import dataclass, field
from keyhole.phrases import render
from keyhole.templates.schema import Schema


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One block of a template as it lies in a file."""

    name: str
    type: str
    lines: tuple[int, int]
    title: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the block as data."""
        return {
            "name": self.name,
            "type": self.type,
            "lines": list(self.lines),
            "title": self.title,
        }


@dataclass(frozen=True, slots=True)
class FileSchema:
    """What a file is made of and how it can be edited, whether it saw a template or not."""

    path: str
    hash: str
    language: str
    template_id: str = ""
    template_version: str = ""
    schema: Schema | None = None
    blocks: tuple[BlockRow, ...] = ()
    segments: tuple[SegmentRow, ...] = ()
    header: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    unreadable: tuple[tuple[int, int], ...] = ()
    # Why nothing in it can be edited, if so.
    flaw: str = ""

    @property
    def file_type(self) -> str:
        """Return whether the file came from a template."""
        return "scaffolded" if self.template_id else "non-scaffolded"

    @property
    def capabilities(self) -> dict[str, object]:
        """Return what can be edited how: names for each kind of segment, then what always works."""
        found: dict[str, list[str]] = {}
        if self.blocks:
            found["template_block"] = [block.name for block in self.blocks]
        named = ((_type(row.kind, self.language), row.address) for row in self.segments)
        for type_, address in named:
            if type_:
                found.setdefault(type_, []).append(address)
        ways = dict.fromkeys(("text", "lines", "patch"), not self.flaw)
        return {"segments": found, **ways}

    def as_data(self) -> dict[str, object]:
        """Return the JSON object that `query_file_schema` answers with."""
        known = self.schema
        names = known.names if known else {"required": [], "optional": []}
        return {
            "path": self.path,
            "hash": self.hash,
            "file_type": self.file_type,
            "language": self.language,
            "template_id": self.template_id or None,
            "template_version": self.template_version or None,
            "header": dict(self.header),
            "structure": {
                "blocks": [block.as_data() for block in self.blocks],
                "sections": list(known.sections) if known else [],
                "lists": list(known.lists) if known else [],
                "segments": [row.as_data() for row in self.segments],
                "unreadable": [list(lines) for lines in self.unreadable],
                **({"flaw": self.flaw} if self.flaw else {}),
            },
            # As the refusal of a scaffold has them.
            "artifact_type": self.template_id or None,
            "schema": names,
            "template_schema": names,
            "variables": known.details if known else {},
            "edit_capabilities": self.capabilities,
            "warnings": list(self.warnings),
        }

    def as_text(self) -> str:
        """Return the same for reading."""
        return "\n".join(self._rows())

    def _rows(self) -> Iterator[str]:
        flaw = form_text({"flaw": self.flaw} if self.flaw else {})
        yield f"{self.path} {self.hash} {self.language}, {self.file_type}{flaw}"
        if self.template_id:
            yield f"template {self.template_id} {self.template_version}".rstrip()
        if self.schema:
            yield f"required: {', '.join(self.schema.required) or 'none'}"
            yield f"optional: {', '.join(self.schema.optional) or 'none'}"
        for block in self.blocks:
            title = f" ({block.title})" if block.title else ""
            first, last = block.lines
            yield f"  block {block.name}{title}  {block.type} {first}-{last}"
        for row in self.segments:
            yield f"  {row.address}  {row.kind} {row.lines[0]}-{row.lines[1]}"
        yield from (f"  lines {first}-{last} could not be read" for first, last in self.unreadable)
        yield from (f"warning: {render(warning)}" for warning in self.warnings)


def _type(kind: str, language: str) -> str:
    """Return the type of segment that a kind is edited as, "" if it is edited by its lines."""
    if language == "markdown" and kind == "section":
        return "markdown_section"
    if language == "python" and kind in {"function", "method", "class"}:
        return f"python_{kind}"
    return ""


@dataclass(frozen=True, slots=True)
class TemplateList:
    """The templates that files can be made from."""

    templates: tuple[Schema, ...]

    def as_data(self) -> dict[str, object]:
        """Return what each template asks for; of a single one, everything."""
        if len(self.templates) == 1:
            return {"ok": True, "templates": [self.templates[0].as_data()]}
        return {"ok": True, "templates": [_briefly(each) for each in self.templates]}

    def as_text(self, detail: str = "brief") -> str:
        """Return a line for each template; of a single one, everything."""
        if len(self.templates) == 1:
            more = _outlined(self.templates[0]) if detail == "lean" else ()
            return "\n".join([*_explained(self.templates[0]), *more])
        rows = [f"{each.id}  {each.purpose}".rstrip() for each in self.templates]
        return "\n".join(rows) or "there are no templates"


def _briefly(schema: Schema) -> dict[str, object]:
    data: dict[str, object] = {
        "template": schema.id,
        "version": schema.version,
        "format": schema.format,
        "purpose": schema.purpose,
        "schema": schema.names,
    }
    return {**data, "warnings": list(schema.warnings)} if schema.warnings else data


def _outlined(schema: Schema) -> Iterator[str]:
    known = {"format": (schema.format,), "sections": schema.sections, "lists": schema.lists}
    yield from (f"{name}: {', '.join(rows)}" for name, rows in known.items() if any(rows))


def _explained(schema: Schema) -> Iterator[str]:
    yield f"{schema.id} {schema.version}  {schema.purpose}".rstrip()
    if schema.tiers:
        yield f"tiers: {' <- '.join(schema.tiers)}"
    yield f"blocks: {', '.join(schema.blocks) or 'none'}"
    for name in (*schema.required, *schema.optional):
        each = schema.variables[name]
        needed = "required" if each.required else "optional"
        default = f", default {each.default!r}" if each.has_default else ""
        parts = f", with {', '.join(each.parts)}" if each.parts else ""
        about = f": {each.description}" if each.description else ""
        yield f"  {name}  {each.type}, {needed}{default}{parts}{about}"
    yield from (f"hint: {hint}" for hint in schema.hints)
    yield from (f"warning: {render(warning)}" for warning in schema.warnings)
