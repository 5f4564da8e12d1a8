from keyhole.surfaces.mcp.guide import GUIDE, NAME, guide, listed
from keyhole.surfaces.mcp.tools import NATIVE


def test_the_guide_is_one_message_of_the_user() -> None:
    [message] = guide().messages

    assert message.role == "user"
    assert [prompt.name for prompt in listed().prompts] == [NAME]


def test_the_guide_names_every_tool_and_costs_little() -> None:
    assert [tool.name for tool in NATIVE if f"`{tool.name}`" not in GUIDE] == []
    assert len(GUIDE) < 3000


def test_the_guide_says_what_to_do_with_a_refusal() -> None:
    assert "accept" in GUIDE
