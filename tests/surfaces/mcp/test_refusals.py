"""Every refusal code, end to end: the SDK's client, over standard output and over HTTP."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client, types

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.refusals import CODES
from tests.facts import unsaid
from tests.surfaces.mcp.host import Data, Host, codes, data, text
from tests.surfaces.mcp.site import serving

CODE = "class Worker:\n    def run(self):\n        return 1\n\n\ndef load():\n    return 2\n"
FILES = {
    "a.py": CODE,
    "n.txt": "one\n",
    "task.txt": "one\n",
    "undo.txt": "one\n",
    "busy.txt": "one\n",
    "broken.py": "def sound():\n    pass\n\ndef broken(:\n    pass\n",
    "a.yaml": "a:\n  b: 1\n",
    "a.go": "package a\n",
    "c.rs": "fn load() {}\n",
    "b.lua": "function load() end\n",
    "long.txt": "".join(f"line {number}\n" for number in range(100)),
}
# A linter that finds fault with every text that says so, a server, and a file's largest size.
CONFIG = f"""\
max_bytes = 100000
language_servers = {{rust = "/opt/rust-analyzer"}}
[validators.mine]
command = ["{sys.executable}", "-c", "import sys; print('a.go:1:1: error: bad [x]') if 'bad' in sys.stdin.read() else 0"]
languages = ["go"]
"""  # noqa: E501 - one line of TOML


def edit(path: str, **fields: object) -> tuple[str, Data]:
    return "edit", {"path": path, "edits": [fields]}


Step = Callable[[Client], Awaitable[types.CallToolResult]]


def call(tool: str, **given: object) -> Step:
    return lambda client: client.call_tool(tool, given)


async def undone_under_another(client: Client) -> types.CallToolResult:
    tool, given = edit("undo.txt", lines="1", content="two")
    first = await client.call_tool(tool, given)
    await client.call_tool(*edit("undo.txt", lines="1", content="three"))
    found = data(first)["transaction"] if not first.is_error else ""
    return await client.call_tool("undo", {"id": found})


MARKS = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b"
DELETION = {"find": "line 2\n", "until": "line 98\n", "action": "delete"}
EDITS: dict[str, tuple[str, dict[str, object]]] = {
    "not-found": ("a.py", {"find": "absent text", "content": "x"}),
    "ambiguous": ("a.py", {"find": "return", "content": "x"}),
    "wrong-segment-kind": ("a.py", {"segment": "load", "part": "heading", "content": "x"}),
    "syntax-broken": ("a.py", {"find": "load():", "content": "load("}),
    "lint-broken": ("a.go", {"lines": "1", "content": "package bad"}),
    "bad-indentation": ("a.yaml", {"find": "  b", "content": "\tb"}),
    "unparsable": ("broken.py", {"segment": "broken", "content": "x"}),
    "encoding": ("latin.py", {"find": "one", "content": "☃"}),
    "too-large": ("large.txt", {"lines": "1", "content": "x"}),
    "elision-left": ("a.py", {"find": "return 2", "content": "# ... existing code ..."}),
    "merge-markers": ("n.txt", {"lines": "1", "content": MARKS}),
    "control-characters": ("n.txt", {"lines": "1", "content": "\x01"}),
    "busy": ("busy.txt", {"lines": "1", "content": "two"}),
}
TABLE: dict[str, Step] = {
    "no-language-server": call("rename", path="b.lua", segment="load", to="fetch"),
    "untrusted": call("rename", path="c.rs", segment="load", to="fetch"),
    "count-differs": call(
        "edit", glob="*.txt", edits=[{"find": "one", "content": "two"}], expected_count=99
    ),
    **{code: call("edit", path=path, edits=[fields]) for code, (path, fields) in EDITS.items()},
    "stale": call(
        "edit", path="a.py", edits=[{"lines": "1", "content": "x"}], expected_hash="0" * 16
    ),
    # Somebody else edits it before.
    "conflict": call(
        "edit", path="task.txt", edits=[{"lines": "1", "content": "mine"}], task="second"
    ),
    "overlapping-edits": call(
        "edit",
        path="a.py",
        edits=[{"lines": "1-2", "content": "x"}, {"lines": "2", "content": ""}],
    ),
    "unknown-segment": call("read", path="a.py", segment="nowhere"),
    "bad-patch": call("patch", patch="not a patch"),
    "bad-request": call("read", path="a.py", colour=1),
    "bad-regex": call("search", query="(", regex=True),
    "path-denied": call("read", path="../outside"),
    "protected-path": call("write", path=".git/config", content="x"),
    "no-file": call("read", path="absent.py"),
    "file-exists": call("write", path="a.py", content="x"),
    "not-text": call("read", path="binary"),
    "shrinks": call("edit", path="long.txt", edits=[DELETION]),
    "template-unknown": call("scaffold", template="nothing", path="x.md"),
    "template-variables": call("scaffold", template="adr", path="x.md", variables={"colour": 1}),
    "nothing-to-undo": call("undo", id="77-abcd"),
    "undo-conflict": undone_under_another,
}
# These need a server that is started otherwise, or a state directory that is in a bad way.
WRITE = call("write", path="new.txt", content="x\n")
ELSEWHERE = {"read-only": WRITE, "journal": WRITE}


def scene(base: Path) -> Host:
    for name in ("root", "home/.config/keyhole"):
        (base / name).mkdir(parents=True)
    host = Host(base)
    for path, body in FILES.items():
        host.write(path, body)
    host.write("binary", b"\0\1")
    host.write("latin.py", b"# coding: latin-1\n# caf\xe9 one\n")
    host.write("large.txt", "x" * 200_000 + "\n")
    (base / "home/.config/keyhole/config.toml").write_text(CONFIG, encoding="utf-8")
    return host


async def answers(client: Client, wanted: dict[str, Step]) -> dict[str, list[str]]:
    """Ask everything at once: one that waits for a lock keeps no other up.

    Behind the codes stands what only one form of an answer says, and a refusal without advice.
    """
    found: dict[str, list[str]] = {}

    async def ask(code: str, step: Step) -> None:
        answer = await step(client)
        found[code] = codes(answer) if answer.is_error else [text(answer)]
        told: Data = answer.structured_content
        found[code] += unsaid(text(answer), told)
        found[code] += [f"no help: {each}" for each in told["refusals"] if not each["help"]]

    async with anyio.create_task_group() as tasks:
        for code, step in wanted.items():
            tasks.start_soon(ask, code, step)
    return found


def over(transport: str, host: Host, wanted: dict[str, Step], *flags: str) -> dict[str, list[str]]:
    async def web() -> dict[str, list[str]]:
        async with site.client() as client:
            return await answers(client, wanted)

    if transport == "stdio":
        return host.run(lambda client: answers(client, wanted), *flags)
    with serving(host, *flags) as site:
        return anyio.run(web)


@pytest.fixture(scope="module", params=["stdio", "http"])
def heard(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[str]]:
    """What a client hears for every code of the table."""
    host = scene(tmp_path_factory.mktemp("refused") / "base")
    holder = Engine.open(host.root, host.base / "state")
    first = Options(actor="other", task="first")
    assert holder.edit([Edit(lines=1, content="theirs")], first, "task.txt").ok
    with holder._tree.hold(["busy.txt"]):
        found = over(request.param, host, TABLE)
    found |= over(request.param, host, {"read-only": WRITE}, "--read-only")
    state = holder._tree.state
    holder.close()
    state.rename(state.with_name("away"))
    state.write_bytes(b"in the way")
    return found | over(request.param, host, {"journal": WRITE})


@pytest.mark.parametrize("code", CODES)
def test_the_code_and_the_next_move_reach_the_client_as_text_and_data(
    heard: dict[str, list[str]], code: str
) -> None:
    assert heard[code] == [code]


def test_the_table_has_every_code_there_is() -> None:
    assert {*TABLE, *ELSEWHERE} == set(CODES)
