"""The set `safe-edit`: `safe_edit_file` and `query_file_schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyhole import arguments
from keyhole.answers.reading import Outlined, Reading
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import WriteFile
from keyhole.edits.model.plan import TEMPLATE_FOUND
from keyhole.engine.facade import Engine
from keyhole.engine.reading import ReadRequest, Shape, outline
from keyhole.fastclasses import dataclass
from keyhole.phrases import kind_of, say
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.safe_edit import answers, requests
from keyhole.toolsets.safe_edit.requests import STRATEGIES, TYPES, SafeEditCall
from keyhole.toolsets.schemas import array, choice, flag, giving, string, taking, whole
from keyhole.toolsets.wording import at_home


def _safe_edit_file(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    asked = requests.asked(given)
    receipt = _carried_out(engine, asked, caller)
    if receipt.ok:
        return _answer({**answers.done(asked, receipt), **_placed_by(asked, receipt)})
    warned = answers.not_found(asked, receipt.refusals)
    if warned:
        return _answer(warned)
    return _answer(answers.refused(asked, receipt.refusals, _FileReader(engine, asked.path)))


def _placed_by(asked: SafeEditCall, receipt: Receipt) -> dict[str, object]:
    """Name what found the segment: the file's template, or the outline of its language."""
    if asked.way != "segment_edit":
        return {}
    file = receipt.files[0].plan
    assert file.after is not None, "BUG: an edit of a file leaves a file"
    found = outline(file.after, file.path, Shape()).language
    is_block = TEMPLATE_FOUND in map(kind_of, file.edits[0].notes)
    return {"detector": "template" if is_block else found}


def _carried_out(engine: Engine, asked: SafeEditCall, caller: Caller) -> Receipt:
    expected = _current(engine, asked.path) if asked.way == "content" else ""
    options = caller.options("safe_edit_file", mode=asked.mode, expected_hash=expected)
    (first, *_) = asked.operations
    if isinstance(first, WriteFile):
        return engine.write(first, options)
    return engine.edit(asked.operations, options)


def _current(engine: Engine, path: str) -> str:
    """Return the version that a whole new text replaces: the one there is at the call."""
    return engine.document(path).hash if engine.exists(path) else ""


@dataclass(frozen=True, slots=True)
class _FileReader:
    engine: Engine
    path: str

    def head(self) -> Reading | None:
        try:
            return self.engine.read(self.path, ReadRequest())
        except Refused:
            return None

    def names(self, kinds: Sequence[str]) -> list[str]:
        found = self.engine.outline(self.path, Shape())
        rows = found.rows if isinstance(found, Outlined) else ()
        return [row.address for row in rows if row.kind in kinds or not kinds]


def _answer(data: Mapping[str, object]) -> ToolAnswer:
    return ToolAnswer(answers.as_text(data), data, not data["success"])


def _refuse(given: Sequence[Refusal]) -> ToolAnswer:
    refusals = at_home(given, "use content mode to create the file first")
    errors = [
        say("{} ({})", one.headline, one.help) if one.help else one.headline for one in refusals
    ]
    issues = [{"severity": "error", "code": one.code, "message": one.headline} for one in refusals]
    code = refusals[0].code
    return _answer({"success": False, "error": "\n".join(errors), "code": code, "issues": issues})


def _query_file_schema(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    if engine.is_directory(path):
        headline = f"{path} is a directory"
        raise Refused(Refusal("no-file", headline, help="name a file", path=path, kind="directory"))
    found = engine.schema(path, caller.actor)
    return ToolAnswer(found.as_text(), {**found.as_data(), "edit_modes": list(requests.WAYS)})


_LINE_EDIT = taking(
    "start_line",
    "end_line",
    "new_content",
    start_line=whole("from 1"),
    end_line=whole("last line, included"),
    new_content=string("empty deletes the lines"),
)
_INSERT = taking(
    "at_line",
    "content",
    at_line=whole("the new lines come before it; one beyond the last appends"),
    content=string(),
)
_SEGMENT = taking(
    "segment_type",
    "segment_name",
    "new_content",
    segment_type=choice(tuple(TYPES)),
    segment_name=string("`## Introduction`, `Parent::Child`, `calculate_risk`, `Worker.process`"),
    new_content=string("the whole segment; write it at indentation 0, it is fitted"),
    indentation_strategy=choice(STRATEGIES, "auto fits the original", default="auto"),
    explicit_indent=whole("spaces, with explicit"),
)

TOOLS = (
    Tool(
        "safe_edit_file",
        "Edit a file safely",
        "Use it to change one file, in exactly one of five modes. segment_edit: a section, "
        "function, method, class or template block by name; search with replace; line_edits; "
        "insert_lines; content (whole text, creates the file). The whole file is checked before it "
        "is written. "
        'Example: {"path": "app.py", "segment_edit": {"segment_type": "python_method", '
        '"segment_name": "Worker.process", "new_content": "def process(self):\\n    return 1"}}',
        taking(
            "path",
            path=string("file, relative to the root or absolute inside it"),
            content=string("the whole new text"),
            line_edits=array(_LINE_EDIT, "lines to replace, all as the file now stands"),
            insert_lines=array(_INSERT),
            search=string("text to find, to the character unless only layout differs"),
            replace=string("literal; with regex \\1 is a group"),
            regex=flag("search is an RE2 expression"),
            exact=flag("search matches to the character, whitespace included"),
            search_count=whole("replace the first n only, all if left out"),
            search_flags=whole("IGNORECASE 2, MULTILINE 8, DOTALL 16, added up", default=0),
            segment_edit=_SEGMENT,
            mode=choice(
                requests.MODES,
                "strict refuses what breaks the file, interactive writes it with warnings, "
                "verify_only writes nothing",
                default="strict",
            ),
            show_diff=flag(default=True),
        ),
        _safe_edit_file,
        gives=giving(
            "success",
            success=flag(),
            path=string(),
            message=string(),
            error=string(),
            diff=string(),
            issues=array({"type": "object"}),
            warnings=array({"type": "string"}),
        ),
        writes=True,
        destructive=True,
        refuse=_refuse,
    ),
    Tool(
        "query_file_schema",
        "Ask how a file can be edited",
        "Use it before safe_edit_file, to see the structure of a file, its template if it has one, "
        'and the ways to edit it. Example: {"path": "docs/design.md"}',
        taking("path", path=string("file")),
        _query_file_schema,
        gives=giving(
            file_type=choice(("scaffolded", "non-scaffolded")),
            structure={"type": "object"},
            template_schema={"type": "object"},
            edit_capabilities={"type": "object"},
        ),
        refuse=_refuse,
    ),
)
