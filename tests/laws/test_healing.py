"""Laws of healing: it never fails, it is done once, and it touches no character of a text."""

import json

from hypothesis import event, given
from hypothesis import strategies as st

from keyhole.toolsets import SETS, tools_of
from keyhole.toolsets.argument_shapes import LITERAL, CallShape, is_sound, plain, shape_of
from keyhole.toolsets.base import Tool
from keyhole.toolsets.corrections import corrected
from keyhole.toolsets.healing import heal, look_closely
from keyhole.toolsets.wrapping import Healing

TOOLS = [tool for owner in ("native", *SETS) for tool in tools_of(owner)]
NAMES = sorted(
    {name for tool in TOOLS for name in tool.arguments}
    | {"find", "content", "old_string", "newText", "file_path", "start_line", "end_line"}
    | {"replace_all", "arguments", "input", "edit", "item", "segment", "match", "", "colour"}
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.sampled_from(
        ["", "a", "true", "3", "3-7", "L3-L7", "-40-", "[1, 2]", '{"find": "x",}', "{"]
    ),
    st.text(max_size=6),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(json.dumps),
        st.lists(inner, max_size=2).map(json.dumps),
    ),
    max_leaves=8,
)
CALLS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


def healed(tool: Tool, call: dict[str, object]) -> Healing:
    return heal(call, shape_of(tool.shape(call)), tool.name, lambda: ("/root",))


@given(st.sampled_from(TOOLS), CALLS)
def test_whatever_is_sent_is_healed_or_left(tool: Tool, call: dict[str, object]) -> None:
    before = json.dumps(call)

    found = healed(tool, call)

    assert json.dumps(call) == before
    assert json.loads(json.dumps(found.arguments)) == found.arguments
    list(corrected(found, shape_of(tool.shape(found.arguments))))


@given(st.sampled_from(TOOLS), CALLS)
def test_what_was_healed_needs_no_healing(tool: Tool, call: dict[str, object]) -> None:
    first = healed(tool, call)
    second = healed(tool, first.arguments)

    if not first.doubts and not first.stray:
        assert (second.arguments, second.healed) == (first.arguments, ())


def nearly_sound(shape: CallShape) -> st.SearchStrategy[dict[str, object]]:
    """Calls by the tool's own names, most with values of the right kind."""
    words = {"string": st.sampled_from(["a", "", " A", "[", "all", "exact", "file:///a", "2"])}
    kinds = {**words, "boolean": st.booleans(), "integer": st.integers(0, 3), "array": VALUES}
    values: dict[str, st.SearchStrategy[object]] = {}
    for name, each in shape.fields.items():
        right = st.sampled_from(each.choices) if each.choices else kinds.get(each.kind, VALUES)
        values[name] = right | SCALARS
        if each.inner:
            values[name] = st.lists(nearly_sound(each.inner) | VALUES, max_size=2)
    return st.fixed_dictionaries({}, optional={**values, "colour": SCALARS})


@given(st.sampled_from(TOOLS), st.data())
def test_what_is_sound_is_left_by_a_closer_look(tool: Tool, data: st.DataObject) -> None:
    call = data.draw(nearly_sound(shape_of(tool.takes)))
    shape = shape_of(tool.shape(call))

    if is_sound(call, shape):
        event("sound")
        found = look_closely(call, shape, tool.name, lambda: ("/root",))
        assert found == Healing(call)


def test_a_plain_call_takes_no_closer_look() -> None:
    native = next(tool for tool in TOOLS if tool.name == "edit")
    edit = {"find": "a", "content": "b", "match": "exact", "occurrence": "all", "reason": "c"}

    assert is_sound({"path": "a", "edits": [edit], "dry_run": True}, shape_of(native.takes))


TEXTS = st.text(max_size=12)


@given(st.sampled_from(TOOLS), st.data())
def test_no_character_of_a_text_is_touched(tool: Tool, data: st.DataObject) -> None:
    names = [name for name in tool.arguments if plain(name) in LITERAL]
    call: dict[str, object] = {name: data.draw(TEXTS) for name in names}

    assert healed(tool, call).arguments == call


@given(TEXTS, TEXTS, st.sampled_from(["flat", "object", "text", "wrapped", "foreign"]))
def test_no_character_is_touched_in_any_shape(old: str, new: str, shape: str) -> None:
    edit: dict[str, object] = {"find": old, "content": new}
    calls: dict[str, dict[str, object]] = {
        "flat": {"path": "a", **edit},
        "object": {"path": "a", "edits": edit},
        "text": {"path": "a", "edits": json.dumps([edit], ensure_ascii=False)},
        "wrapped": {"arguments": json.dumps({"path": "a", "edits": [edit]})},
        "foreign": {"path": "a", "old_str": old, "new_str": new},
    }
    native = next(tool for tool in TOOLS if tool.name == "edit")

    found = healed(native, calls[shape])

    assert found.arguments == {"path": "a", "edits": [edit]}
    assert found.healed
