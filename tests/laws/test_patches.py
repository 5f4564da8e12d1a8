"""Laws of patches: a difference rendered in any format gives the other text, byte for byte."""

from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.patches.detect import parse
from keyhole.text.document import Document
from tests.laws import renderings

Render = Callable[[str, str, str], str]

# These say of every line how it ends, and of the last one whether it does.
EXACT: list[Render] = [renderings.plain, renderings.git, renderings.begin_patch]
# These leave the ends of lines to the file.
QUOTING: list[Render] = [renderings.search_replace, renderings.as_json]

WORDS = ["a", "b", "  c", "\td", "d e", "", "  ", "-- x", "++ y", "@@", "é", "=======", "+", "- z"]
WORDS += ["diff --git a/x b/x", "*** End Patch", "*** Update File: f.txt", "\\ No newline", "$&"]
WORDS += ["<<<<<<< SEARCH", ">>>>>>> REPLACE", "\u201cq\u201d", "x\u2028y", "x\x0cy", "{", "```"]
TEMPLATES = [
    "$&",
    "$`",
    "$'",
    "$$",
    "$1",
    "\\1",
    "\\g<0>",
    "\\",
    "\\n",
    "%s",
    "{0}",
    "&",
    "\x1b[0m",
]


@st.composite
def texts(draw: st.DrawFn, ends: tuple[str, ...] = ("\n", "\r\n")) -> str:
    """Draw a text whose lines have these ends, mixed, the last one perhaps none."""
    lines = draw(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(ends)), max_size=9))
    text = "".join(line + end for line, end in lines)
    return text if draw(st.booleans()) else text.removesuffix("\n").removesuffix("\r")


@st.composite
def pairs(draw: st.DrawFn, ends: tuple[str, ...] = ("\n", "\r\n")) -> tuple[str, str]:
    """Draw two texts that have something in common, or nothing."""
    before = draw(texts(ends))
    kept = before.split("\n")
    at = draw(st.integers(0, len(kept)))
    middle = draw(texts(ends))
    after = "\n".join(kept[:at]) + "\n" + middle + "\n".join(kept[at + draw(st.integers(0, 2)) :])
    return before, draw(st.sampled_from([after.lstrip("\n"), middle]))


def applied(patch: str, before: str | None) -> str:
    document = None if before is None else Document.from_bytes(before.encode())
    plan = resolve(parse(patch), Snapshot({"f.txt": document}))
    after = plan.files[0].after
    assert after is not None
    return after.to_bytes().decode()


@pytest.mark.parametrize("render", EXACT)
@given(texts=pairs())
@example(("a\nb\na\n  c\na\na\n", "a\nb\na\na\n  c\na\naa\n"))
@example(("a\na\n  c\n", "a\na\na\n  c\n"))
def test_a_format_of_lines_gives_the_other_text_to_the_byte(
    render: Render, texts: tuple[str, str]
) -> None:
    before, after = texts
    assume(before != after)

    assert applied(render("f.txt", before, after), before) == after


@given(after=texts())
def test_a_new_file_has_the_text_to_the_byte(after: str) -> None:
    assert applied(renderings.created("f.txt", after), None) == after


@pytest.mark.parametrize("ends", [("\n",), ("\r\n",)], ids=["lf", "crlf"])
@pytest.mark.parametrize("render", QUOTING)
@given(data=st.data())
def test_a_format_of_quotes_gives_the_other_text_to_the_byte(
    render: Render, ends: tuple[str, ...], data: st.DataObject
) -> None:
    before, after = data.draw(pairs(ends))
    after = after if ends == ("\n",) else after.replace("\r\n", "\n").replace("\n", "\r\n")
    # A quote names text: there must be some. Of the last line it does not say how it ends.
    assume(before != after and before.strip() and after.strip())
    assume(before.endswith("\n") == after.endswith("\n"))
    assume(not any(f"{mark * 9}" in before + after for mark in "<=>"))
    assume(ends == ("\n",) or ("\r" in before and not before.replace("\r\n", "").count("\r")))

    assert applied(render("f.txt", before, after), before) == after


@pytest.mark.parametrize("render", [*EXACT, *QUOTING])
@given(
    new=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"))
    | st.lists(st.sampled_from([*TEMPLATES, "x", " "]), min_size=1).map("".join)
)
def test_new_text_is_inserted_literally_whatever_it_contains(render: Render, new: str) -> None:
    before = "the first line\nthe second line\nthe third line\n"
    after = before.replace("the second line", f"{new}|{new}")
    assume("REPLACE" not in new)

    assert applied(render("f.txt", before, after), before) == after
