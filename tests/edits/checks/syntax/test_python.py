import sys
import warnings
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.edits.checks.syntax import python
from keyhole.edits.checks.syntax.problem import ProblemCache
from keyhole.edits.checks.syntax.python import (
    is_of_python_2,
    pieces_of,
    python_problems,
    still_compiles,
)
from keyhole.text.changes import Change, ChangeSet

MODULE = '''import os

LIMIT = 3


def first(items):
    """Return the first."""
    return items[0]


@property
def second(items):
    return items[1]


class Third:
    def method(self):
        return """
def fake():
"""


if LIMIT:
    def inner():
        return 1


async def fourth():
    pass
'''


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "_sound", ProblemCache())


def said(text: str) -> list[tuple[int, str]]:
    return [(each.start, each.message) for each in python_problems(text)]


def test_what_compiles_has_no_problems() -> None:
    assert said(MODULE) == []
    assert said(MODULE) == []


def test_the_compiler_says_what_and_where() -> None:
    assert said("x = 1\nif x\n    y\n") == [(10, "expected ':'")]


@pytest.mark.parametrize(
    "text",
    [
        "return 1\n",
        "def f(a, a): pass\n",
        "def f():\n    nonlocal x\n",
        "from __future__ import nothing\n",
        "x = 1\n  y = 2\n",
        "if x:\n\ty\n        z\n",
        "print 'x'\n",
        "1 = x\n",
        "x := 1\n",
        "x <> y\n",
        "raise E, 'x'\n",
        "async = 1\n",
        "x = 007\n",
        "\ud800 = (\n",
    ],
)
def test_what_no_version_takes_is_a_problem(text: str) -> None:
    assert len(said(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def f[T](x: T) -> T:\n    return x\n",
        "class A[T, *U, **P]:\n    def f[X: dict[str, int]](self): ...\n",
        "class A[T = int]: pass\n",
        "type X = int\n",
        "type X[T] = list[T]\n",
        'x = f"{d["a"]}"\n',
        "x = f\"{'\\n'.join(y)}\"\n",
        'x = f"{\n  y\n}"\n',
        "try:\n    pass\nexcept A, B:\n    pass\n",
        'x = t"hello {y}"\n',
        "x = [*y for y in z]\n",
        "lazy import x\n",
        "lazy from x import y\n",
    ],
)
def test_newer_syntax_is_no_problem(text: str) -> None:
    assert said(text) == []


def test_a_mistake_beside_newer_syntax_is_one() -> None:
    assert said("type X = int\nx = (\n") == [(17, "'(' was never closed")]
    assert said("def f[T](x):\n    return (\n") == [(24, "'(' was never closed")]


def test_a_nul_is_told_by_its_place() -> None:
    assert said("x = 1\0\n") == [(5, "source code cannot contain NUL characters")]


@pytest.mark.parametrize(
    "text",
    [
        "-" * 100_000 + "1\n",
        "a" + ".b" * 100_000 + "\n",
        "not " * 50_000 + "1\n",
        "def f():\n    pass\n" * 1001,
    ],
)
def test_what_the_compiler_gives_up_on_is_left_to_the_grammar(text: str) -> None:
    assert said(text) == []


def test_text_that_is_no_unicode_is_read_all_the_same() -> None:
    assert said("# caf\udce9\nx = 'caf\udce9'\n") == []


def test_lines_may_end_in_any_way() -> None:
    assert said("x = 1\r\nif x\r\n") == [(11, "expected ':'")]
    assert said("x = 1\rif x\r") == [(10, "expected ':'")]


def test_warnings_of_the_compiler_are_nobodys_business() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("error")

        assert said("x = '\\d'\nassert (x, 'y')\nx is 1\n") == []

    assert heard == []


def test_a_thread_can_ask() -> None:
    answers: list[object] = []
    thread = Thread(target=lambda: answers.append(said("x = (\n")))
    thread.start()
    thread.join()

    assert answers == [[(4, "'(' was never closed")]]


def changed(old: str, new: str) -> tuple[ChangeSet, str]:
    at = MODULE.index(old)
    changes = ChangeSet(len(MODULE), (Change(at, at + len(old), new),))
    return changes, changes.apply(MODULE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("items[0]", "items[-1]"),
        ("items[1]", "[\n        items[1]]"),
        ("def second", "def other"),
        ("    pass\n", "    pass\n\n\ndef fifth():\n    return 5\n"),
        ("def fake", "def faker"),
    ],
)
def test_a_change_of_a_function_is_judged_by_the_functions_around(old: str, new: str) -> None:
    python_problems(MODULE)
    changes, after = changed(old, new)

    assert still_compiles(MODULE, changes, after)
    compile(after, "after", "exec")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("items[0]", "items[0"),
        ("    return items[1]", "return items[1]"),
        ("LIMIT = 3", "LIMIT = 3\nfrom __future__ import annotations"),
        ("items[0]", "items[0]\n    global items"),
        ('"""\ndef fake', '""\ndef fake'),
        ("@property\n", "@property\nx = 1\n"),
    ],
)
def test_what_a_function_alone_cannot_tell_is_left_to_the_whole(old: str, new: str) -> None:
    python_problems(MODULE)
    changes, after = changed(old, new)

    assert not still_compiles(MODULE, changes, after)


def test_a_text_not_known_to_compile_cannot_still_do_so() -> None:
    changes, after = changed("items[0]", "items[1]")

    assert not still_compiles(MODULE, changes, after)
    assert not still_compiles(MODULE, ChangeSet(len(MODULE)), MODULE)


def test_one_change_after_the_other_is_followed() -> None:
    python_problems(MODULE)
    text = MODULE
    for number in range(5):
        old, new = f"items[{number}]", f"items[{number + 1}]"
        at = text.index(old)
        changes = ChangeSet(len(text), (Change(at, at + len(old), new),))
        assert still_compiles(text, changes, changes.apply(text))
        text = changes.apply(text)
        assert python._sound.get(text) == pieces_of(text, compile(text, "text", "exec"))


@given(st.data())
def test_the_short_way_never_calls_sound_what_is_not(data: st.DataObject) -> None:
    python_problems(MODULE)
    start = data.draw(st.integers(0, len(MODULE)))
    end = data.draw(st.integers(start, min(start + 12, len(MODULE))))
    pieces = [
        "\n",
        " ",
        "    ",
        '"""',
        "'",
        "(",
        ")",
        ":",
        "def f():",
        "else:",
        "@x",
        "#",
        "\\",
        "x",
    ]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=6)))
    changes = ChangeSet(len(MODULE), (Change(start, end, text),))
    after = changes.apply(MODULE)

    if still_compiles(MODULE, changes, after):
        python._sound.__init__()  # type: ignore[misc] # forget what it concluded
        assert python_problems(after) == ()


def test_problems_of_an_older_version_are_known() -> None:
    assert is_of_python_2(python_problems("print 'x'\n")[0])
    assert not is_of_python_2(python_problems("x = (\n")[0])


def test_the_tests_run_where_newer_syntax_is_newer() -> None:
    assert sys.version_info >= (3, 11)
