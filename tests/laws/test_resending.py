"""An edit that only adds and is sent again is never made twice."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from keyhole.edits import repeated
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import Edit, InOrder, Operation
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.text.document import Document

PATH = "file.txt"
WORDS = ("a", "b(1)", "}", "end", "value = 1", "return value", "- item", "x, y,", "# note")
lines_ = st.builds(
    str.__add__, st.sampled_from(("", "    ", "\t", "        ")), st.sampled_from(WORDS)
)
rows = st.one_of(lines_, lines_, lines_, st.just(""))


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    return draw(st.lists(rows, min_size=1, max_size=8))


def joined(lines: list[str], end: str, *, closed: bool) -> str:
    text = end.join(lines)
    return text + end if closed else text


@st.composite
def added_lines(draw: st.DrawFn) -> list[str]:
    lines = draw(st.lists(rows, min_size=1, max_size=3))
    assume(any(line.strip() for line in lines))
    return lines


def _dedented(lines: list[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    least = min(indents, default=0)
    return [line[least:] for line in lines]


@st.composite
def by_quote(draw: st.DrawFn, text: list[str]) -> Operation:
    """Quote lines as they stand or without their indent, and add lines to them."""
    first = draw(st.integers(0, len(text) - 1))
    quote = text[first : first + draw(st.integers(1, 3))]
    assume(any(line.strip() for line in quote))
    more = draw(added_lines())
    new = draw(st.sampled_from(([*quote, *more], [*more, *quote], [*more, *quote, *more])))
    slip = draw(st.sampled_from(("none", "dedent", "blanks")))
    if slip == "dedent":
        count = len(quote)
        both = _dedented([*quote, *new])
        quote, new = both[:count], both[count:]
    if slip == "blanks":
        quote, new = ([f"{line}  " for line in one] for one in (quote, new))
    end = draw(st.sampled_from(("", "\n")))
    find, content = "\n".join(quote) + end, "\n".join(new) + end
    action = draw(st.sampled_from(("replace", "replace", "before", "after", "prepend", "append")))
    assume(find.strip())
    verbatim = draw(st.booleans())
    if action == "replace":
        return Edit(path=PATH, find=find, content=content, verbatim=verbatim)
    content = "\n".join(more) + end
    return Edit(path=PATH, find=find, content=content, action=action, verbatim=verbatim)


@st.composite
def by_words(draw: st.DrawFn, text: list[str]) -> Operation:
    """Quote a part of a line, and add to it."""
    line = draw(st.sampled_from(text))
    start = draw(st.integers(0, max(len(line) - 1, 0)))
    quote = line[start : start + draw(st.integers(1, 6))]
    assume(quote.strip())
    more = draw(st.sampled_from(("0", "x", ", z", "(", "_b", " + 1")))
    content = draw(st.sampled_from((quote + more, more + quote)))
    occurrence = draw(st.sampled_from(("unique", "first", "last")))
    return Edit(path=PATH, find=quote, content=content, occurrence=occurrence)


@st.composite
def by_lines(draw: st.DrawFn, text: list[str]) -> Operation:
    number, more = draw(st.integers(1, len(text))), draw(added_lines())
    action = draw(st.sampled_from(("before", "after")))
    if draw(st.booleans()):
        content = "\n".join([text[number - 1], *more])
        return Edit(path=PATH, lines=number, content=content, indent="keep")
    indent = draw(st.sampled_from(("auto", "keep")))
    return Edit(path=PATH, lines=number, content="\n".join(more), action=action, indent=indent)


@st.composite
def by_end(draw: st.DrawFn, _: list[str]) -> Operation:
    end = draw(st.sampled_from(("", "\n")))
    content = "\n".join(draw(added_lines())) + end
    return Edit(path=PATH, action=draw(st.sampled_from(("append", "prepend"))), content=content)


@st.composite
def by_hunk(draw: st.DrawFn, text: list[str]) -> Operation:
    first = draw(st.integers(0, len(text) - 1))
    kept = [(" ", line) for line in text[first : first + draw(st.integers(1, 3))]]
    more = [("+", line) for line in draw(added_lines())]
    at = draw(st.integers(0, len(kept)))
    line = draw(st.sampled_from((0, first + 1, first + 1 + len(more), 1)))
    return Hunk(PATH, (*kept[:at], *more, *kept[at:]), line)


@st.composite
def by_anchor(draw: st.DrawFn, text: list[str]) -> Operation:
    anchor = draw(st.sampled_from(text))
    assume(anchor.strip())
    return Hunk(PATH, tuple(("+", line) for line in draw(added_lines())), anchors=(anchor,))


DOORS = {
    "quote": by_quote,
    "words": by_words,
    "lines": by_lines,
    "end": by_end,
    "hunk": by_hunk,
    "anchor": by_anchor,
}
NEEDS_A_VERSION = {"lines", "end"}


def made(operations: list[Operation], text: str, *shown: str) -> FilePlan | None:
    now, *known = (Document.from_bytes(each.encode()) for each in (text, *shown))
    try:
        (file,) = resolve(operations, Snapshot({PATH: now}, {PATH: tuple(known)})).files
    except Unresolved:
        return None
    return file


def after(operations: list[Operation], text: str, *shown: str) -> str:
    """Return the text that the operations leave, which is the same where they are refused."""
    file = made(operations, text, *shown)
    return text if file is None or file.after is None else file.after.text


def _is_plain(operation: Operation) -> bool:
    """Tell whether what is quoted has words at its ends, and what is added reads otherwise.

    Else the quote is found elsewhere the second time, and only an older version tells.
    """
    if isinstance(operation, Hunk):
        quote = [text.strip() for mark, text in operation.lines if mark == " "]
        added = [text.strip() for mark, text in operation.lines if mark == "+"]
        return not quote or (any(quote) and not set(quote) & set(added))
    assert isinstance(operation, Edit)
    quote = [line.strip() for line in (operation.find or "").removesuffix("\n").split("\n")]
    lines = [line.strip() for line in (operation.content or "").split("\n")]
    times = 1 if operation.action == "replace" else 0
    repeats = any(lines.count(line) > times for line in quote if line)
    return bool(quote[0] and quote[-1]) and not repeats


@pytest.mark.parametrize("door", DOORS)
@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    lines=texts(),
    end=st.sampled_from(("\n", "\n", "\r\n")),
    closed=st.booleans(),
    shown=st.booleans(),
    data=st.data(),
)
def test_an_addition_that_is_sent_again_is_not_made_again(
    door: str, lines: list[str], end: str, *, closed: bool, shown: bool, data: st.DataObject
) -> None:
    text = joined(lines, end, closed=closed)
    operation = data.draw(DOORS[door](lines))
    once = after([operation], text)
    known = (text,) if shown or door in NEEDS_A_VERSION else ()
    assume(known or (closed and _is_plain(operation)))

    assert after([operation], once, *known) == once


@pytest.mark.parametrize("looked", [repeated._MOST_LOOKED, 0])
@pytest.mark.parametrize("door", ["quote", "lines", "anchor"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=texts(), more=added_lines(), data=st.data())
def test_a_call_that_is_sent_again_is_not_made_again(
    door: str,
    looked: int,
    monkeypatch: pytest.MonkeyPatch,
    *,
    lines: list[str],
    more: list[str],
    data: st.DataObject,
) -> None:
    # However many edits a call has, the first of them tell whether it was made.
    monkeypatch.setattr(repeated, "_MOST_LOOKED", looked)
    text = joined(lines, "\n", closed=True)
    one = data.draw(DOORS[door](lines))
    assert isinstance(one, Edit | Hunk)
    if isinstance(one, Hunk):
        two: Operation = Hunk(PATH, tuple(("+", line) for line in more), anchors=one.anchors)
    else:
        two = Edit(
            path=PATH, content="\n".join(more), action="after", find=one.find, lines=one.lines
        )
    once = after([one, two], text)

    assert after([one, two], once, text) == once


@given(lines=texts(), first=added_lines(), second=added_lines(), data=st.data())
def test_edits_in_order_that_are_sent_again_are_not_made_again(
    lines: list[str], first: list[str], second: list[str], data: st.DataObject
) -> None:
    text = joined(lines, "\n", closed=True)
    anchor = data.draw(st.sampled_from(lines))
    assume(anchor.strip())
    edits = tuple(
        Edit(find=f"{anchor}\n", content="\n".join([anchor, *more, ""]), verbatim=True)
        for more in (first, second)
    )
    call: list[Operation] = [InOrder(PATH, edits)]
    once = after(call, text)

    assert after(call, once, text) == once
