"""The library of templates: those of the user's directories, then the built-in set."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from keyhole.fastclasses import dataclass
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.templates import header
from keyhole.templates.header import CONCRETE, TemplateMetadata

_ENDING = re.compile(r"(?P<stem>[^/]+?)(?:\.(?P<format>\w+))?\.(?:jinja2|jinja|j2)")
_NO_ID = re.compile(r"[^a-z0-9_-]+")
_MOST_NAMES = 40


class Shelf(Protocol):
    """Somewhere templates are kept, each under a name such as `tier2/python.jinja2`."""

    def names(self) -> Sequence[str]:
        """Return the names of the templates."""

    def read(self, name: str) -> str | None:
        """Return the text of a template, or None where there is none of that name."""


class BuiltIn:
    """The templates that come with the package."""

    place = Path(__file__).with_name("builtin")

    @cached_property
    def texts(self) -> dict[str, str]:
        """Every built-in template under its name."""
        files = sorted(self.place.rglob("*.jinja2"))
        return {
            file.relative_to(self.place).as_posix(): file.read_text(encoding="utf-8")
            for file in files
        }

    def names(self) -> Sequence[str]:
        """Return the names of the built-in templates."""
        return tuple(self.texts)

    def read(self, name: str) -> str | None:
        """Return one of them."""
        return self.texts.get(name)


_BUILT_IN = BuiltIn()


@dataclass(frozen=True, slots=True)
class ListedTemplate:
    """A template that files can be made from: its id, its name on the shelf, its metadata."""

    id: str
    name: str
    format: str
    metadata: TemplateMetadata


@dataclass(frozen=True, slots=True)
class Library:
    """All templates; what stands on an earlier shelf hides its namesake on a later one."""

    shelves: tuple[Shelf, ...] = ()

    def source(self, name: str) -> str | None:
        """Return the text of a template by its name on the shelf."""
        for shelf in (*self.shelves, _BUILT_IN):
            text = shelf.read(name)
            if text is not None:
                return text
        return None

    def listed(self) -> tuple[ListedTemplate, ...]:
        """Return the templates that files can be made from, by their ids."""
        found: dict[str, ListedTemplate] = {}
        for each in self._all():
            if each.metadata.tier >= CONCRETE:
                found.setdefault(each.id, each)
        return tuple(sorted(found.values(), key=lambda each: each.id))

    def _all(self) -> Iterator[ListedTemplate]:
        for shelf in (*self.shelves, _BUILT_IN):
            for name in shelf.names():
                file = name.rpartition("/")[2]
                parts = _ENDING.fullmatch(file)
                text = shelf.read(name) if parts and not file.startswith("_") else None
                if parts and text is not None:
                    metadata = _metadata(text)
                    own = _NO_ID.sub("-", (metadata.id or parts["stem"]).lower())
                    yield ListedTemplate(own, name, parts["format"] or "", metadata)

    def find(self, template: str) -> ListedTemplate:
        """Return the template with an id, or refuse with those there are."""
        wanted = template.strip()
        listed = self.listed()
        for each in listed:
            if wanted in {each.id, each.name}:
                return each
        ids = tuple(each.id for each in listed)
        raise Refused(
            Refusal(
                "template-unknown",
                f"there is no template `{wanted[:80]}`",
                where=f"there are {len(ids)}: {', '.join(ids[:_MOST_NAMES])}",
                help=say("name one of these; {templates:tool} explains them"),
                suggestions=_near(wanted, ids),
            )
        )


def _near(wanted: str, ids: tuple[str, ...]) -> tuple[str, ...]:
    from keyhole.segments.names import nearest_names

    return nearest_names(wanted, ids, 5)


_metadata = lru_cache(maxsize=512)(header.read_metadata)


def version_of(sources: Sequence[tuple[str, str]]) -> str:
    """Return the version of a chain: the first 8 hex digits of the SHA-256 over its templates."""
    digest = hashlib.sha256()
    for name, source in sources:
        body = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
        digest.update(f"{name}@{body}|".encode())
    return digest.hexdigest()[:8]
