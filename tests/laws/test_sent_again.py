"""A call that only adds and comes again adds nothing, through every door, whoever wrote between."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.toolsets import SETS, Caller, call, tools_of

Send = Callable[[Engine], object]
TOOLS = {tool.name: tool for name in SETS for tool in tools_of(name) if tool.writes}
ROWS = ("a", "b", "- item", "", "", "end", "# A", "## B", "word word", "}", "    x = 1", "def f():")
ME, YOU = Options(actor="me"), Options(actor="you")
NUMBERS = count()

rows = st.sampled_from(ROWS)
texts = st.lists(rows, min_size=1, max_size=7)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as base:
        root = Path(base) / "root"
        root.mkdir()
        opened = Engine.open(root, Path(base) / "state")
        yield opened
        opened.close()


class Addition:
    """Some lines of a file quoted, and lines that come between them."""

    def __init__(self, path: str, text: list[str], data: st.DataObject) -> None:
        self.path, self.first = path, data.draw(st.integers(0, len(text) - 1))
        quote = text[self.first : self.first + data.draw(st.integers(1, 3))]
        more = data.draw(st.lists(rows, min_size=1, max_size=3))
        at = data.draw(st.integers(0, len(quote)))
        end = data.draw(st.sampled_from(("", "\n")))
        self.last = self.first + len(quote)
        self.anchor = text[self.first]
        self.quote, self.more = "\n".join(quote) + end, "\n".join(more) + end
        self.both = "\n".join([*quote[:at], *more, *quote[at:]]) + end
        marked = [*(f" {line}" for line in quote[:at]), *(f"+{line}" for line in more)]
        self.hunk = "\n".join([*marked, *(f" {line}" for line in quote[at:])]) + "\n"
        self.bare = "".join(f"+{line}\n" for line in more)
        counts = f"-{self.first + 1},{len(quote)} +{self.first + 1},{len(quote) + len(more)}"
        self.unified = f"@@ {counts} @@\n{self.hunk}"
        self.data = data
        assume(self.quote.strip())

    def one(self, *choices: object) -> object:
        return self.data.draw(st.sampled_from(choices))


def edit(**fields: object) -> Send:
    return lambda engine: engine.edit([Edit(**fields)], ME)  # type: ignore[arg-type]


def patch(text: str) -> Send:
    return lambda engine: engine.patch(text, ME)


def tool(name: str, **given: object) -> Send:
    return lambda engine: call(TOOLS[name], lambda _: engine, given, Caller("me"))


def begin_patch(path: str, body: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n{body}*** End Patch\n"


def by_quote(it: Addition) -> Send:
    action = it.one("replace", "before", "after", "append", "prepend")
    content = it.both if action == "replace" else it.more
    occurrence = it.one("unique", "first", "last")
    fields = {"find": it.quote, "content": content, "action": action, "occurrence": occurrence}
    return edit(path=it.path, **fields)


def by_lines(it: Addition) -> Send:
    action = it.one("before", "after")
    return edit(path=it.path, lines=it.first + 1, content=it.more, action=action)


def by_end(it: Addition) -> Send:
    return edit(path=it.path, content=it.more, action=it.one("append", "prepend"))


def by_segment(it: Addition) -> Send:
    action, segment = it.one("before", "after", "append", "prepend"), it.one("A", "B")
    return edit(path=it.path, segment=segment, content=it.more, action=action)


def by_search(it: Addition) -> Send:
    blocks = f"<<<<<<< SEARCH\n{it.quote}\n=======\n{it.both}\n>>>>>>> REPLACE\n"
    return patch(f"{it.path}\n{blocks}")


def by_line_edits(it: Addition) -> Send:
    lines = {"start_line": it.first + 1, "end_line": it.last, "new_content": it.both}
    return tool("safe_edit_file", path=it.path, line_edits=[lines])


def by_structure(it: Addition) -> Send:
    target = it.one({"lines": {"start": it.first + 1}}, {"appendToSection": "# A"})
    fields = {"operation": "insert", "target": target, "content": it.more}
    return tool("TextPatch", filePath=it.path, **fields)


def by_str_replace(it: Addition) -> Send:
    fields = {"command": "str_replace", "old_str": it.quote, "new_str": it.both}
    return tool("str_replace_based_edit_tool", path=it.path, **fields)


def by_insert(it: Addition) -> Send:
    fields = {"command": "insert", "insert_line": it.first + 1, "insert_text": it.more}
    return tool("str_replace_based_edit_tool", path=it.path, **fields)


def by_article(it: Addition) -> Send:
    change = {"old_string": it.quote, "new_string": it.both, "reason": "why"}
    return tool("edit_article", path=it.path, edits=[change])


DOORS: Mapping[str, Callable[[Addition], Send]] = {
    "quote": by_quote,
    "lines": by_lines,
    "end": by_end,
    "segment": by_segment,
    "unified": lambda it: patch(f"--- a/{it.path}\n+++ b/{it.path}\n{it.unified}"),
    "begin-patch": lambda it: patch(begin_patch(it.path, f"@@\n{it.hunk}")),
    "search-replace": by_search,
    "apply_patch": lambda it: tool(
        "apply_patch", input=begin_patch(it.path, f"@@ {it.anchor}\n{it.bare}")
    ),
    "str_replace": by_str_replace,
    "insert": by_insert,
    "edit_file": lambda it: tool(
        "edit_file", path=it.path, old_content=it.quote, new_content=it.both
    ),
    "patch_file": lambda it: tool("patch_file", path=it.path, patch=it.unified),
    "insert_at": lambda it: tool(
        "insert_at", path=it.path, line=it.one(0, it.first + 1, -1), content=it.more
    ),
    "TextReplace": lambda it: tool(
        "TextReplace", filePath=it.path, oldText=it.quote, newText=it.both
    ),
    "TextPatch": by_structure,
    "line_edits": by_line_edits,
    "search": lambda it: tool("safe_edit_file", path=it.path, search=it.quote, replace=it.both),
    "edit_article": by_article,
}


def changed(text: str, data: st.DataObject) -> tuple[str, str | None]:
    """Return a text in which one line came, went or became another, and the line that is gone."""
    lines = text.split("\n")
    at, how = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.sampled_from("+-~"))
    if how == "+":
        return "\n".join(
            [*lines[:at], data.draw(st.sampled_from(("zz", "", "a"))), *lines[at:]]
        ), None
    return "\n".join([*lines[:at], *(["zz"] if how == "~" else []), *lines[at + 1 :]]), lines[at]


def words(text: str) -> Counter[str]:
    return Counter(filter(None, map(str.strip, text.split("\n"))))


@pytest.mark.parametrize("between", ["nobody", "outsider", "colleague"])
@pytest.mark.parametrize("door", DOORS)
@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
@given(text=texts, data=st.data())
def test_an_addition_that_comes_again_is_there_once(
    engine: Engine, door: str, between: str, text: list[str], data: st.DataObject
) -> None:
    file = Path(engine.root) / f"f{next(NUMBERS)}.md"
    before = "\n".join(text) + data.draw(st.sampled_from(("", "\n")))
    file.write_text(before, encoding="utf-8")
    send = DOORS[door](Addition(file.name, text, data))
    send(engine)
    once = file.read_text(encoding="utf-8")
    assume(once != before)
    now, gone = changed(once, data) if between != "nobody" else (once, None)
    # What the other one took away entirely may come again, and nobody can follow a blank line.
    added = set(words(once) - words(before))
    assume(between == "nobody" or added - {(gone or "").strip()})
    if between == "outsider":
        file.write_text(now, encoding="utf-8")
    elif now != once:
        whole = Edit(path=file.name, find=once, content=now, match="exact")
        assume(engine.edit([whole], YOU).ok)

    for _ in range(2):
        send(engine)
        assert file.read_text(encoding="utf-8") == now
