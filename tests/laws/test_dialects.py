"""Laws of the dialects: new text is inserted as it is, whatever it looks like."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keyhole.edits.checks.validate import validate
from keyhole.edits.model.operations import Operation, WriteFile
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.patches import detect
from keyhole.text.document import Document
from keyhole.toolsets.article import tools as article
from keyhole.toolsets.safe_edit import requests as safe_edit
from keyhole.toolsets.safe_edit.requests import STRATEGIES
from keyhole.toolsets.surgical import tools as surgical
from keyhole.toolsets.text import requests as text
from keyhole.toolsets.text import requests as text_files

PATH = "a.txt"
OLD = "⟦old⟧"
LINE = f"before {OLD} after"
TEXT = f"top\n{LINE}\nend\n"

# What regular expressions, templates and shells of other tools would read into new text.
TELLING = [
    "$&",
    "$`",
    "$'",
    "$$",
    "$1",
    "${x}",
    r"\1",
    r"\g<0>",
    r"\g<name>",
    r"\0",
    "\\",
    "&",
    "%s",
]
PIECES = st.sampled_from([*TELLING, "{}", "{0}", "~x", " ", "a", "é", "\u2028", "𝄞", "'", '"'])
NEW = st.lists(PIECES, max_size=8).map("".join)
LINES = st.lists(NEW, min_size=1, max_size=4).map("\n".join)


class Way(NamedTuple):
    """One way to put new text into a file: the operations, and the file that must come of it."""

    ask: Callable[[str], tuple[Operation, ...]]
    after: Callable[[str], str]


def safe(**fields: object) -> tuple[Operation, ...]:
    return safe_edit.asked({"path": PATH, **fields}).operations


def quoted(new: str) -> str:
    head, _, tail = TEXT.partition(OLD)
    return head + new + tail


def whole_line(new: str) -> str:
    return TEXT.replace(f"{LINE}\n", f"{new}\n" if new else "")


def inserted(new: str) -> str:
    return TEXT.replace("top\n", f"top\n{new}\n" if new else "top\n")


def patched(target: Mapping[str, object], operation: str, new: str) -> tuple[Operation, ...]:
    given = {"filePath": PATH, "operation": operation, "target": target, "content": new}
    return (text.patch({**given, "preserveIndent": False}).edit,)


def diff(new: str) -> tuple[Operation, ...]:
    rows = "".join(f"+{row}\n" for row in new.split("\n"))
    return detect.parse(f"@@ -2 +2 @@\n-{LINE}\n{rows}", PATH)


def begin_patch(new: str) -> tuple[Operation, ...]:
    rows = "".join(f"+{row}\n" for row in new.split("\n"))
    update = f"*** Update File: {PATH}\n@@\n-{LINE}\n{rows}"
    return detect.parse(f"*** Begin Patch\n{update}*** End Patch\n")


def article_edit(new: str) -> tuple[Operation, ...]:
    edit = {"old_string": OLD, "new_string": new, "reason": "why"}
    return (article.edits({"path": PATH, "edits": [edit]}),)


def text_edit(new: str) -> tuple[Operation, ...]:
    edit = {"oldString": OLD, "newString": new}
    return (text_files.edits({"filePath": PATH, "edits": [edit]}),)


WAYS = {
    "safe-edit content": Way(lambda new: safe(content=new), lambda new: new),
    "safe-edit search": Way(lambda new: safe(search=OLD, replace=new), quoted),
    "safe-edit search whatever the case": Way(
        lambda new: safe(search=OLD.upper(), replace=new, search_flags=2), quoted
    ),
    "safe-edit line_edits": Way(
        lambda new: safe(line_edits=[{"start_line": 2, "end_line": 2, "new_content": new}]),
        whole_line,
    ),
    "safe-edit insert_lines": Way(
        lambda new: safe(insert_lines=[{"at_line": 2, "content": new}]), inserted
    ),
    "text TextReplace": Way(
        lambda new: (text.replacement({"filePath": PATH, "oldText": OLD, "newText": new}).edit,),
        quoted,
    ),
    "text TextPatch replace": Way(
        lambda new: patched({"lines": {"start": 2}}, "replace", new), whole_line
    ),
    "text TextPatch insert": Way(
        lambda new: patched({"lines": {"start": 1}}, "insert", new), inserted
    ),
    "text-files TextEdit": Way(text_edit, quoted),
    "article edit_article": Way(article_edit, quoted),
    "article write_file": Way(lambda new: (WriteFile("b.txt", new),), lambda new: new),
    "surgical edit_file": Way(
        lambda new: (surgical.edit_of({"path": PATH, "old_content": OLD, "new_content": new}),),
        quoted,
    ),
    "surgical insert_at": Way(
        lambda new: (surgical.insertion({"path": PATH, "line": 1, "content": new}),), inserted
    ),
    "surgical patch_file": Way(diff, lambda new: TEXT.replace(LINE, new)),
    "codex apply_patch": Way(begin_patch, lambda new: TEXT.replace(LINE, new)),
}


def carried_out(operations: tuple[Operation, ...]) -> Plan:
    files = {PATH: Document.from_bytes(TEXT.encode()), "b.txt": None}
    return validate(resolve(operations, Snapshot(files)), "strict", lambda _: True)


@pytest.mark.parametrize("name", WAYS)
@given(new=LINES)
@example(new="$&")
@example(new="$`")
@example(new=r"\1")
@example(new=r"\g<0>")
@example(new=r"\\1 \\\g<0> \\\\2")
def test_new_text_is_inserted_as_it_is(name: str, new: str) -> None:
    way = WAYS[name]
    if new == OLD:
        return

    (file,) = carried_out(way.ask(new)).files

    assert file.after is not None
    assert file.after.text == _ended(name, way.after(new), new)


def _ended(name: str, wanted: str, new: str) -> str:
    """A text of lines that ends in a line end has no further line behind it."""
    is_lines = name.endswith(("line_edits", "insert_lines", "replace", "insert", "insert_at"))
    if name.startswith(
        ("text TextReplace", "text-files", "article", "surgical edit", "surgical patch")
    ):
        return wanted
    return wanted.replace(f"{new}\n", new, 1) if is_lines and new.endswith("\n") else wanted


@pytest.mark.parametrize("name", WAYS)
def test_the_law_would_catch_a_template_that_is_expanded(name: str) -> None:
    way = WAYS[name]

    (file,) = carried_out(way.ask("$&")).files

    assert file.after is not None
    assert file.after.text != way.after(OLD)


def test_every_dialect_is_held_to_the_law() -> None:
    assert {name.split(" ")[0] for name in WAYS} == {
        "safe-edit",
        "text",
        "text-files",
        "article",
        "surgical",
        "codex",
    }


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(new=NEW)
@example(new="$&")
@example(new=r"\1 \g<0>")
def test_a_segment_is_replaced_by_new_text_as_it_is(strategy: str, new: str) -> None:
    before = "# A\n\n## Part\n\nold\n\n## Next\n\nend\n"
    segment = {
        "segment_type": "markdown_section",
        "segment_name": "Part",
        "new_content": f"## Part\n\n<{new}>\n",
        "indentation_strategy": strategy,
        **({"explicit_indent": 0} if strategy == "explicit" else {}),
    }
    operations = safe_edit.asked({"path": "a.md", "segment_edit": segment}).operations

    plan = resolve(operations, Snapshot({"a.md": Document.from_bytes(before.encode())}))

    (file,) = plan.files
    assert file.after is not None
    assert file.after.text == before.replace("old", f"<{new}>")
