import pytest
from mcp import Client, types
from mcp.client.session import ClientRequestContext

from tests.surfaces.mcp.host import Data, Host, codes, data

MODES = ("legacy", "auto")


class User:
    """Somebody who gives one answer, and remembers what was asked."""

    def __init__(self, answer: str, action: str = "accept") -> None:
        self.answer, self.action = answer, action
        self.asked: list[str] = []

    async def __call__(
        self, _: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        self.asked.append(params.message)
        content = {"content": {"answer": self.answer}} if self.action == "accept" else {}
        return types.ElicitResult.model_validate({"action": self.action, **content})


async def conflict(client: Client) -> types.CallToolResult:
    def call(content: str, **more: str) -> Data:
        return {"path": "a.txt", "edits": [{"lines": "1", "content": content}], **more}

    data(await client.call_tool("edit", call("two", task="first", reason="because")))
    return await client.call_tool("edit", call("three", task="second", on_conflict="ask"))


@pytest.mark.parametrize("mode", MODES)
def test_the_user_may_force_an_edit_where_another_task_was(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    user = User("force")

    done = host.run(conflict, mode=mode, elicitation_callback=user)

    assert data(done)["outcome"] == "applied"
    assert host.read("a.txt") == "three\n"
    [message] = user.asked
    assert "first" in message
    assert "because" in message


@pytest.mark.parametrize("mode", MODES)
def test_the_user_may_leave_the_edit_out(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")

    done = host.run(conflict, mode=mode, elicitation_callback=User("skip"))

    assert data(done)["conflicts"][0]["skipped"]
    assert host.read("a.txt") == "two\n"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("answer", "action"),
    [("stop", "accept"), ("", "decline"), ("", "cancel"), ("fly", "accept")],
)
def test_any_other_answer_leaves_the_refusal(
    host: Host, mode: str, answer: str, action: str
) -> None:
    host.write("a.txt", "one\n")

    done = host.run(conflict, mode=mode, elicitation_callback=User(answer, action))

    assert codes(done) == ["conflict"]
    assert host.read("a.txt") == "two\n"


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_gets_the_refusal(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")

    assert codes(host.run(conflict, mode=mode)) == ["conflict"]


@pytest.mark.parametrize(("answer", "lines"), [("force", 1), ("stop", 200)])
def test_a_write_that_drops_most_of_a_file_asks_first(host: Host, answer: str, lines: int) -> None:
    host.write("a.txt", "".join(f"line {number}\n" for number in range(200)))
    user = User(answer)

    async def work(client: Client) -> None:
        version = data(await client.call_tool("read", {"path": "a.txt"}))["hash"]
        given = {"path": "a.txt", "content": "short\n", "expected_hash": version}
        await client.call_tool("write", given)

    host.run(work, elicitation_callback=user)

    assert host.read("a.txt").count("\n") == lines
    assert len(user.asked) == 1
