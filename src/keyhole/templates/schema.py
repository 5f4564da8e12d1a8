"""Schema: what a template asks for and what its files are made of, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from keyhole.fastclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a template: what is known of it without rendering anything."""

    name: str
    required: bool
    type: str = "any"
    description: str = ""
    default: object = None
    has_default: bool = False
    parts: tuple[str, ...] = ()
    # Whether the template itself says the type, or only its uses suggest it.
    is_told: bool = False

    def as_data(self) -> dict[str, object]:
        """Return what an agent needs to fill the variable in."""
        data: dict[str, object] = {"type": self.type, "required": self.required}
        if self.description:
            data["description"] = self.description
        if self.has_default:
            data["default"] = self.default
        if self.parts:
            data["parts"] = list(self.parts)
        return data


@dataclass(frozen=True, slots=True)
class Schema:
    """What a template asks for: its variables by name, its blocks, sections and lists in order."""

    id: str
    version: str
    format: str = ""
    purpose: str = ""
    hints: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    variables: Mapping[str, Variable] = field(default_factory=dict)
    blocks: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """Return the variables that must be given, sorted."""
        return tuple(sorted(name for name, each in self.variables.items() if each.required))

    @property
    def optional(self) -> tuple[str, ...]:
        """Return the variables that may be given, sorted."""
        return tuple(sorted(name for name, each in self.variables.items() if not each.required))

    @property
    def names(self) -> dict[str, object]:
        """Return the variables as every answer about a template lists them."""
        return {"required": list(self.required), "optional": list(self.optional)}

    @property
    def details(self) -> dict[str, object]:
        """Return what is known of each variable."""
        return {name: self.variables[name].as_data() for name in sorted(self.variables)}

    def checked(self, provided: Iterable[str], **wrong: object) -> dict[str, object]:
        """Return the schema beside what a call provided, as refusals and schemas of files do."""
        given = sorted(provided)
        missing = [name for name in self.required if name not in given]
        return {
            "artifact_type": self.id,
            "schema": self.names,
            "validation": {"missing": missing, "provided": given, **wrong},
            "variables": self.details,
        }

    def as_data(self) -> dict[str, object]:
        """Return the whole schema."""
        return {
            "template": self.id,
            "version": self.version,
            "format": self.format,
            "purpose": self.purpose,
            "hints": list(self.hints),
            "tiers": list(self.tiers),
            "schema": self.names,
            "variables": self.details,
            "blocks": list(self.blocks),
            "sections": list(self.sections),
            "lists": list(self.lists),
            "warnings": list(self.warnings),
        }
