"""Laws of the checks: nothing is refused that is sound, and a refused call changes nothing."""

import ast
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from keyhole.edits.checks.syntax.compare import delta
from keyhole.edits.checks.syntax.problem import ProblemDelta
from keyhole.edits.checks.syntax.table import problems
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff

NAMES = st.sampled_from(["a", "b", "value", "count"])
LITERALS = st.sampled_from(
    ["1", "'x'", "[1, 2]", "{'k': 3}", "(4,)", "None", '"""doc"""', "f'{a}'"]
)
PIECES = st.sampled_from(
    [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        '"""',
        ":",
        "\n",
        "    ",
        "\t",
        "x",
        "=",
        ",",
        "#",
        "\\",
    ]
)


@st.composite
def functions(draw: st.DrawFn, name: str) -> str:
    body = draw(st.lists(st.tuples(NAMES, LITERALS), min_size=1, max_size=4))
    lines = [f"    {target} = {value}" for target, value in body]
    if draw(st.booleans()):
        lines.insert(0, '    """Say\n  (something.\n    """')
    if draw(st.booleans()):
        lines.append("    if a:\n        return b\n    return a")
    decorator = draw(st.sampled_from(["", "@a\n", "@a(\n    1,\n)\n"]))
    return f"{decorator}def {name}(a, b=1):\n" + "\n".join(lines) + "\n"


MODULES = st.lists(st.integers(), min_size=1, max_size=5).flatmap(
    lambda numbers: st.tuples(*(functions(f"f{index}") for index in range(len(numbers))))
)


@given(MODULES, MODULES)
def test_a_sound_text_made_from_a_sound_text_is_never_refused(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    old, new = "\n\n".join(before), "\n\n".join(after)
    ast.parse(new)

    assert delta("python", old, new, diff(old, new)) == ProblemDelta()


@given(MODULES, st.data())
def test_a_sound_change_of_a_broken_text_is_never_refused(
    parts: tuple[str, ...], data: st.DataObject
) -> None:
    broken = "def broken():\n    return (1\n"
    at = data.draw(st.integers(0, len(parts)))
    changed = data.draw(st.integers(0, len(parts) - 1))
    name = f"f{changed}"
    other = data.draw(functions(name))
    before = [*parts[:at], broken, *parts[at:]]
    after = [other if part == parts[changed] else part for part in before]
    old, new = "\n\n".join(before), "\n\n".join(after)

    assert delta("python", old, new, diff(old, new)).new == ()


@given(MODULES, st.data())
def test_what_is_let_through_in_a_sound_text_is_sound(
    parts: tuple[str, ...], data: st.DataObject
) -> None:
    before = "\n\n".join(parts)
    problems("python", before)
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, min(start + 10, len(before))))
    text = "".join(data.draw(st.lists(PIECES, max_size=5)))
    changes = ChangeSet(len(before), (Change(start, end, text),))
    after = changes.apply(before)

    refused = delta("python", before, after, changes).new

    assert bool(refused) == (not _compiles(after))


def _compiles(text: str) -> bool:
    try:
        compile(text, "text", "exec", dont_inherit=True)
    except SyntaxError as error:
        # What only a newer version takes is let through.
        return not problems("python", text) and bool(error.msg)
    return True


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.lists(PIECES, max_size=4)), min_size=1, max_size=4))
def test_a_refused_call_changes_nothing_and_an_accepted_one_leaves_sound_files(
    tmp_path_factory: "object", calls: list[tuple[int, list[str]]]
) -> None:
    home = tmp_path_factory.mktemp("law")  # type: ignore[attr-defined]
    assert isinstance(home, Path)
    (home / "root").mkdir()
    file = home / "root" / "a.py"
    file.write_text("".join(f"x{n} = {n}\n" for n in range(6)), encoding="utf-8")
    engine = Engine.open(home / "root", home / "state")
    try:
        for number, pieces in calls:
            before = file.read_bytes()
            edit = Edit(find=f"x{number} = {number}", content=f"x{number} = {''.join(pieces)}")
            receipt = engine.edit([edit], Options(actor="law"), "a.py")
            if receipt.ok:
                assert problems("python", file.read_text(encoding="utf-8")) == ()
            else:
                assert file.read_bytes() == before
    finally:
        engine.close()
