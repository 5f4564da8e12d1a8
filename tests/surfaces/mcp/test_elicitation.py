import pytest
from mcp import Client, types
from mcp.client.session import ClientRequestContext

from keyhole.edits.model.operations import Edit
from keyhole.engine.options import Options
from keyhole.surfaces.http.announced import ADDRESS, announced
from tests.surfaces.mcp.host import Data, Host, codes, data, engine_of

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


def other_task(host: Host) -> None:
    """Let somebody else edit the line."""
    with engine_of(host) as engine:
        options = Options(actor="other", task="first", reason="because")
        assert engine.edit([Edit(lines=1, content="two")], options, "a.txt").ok


async def conflict(client: Client) -> types.CallToolResult:
    edits = [{"lines": "1", "content": "three"}]
    given = {"path": "a.txt", "edits": edits, "task": "second", "on_conflict": "ask"}
    return await client.call_tool("edit", given)


@pytest.mark.parametrize("mode", MODES)
def test_the_user_may_force_an_edit_where_another_task_was(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    other_task(host)
    user = User("force")

    done = host.run(conflict, mode=mode, elicitation_callback=user)

    assert data(done)["outcome"] == "applied"
    assert host.read("a.txt") == "three\n"
    [message] = user.asked
    assert "first" in message
    assert "because" in message
    assert "-one\n      +two" in message
    assert "-two\n      +three" in message


@pytest.mark.parametrize("mode", MODES)
def test_the_user_may_leave_the_edit_out(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    other_task(host)

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
    other_task(host)

    done = host.run(conflict, mode=mode, elicitation_callback=User(answer, action))

    assert codes(done) == ["conflict"]
    assert host.read("a.txt") == "two\n"


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_gets_the_refusal(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    other_task(host)

    assert codes(host.run(conflict, mode=mode)) == ["conflict"]


def test_a_client_whose_question_fails_gets_the_refusal(host: Host) -> None:
    host.write("a.txt", "one\n")
    other_task(host)

    async def nobody(_: ClientRequestContext, __: types.ElicitRequestParams) -> types.ErrorData:
        return types.ErrorData(code=-32000, message="there is no user here")

    refused = host.run(conflict, mode="legacy", elicitation_callback=nobody)

    assert codes(refused) == ["conflict"]


@pytest.mark.parametrize("given", [{"dry_run": True}, {"mode": "verify_only"}], ids=str)
def test_a_dry_run_asks_nobody(host: Host, given: Data) -> None:
    host.write("a.txt", "one\n")
    other_task(host)
    user = User("force")

    async def work(client: Client) -> types.CallToolResult:
        edits = [{"lines": "1", "content": "three"}]
        call = {"path": "a.txt", "edits": edits, "task": "second", "on_conflict": "ask"}
        return await client.call_tool("edit", {**call, **given})

    assert codes(host.run(work, elicitation_callback=user)) == ["conflict"]
    assert user.asked == []


@pytest.mark.parametrize(
    ("answer", "after"), [("force", "three\n"), ("skip", "two\n"), ("stop", "two\n")]
)
def test_the_edit_file_of_another_interface_asks_too(host: Host, answer: str, after: str) -> None:
    host.write("a.txt", "one\n")
    other_task(host)
    user = User(answer)
    given = {"path": "a.txt", "old_content": "two", "new_content": "three", "task_id": "second"}

    async def work(client: Client) -> types.CallToolResult:
        return await client.call_tool("edit_file", {**given, "on_conflict": "ask"})

    done = host.run(work, "--tools", "surgical", elicitation_callback=user)

    assert done.is_error is (answer == "stop")
    assert host.read("a.txt") == after
    [message] = user.asked
    assert "+two" in message
    assert "+three" in message
    assert "hash" not in message


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


LONG = "".join(f"line {number}\n" for number in range(200))
CUT = {"path": "a.txt", "find": "line 3\n", "until": "line 198\n", "action": "delete"}
ASKED: Data = {"edits": [CUT, {"path": "b.txt", "find": "one", "content": "two"}]}
QUOTED = "".join(f"line {number}\n" for number in range(3, 199))
MEANT: list[tuple[str, Data]] = [
    ("edit", {"edits": [{"path": "a.txt", "find": QUOTED, "action": "delete"}]}),
    ("edit", {"edits": [{"path": "a.txt", "lines": "4-199", "action": "delete"}]}),
    (
        "patch",
        {
            "patch": "--- a/a.txt\n+++ b/a.txt\n@@ -4,196 +4,0 @@\n"
            + "".join(f"-line {number}\n" for number in range(3, 199))
            + "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two\n"
        },
    ),
]


@pytest.mark.parametrize(
    ("mode", "answer", "after"),
    [
        ("legacy", "force", (4, "two\n")),
        ("auto", "skip", (200, "two\n")),
        ("auto", "stop", (200, "one\n")),
    ],
)
def test_an_edit_that_deletes_most_of_a_file_asks_first(
    host: Host, mode: str, answer: str, after: tuple[int, str]
) -> None:
    host.write("a.txt", LONG)
    host.write("b.txt", "one\n")
    user = User(answer)

    done = host.run(
        lambda client: client.call_tool("edit", ASKED), mode=mode, elicitation_callback=user
    )

    assert (host.read("a.txt").count("\n"), host.read("b.txt")) == after
    assert done.is_error == (answer == "stop")
    [message] = user.asked
    assert "would leave 4 of the 200 lines of a.txt" in message
    assert "now:\n" in message
    assert "then:\n" in message
    if answer == "skip":
        assert "a.txt was left out" in data(done)["warnings"][0]


@pytest.mark.parametrize(("tool", "given"), MEANT, ids=["quote", "lines", "patch"])
def test_what_is_quoted_or_counted_is_deleted_without_a_question(
    host: Host, tool: str, given: Data
) -> None:
    host.write("a.txt", LONG)
    host.write("b.txt", "one\n")

    assert data(host.call(tool, **given))["outcome"] == "applied"
    assert host.read("a.txt").count("\n") == 4


def test_a_client_that_cannot_ask_is_refused_a_large_deletion(host: Host) -> None:
    host.write("a.txt", LONG)
    host.write("b.txt", "one\n")

    assert codes(host.call("edit", **ASKED)) == ["shrinks"]
    assert (host.read("a.txt"), host.read("b.txt")) == (LONG, "one\n")


def test_a_dry_run_of_a_large_deletion_asks_nobody(host: Host) -> None:
    host.write("a.txt", LONG)

    assert data(host.call("edit", edits=[CUT], dry_run=True))["outcome"] == "verified"


PROPOSED = {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]}


class Led:
    """Somebody who is led to pages, and remembers to which."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    async def __call__(
        self, _: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        self.urls.append(params.url)
        return types.ElicitResult(action="accept")


async def propose(client: Client) -> types.CallToolResult:
    return await client.call_tool("edit", PROPOSED)


@pytest.mark.parametrize("mode", MODES)
def test_the_user_is_led_to_the_page_where_a_proposal_waits(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    user = Led()
    with engine_of(host) as engine, announced(engine.review.private(ADDRESS), "http://page"):
        done = data(host.run(propose, "--propose", mode=mode, elicitation_callback=user))

        [waiting] = engine.review.proposals()

    assert done["outcome"] == "proposed"
    assert (done["transaction"], host.read("a.txt")) == (waiting.proposed.id, "one\n")
    assert user.urls == [f"http://page/proposals/{waiting.proposed.id}"]


@pytest.mark.parametrize("mode", MODES)
def test_nobody_is_led_to_a_page_that_is_not_served(host: Host, mode: str) -> None:
    host.write("a.txt", "one\n")
    user = Led()
    with engine_of(host) as engine:
        path = engine.review.private(ADDRESS)
    with announced(path, "http://page"):
        pass

    done = data(host.run(propose, "--propose", mode=mode, elicitation_callback=user))

    assert (done["outcome"], user.urls) == ("proposed", [])


def test_a_client_without_a_user_proposes_all_the_same(host: Host) -> None:
    host.write("a.txt", "one\n")
    with engine_of(host) as engine, announced(engine.review.private(ADDRESS), "http://page"):
        assert data(host.run(propose, "--propose"))["outcome"] == "proposed"


def test_a_proposal_whose_receipt_was_lost_is_not_made_twice(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def again(client: Client) -> types.CallToolResult:
        params = types.CallToolRequestParams(
            name="edit", arguments=PROPOSED, request_state="p-12345678"
        )
        request = types.CallToolRequest(params=params)
        return await client.session.send_request(request, types.CallToolResult)

    done = data(host.run(again, "--propose", mode="auto"))

    assert (done["outcome"], done["transaction"]) == ("proposed", "p-12345678")
    with engine_of(host) as engine:
        assert engine.review.proposals() == ()
