"""The corpus of templates: Markdown that shows a template and says what it asks for.

A case is `## title`, then fenced blocks `jinja NAME` (the first is the template, the others are
what it extends, includes or imports), then lines `required:`, `optional:` and, where the values of
required variables are no plain text, `given:` with JSON. `static: true` says that Jinja alone would
not miss the required variable.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from keyhole.templates.library import Library, ListedTemplate

FOLDER = Path(__file__).parent.parent / "cases" / "templates"
_FENCE = re.compile(r"```jinja (\S+)")
_SAID = re.compile(r"(required|optional|given|static):(.*)")


@dataclass(frozen=True)
class Shelf:
    """Templates in memory."""

    texts: Mapping[str, str]

    def names(self) -> Sequence[str]:
        return tuple(self.texts)

    def read(self, name: str) -> str | None:
        return self.texts.get(name)


@dataclass(frozen=True)
class Case:
    """A template with everything it needs, and the truth about its variables."""

    file: str
    title: str
    name: str
    texts: Mapping[str, str]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    given: Mapping[str, object]
    static: bool = False

    @property
    def library(self) -> Library:
        return Library((Shelf(self.texts),))

    @property
    def listed(self) -> ListedTemplate:
        return next(each for each in self.library.listed() if each.name == self.name)

    @property
    def values(self) -> dict[str, object]:
        """What the required variables may be, and what the case gives besides."""
        return {**{name: f"some {name}" for name in self.required}, **self.given}


def cases() -> list[Case]:
    """Read the whole corpus."""
    return [case for file in sorted(FOLDER.glob("*.md")) for case in _cases(file)]


def _cases(file: Path) -> Iterator[Case]:
    title, texts, said, inside = "", dict[str, str](), dict[str, str](), ""
    for line in [*file.read_text(encoding="utf-8").split("\n"), "## "]:
        if inside:
            if line == "```":
                inside = ""
            else:
                texts[inside] += f"{line}\n"
        elif fence := _FENCE.fullmatch(line):
            inside = fence[1]
            texts[inside] = ""
        elif line.startswith("## "):
            if title:
                yield _case(file.stem, title, texts, said)
            title, texts, said = line.removeprefix("## "), {}, {}
        elif found := _SAID.fullmatch(line):
            said[found[1]] = found[2].strip()


def _case(file: str, title: str, texts: dict[str, str], said: Mapping[str, str]) -> Case:
    assert {"required", "optional"} <= said.keys(), f"{file}: {title}"
    return Case(
        file,
        title,
        next(iter(texts)),
        texts,
        _names(said["required"]),
        _names(said["optional"]),
        json.loads(said.get("given", "{}")),
        "static" in said,
    )


def _names(said: str) -> tuple[str, ...]:
    return tuple(sorted(name.strip() for name in said.split(",") if name.strip()))
