"""SegmentEdit: an edit of a named section, function, method, class or template block."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.arguments import bad_argument, check_names, required, text
from keyhole.edits.operations import Edit
from keyhole.refusals import Refused
from keyhole.values import dataclass

# What each type is called here, and the language its file must be in. A template block is whatever
# part of the file bears the name: where no template tells, another detector may place the edit.
TYPES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "markdown_section": (("section", "preamble"), "markdown"),
    "python_function": (("function",), "python"),
    "python_method": (("method",), "python"),
    "python_class": (("class",), "python"),
    "template_block": (("template_block",), ""),
}
STRATEGIES = ("auto", "preserve_agent", "explicit")
_NAMES = (
    "segment_type",
    "segment_name",
    "new_content",
    "indentation_strategy",
    "explicit_indent",
)
_MOST_COLUMNS = 1000


@dataclass(frozen=True, slots=True)
class SegmentEdit:
    r"""Replace a whole segment, its heading or first line included.

    >>> SegmentEdit.edit_method("Worker.process", "def process(self):\n    return 1")
    """

    segment_type: str
    segment_name: str
    new_content: str
    indentation_strategy: str = "auto"
    explicit_indent: int | None = None

    def __post_init__(self) -> None:
        """Refuse what names no segment, brings no text, or says two things about indentation."""
        strategy = str(self.indentation_strategy).lower()
        object.__setattr__(self, "indentation_strategy", strategy)
        _check_choice("segment_type", self.segment_type, tuple(TYPES))
        _check_choice("indentation_strategy", self.indentation_strategy, STRATEGIES)
        for name in ("segment_name", "new_content"):
            if not getattr(self, name).strip():
                move = "segments are replaced, not deleted: delete by line_edits"
                why = move if name == "new_content" else "name the segment"
                raise Refused(bad_argument(name, f"`{name}` is empty", why))
        self._check_indent()

    def _check_indent(self) -> None:
        name, indent = "explicit_indent", self.explicit_indent
        if self.indentation_strategy != "explicit":
            if indent is not None:
                headline = "`explicit_indent` is given, and indentation_strategy is not explicit"
                raise Refused(bad_argument(name, headline, "leave it out, or say explicit"))
            return
        if indent is None:
            headline = "explicit_indent required when indentation_strategy=EXPLICIT"
            raise Refused(bad_argument(name, headline, "give a number of spaces"))
        if type(indent) is not int or not 0 <= indent <= _MOST_COLUMNS:
            headline = f"`explicit_indent` is {indent}; it is a number of spaces from 0"
            raise Refused(bad_argument(name, headline))

    @staticmethod
    def of(data: object) -> SegmentEdit:
        """Make one of a JSON object, or take one that is made already."""
        if isinstance(data, SegmentEdit):
            return data
        if not isinstance(data, Mapping):
            raise Refused(bad_argument("segment_edit", "`segment_edit` is not an object"))
        check_names(data, _NAMES, "segment_edit")
        strategy = text(data, "indentation_strategy") or "auto"
        return SegmentEdit(
            required(data, "segment_type"),
            required(data, "segment_name"),
            required(data, "new_content"),
            strategy,
            data.get("explicit_indent"),
        )

    @staticmethod
    def edit_section(section: str, content: str) -> SegmentEdit:
        """Replace a section of a Markdown file."""
        return SegmentEdit("markdown_section", section, content)

    @staticmethod
    def edit_function(function: str, content: str) -> SegmentEdit:
        """Replace a Python function."""
        return SegmentEdit("python_function", function, content)

    @staticmethod
    def edit_method(method: str, content: str) -> SegmentEdit:
        """Replace a method of a Python class: `Class.method`."""
        return SegmentEdit("python_method", method, content)

    @staticmethod
    def edit_class(name: str, content: str) -> SegmentEdit:
        """Replace a Python class."""
        return SegmentEdit("python_class", name, content)

    @staticmethod
    def edit_template_block(block: str, content: str) -> SegmentEdit:
        """Replace a block that a template gave a file."""
        return SegmentEdit("template_block", block, content)

    def as_edit(self, path: str = "") -> Edit:
        """Return the engine's own edit."""
        kinds, language = TYPES[self.segment_type]
        indents: dict[str, str | int] = {"auto": "auto", "preserve_agent": "keep"}
        return Edit(
            path=path,
            segment=self.segment_name,
            content=self.new_content,
            indent=indents.get(self.indentation_strategy, self.explicit_indent or 0),
            kinds=kinds,
            language=language,
        )


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        headline = f"`{name}` is {str(value)[:80]!r}; it is one of {', '.join(choices)}"
        raise Refused(bad_argument(name, headline))
