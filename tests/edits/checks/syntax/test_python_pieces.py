"""Pieces of Python: a change of a method is judged by the method, and never wrongly."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyhole.edits.checks.syntax import python
from keyhole.edits.checks.syntax.problem import ProblemCache
from keyhole.edits.checks.syntax.python import (
    DefinitionStarts,
    pieces_of,
    python_problems,
    still_compiles,
)
from keyhole.text.changes import Change, ChangeSet

# One class is most of it, so only its members can tell.
CLASS = '''import os


class Store:
    """Where things are."""

    limit = 3

    def get(self, name):
        for each in self:
            if each == name:
                return each
        return None

    @property
    def size(self):
        return len(self) + 1

    mark = (1,
            2)

    if os:
        def put(self, name):
            self.name = name

        def drop(self, name):
            del self.name

    async def load(self):
        text = """
over the edge
"""
        return await text

    class Row:
        def cell(self):
            return super().cell()

    def last(self):
        yield 1


def alone():
    return 2
'''


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "_sound", ProblemCache())


def lines_at(starts: tuple[int, ...]) -> list[str]:
    return [CLASS[start : CLASS.index("\n", start)].strip() for start in starts]


def changed(old: str, new: str) -> tuple[ChangeSet, str]:
    at = CLASS.index(old)
    changes = ChangeSet(len(CLASS), (Change(at, at + len(old), new),))
    return changes, changes.apply(CLASS)


def pieces(text: str) -> DefinitionStarts:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pieces_of(text, compile(text, "text", "exec"))


def test_definitions_at_the_margin_and_those_of_classes_begin_pieces() -> None:
    found = pieces(CLASS)

    assert lines_at(found.outer) == ["class Store:", "def alone():"]
    assert lines_at(found.inner) == [
        "def get(self, name):",
        "@property",
        "async def load(self):",
        "class Row:",
        "def last(self):",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return each\n", "return each or name\n"),
        ("len(self) + 1", "sum(\n            1 for _ in self)"),
        ("mark = (1,", "mark = (0,"),
        ("limit = 3", "limit = 4"),
        ("class Store:", "class Store(dict):"),
        ("if os:", "if not os:"),
        ("        def drop", "    else:\n        def drop"),
        ("self.name = name", "self.name = name\n            return name"),
        ("super().cell()", "super().cell() + 1"),
        ("yield 1", "yield 2\n\n    def later(self):\n        yield 3"),
    ],
)
def test_a_change_in_a_class_is_judged_by_its_piece(old: str, new: str) -> None:
    python_problems(CLASS)
    changes, after = changed(old, new)

    assert still_compiles(CLASS, changes, after)
    assert python._sound.get(after) == pieces(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return each\n", "return (each\n"),
        ("return each\n", "yield = each\n"),
        ("def last", "# def last"),
        ("def last(self):\n        yield 1\n", "\n"),
        ("        def put", "    \f    def put"),
        ("    @property", "  @property"),
        ("    @property", "@property"),
        ("return len(self) + 1", "return 1\n\n\ndef outside():\n        return 2"),
        ("            self.name = name", "        self.name = name"),
        ("    if os:", "    if os"),
        ("over the edge", "still over it"),
        ("limit = 3", "limit = (3"),
        ("    limit = 3", "  limit = 3"),
        ("    limit = 3", "limit = 3"),
        ("limit = 3", "limit = 3\n\n\nif os:\n    limit = 4"),
        ("yield 1", "yield 1\n        global os"),
        ("mark = (1,", "mark = 1, \\"),
    ],
)
def test_what_a_piece_alone_cannot_tell_is_left_to_the_whole(old: str, new: str) -> None:
    python_problems(CLASS)
    changes, after = changed(old, new)

    assert not still_compiles(CLASS, changes, after)


def test_a_piece_is_compiled_as_the_future_of_its_text_asks() -> None:
    before = f"from __future__ import annotations\n\n{CLASS}"
    at = before.index("text = ")
    changes = ChangeSet(len(before), (Change(at, at, "text: await 1 = 2\n        "),))
    python_problems(before)

    assert not still_compiles(before, changes, changes.apply(before))
    assert python_problems(changes.apply(before))


@settings(max_examples=1000)
@given(st.data())
def test_the_short_way_never_calls_sound_what_is_not(data: st.DataObject) -> None:
    python._sound.__init__()  # type: ignore[misc] # forget what the last example concluded
    python_problems(CLASS)
    start = data.draw(st.integers(0, len(CLASS)))
    end = data.draw(st.integers(start, min(start + 20, len(CLASS))))
    bits = ["\n", " ", "    ", '"""', "'", "(", ")", ":", "def f():", "else:", "@x", "#", "\\", "x"]
    bits += ["\n    ", "\n        ", "return 1", "class Y:", "\t", "\f", "yield", ";"]
    text = "".join(data.draw(st.lists(st.sampled_from(bits), max_size=6)))
    changes = ChangeSet(len(CLASS), (Change(start, end, text),))
    after = changes.apply(CLASS)

    if still_compiles(CLASS, changes, after):
        known, whole = python._sound.get(after), pieces(after)  # which compiles all of it
        assert known is not None
        assert known.outer == whole.outer
        assert set(known.inner) <= set(whole.inner)
