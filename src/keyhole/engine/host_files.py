"""Configuration files of hosts as they stand: format, text and keys."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.checks.syntax.table import problems
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A configuration file as it stands: its format, its text and its keys."""

    form: str
    text: str
    outline: Outline

    @staticmethod
    def of(path: str, form: str, document: Document) -> ConfigText:
        """Read a file of the format that its host reads."""
        return ConfigText(form, document.text, outline(path, document))

    def check(self) -> None:
        """Refuse a file that its host cannot read: nobody knows what is meant in it."""
        if line := self._unreadable():
            headline = f"the file is no {self.form.upper()} at line {line}"
            raise Refused(Refusal("unparsable", headline, help="mend the configuration file"))

    def _unreadable(self) -> int:
        """Return the first line that a strict reader of the format stops at, 0 if there is none.

        Readers of JSON let a key that is there twice pass.
        """
        if self.outline.unreadable or self.form == "json":
            return next((first for first, _ in self.outline.unreadable), 0)
        found = (each for each in problems(self.form, self.text) if not each.doubtful)
        first = min((each.start for each in found), default=-1)
        return 1 + self.text.count("\n", 0, first) if first >= 0 else 0

    def segment(self, keys: Sequence[str]) -> Segment | None:
        """Return what stands below keys, each to the character, or refuse if two do."""
        path = tuple(keys)
        found = [each for each in self.outline.segments if each.path == path]
        if len(found) > 1:
            headline = f"`{'.'.join(keys)}` stands {len(found)} times in the file"
            raise Refused(Refusal("ambiguous", headline, help="leave one of them in the file"))
        return found[0] if found else None

    def body(self, segment: Segment) -> str:
        """Return the value of a key as it is written."""
        start, end = segment.parts.get("body") or (segment.span[1], segment.span[1])
        return self.text[start:end].strip().rstrip(",").rstrip()

    def item(self, keys: Sequence[str], name: str) -> Segment | None:
        """Return the item of a list that has a name."""
        holder = self.segment(keys)
        for item in self.outline.children(holder.address) if holder else ():
            for child in self.outline.children(item.address):
                if child.name == "name" and self.body(child).strip("\"'") == name:
                    return item
        return None
