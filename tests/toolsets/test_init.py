import json

import jsonschema  # type: ignore[import-untyped]
import pytest

from keyhole.refusals import Refused
from keyhole.toolsets import SETS, Tool, tool_named, tools_of

EVERY = [(name, tool) for name in SETS for tool in tools_of(name)]


@pytest.mark.parametrize(("owner", "tool"), EVERY, ids=[f"{o}-{t.name}" for o, t in EVERY])
def test_every_tool_has_sound_schemas_a_title_and_an_example(owner: str, tool: Tool) -> None:
    for schema in filter(None, (tool.takes, tool.gives)):
        jsonschema.Draft202012Validator.check_schema(dict(schema))
    assert tool.title
    assert tool_named(tool.name, (owner,)) is tool
    _, _, example = tool.about.partition("Example: ")
    jsonschema.validate(json.loads(example), dict(tool.takes))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"colour": 1}, dict(tool.takes))


@pytest.mark.parametrize("name", SETS)
def test_the_tools_of_a_set_have_names_of_their_own(name: str) -> None:
    names = [tool.name for tool in tools_of(name)]

    assert names
    assert len(set(names)) == len(names)


def test_an_unknown_set_or_tool_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused) as no_set:
        tools_of("hammer")
    with pytest.raises(Refused) as no_tool:
        tool_named("hit", ("codex",))

    assert no_set.value.refusals[0].help == f"name one of {', '.join(SETS)}"
    assert no_tool.value.refusals[0].help == "name one of apply_patch"
