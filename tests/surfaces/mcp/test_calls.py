from pathlib import Path

import anyio
import pytest
from mcp import Client, types

from tests.surfaces.mcp.host import Data, Host, codes, data, text
from tests.surfaces.mcp.site import serving

CODE = "class Worker:\n    def run(self):\n        return 1\n\n\ndef load():\n    return 2\n"
BAD = {"find": "absent text", "content": "x"}


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_every_tool_answers(host: Host, transport: str) -> None:
    host.write("app.py", CODE)

    async def work(client: Client) -> list[Data]:
        outline = data(await client.call_tool("outline", {"path": "app.py", "query": "run"}))
        read = data(await client.call_tool("read", {"path": "app.py", "segment": "load"}))
        hits = data(await client.call_tool("search", {"query": "return", "glob": "*.py"}))
        edit = {"find": "return 1", "content": "return 10", "reason": "more"}
        edited = data(await client.call_tool("edit", {"path": "app.py", "edits": [edit]}))
        patch = "--- a/app.py\n+++ b/app.py\n@@ @@\n-    return 2\n+    return 20\n"
        patched = data(await client.call_tool("patch", {"patch": patch, "detail": "full"}))
        written = data(await client.call_tool("write", {"path": "n.md", "content": "# N\n"}))
        history = data(await client.call_tool("history", {"path": "app.py"}))
        undone = data(await client.call_tool("undo", {"id": edited["transaction"]}))
        made = data(await client.call_tool("scaffold", {"template": "readme"}))
        assert made["templates"]
        return [outline, read, hits, edited, patched, written, history, undone]

    async def web() -> list[Data]:
        async with site.client() as client:
            return await work(client)

    if transport == "stdio":
        answers = host.run(work)
    else:
        with serving(host) as site:
            answers = anyio.run(web)
    outline, read, hits, edited, patched, written, history, undone = answers

    assert [one["address"] for one in outline["segments"]] == ["Worker.run"]
    assert (read["lines"], read["hash"]) == ([6, 7], outline["hash"])
    assert [hit["segment"] for hit in hits["hits"]] == ["Worker.run", "load"]
    assert "hash_before" not in edited["files"][0]
    assert patched["files"][0]["hash_before"] == edited["files"][0]["hash_after"]
    assert "+    return 20" in patched["files"][0]["diff"]
    assert written["files"][0]["created"]
    assert [past["id"] for past in history["transactions"]] == [
        patched["transaction"],
        edited["transaction"],
    ]
    assert undone["outcome"] == "applied"
    assert host.read("app.py") == CODE.replace("return 2", "return 20")


def test_the_journal_knows_the_client_the_task_and_the_tool(host: Host) -> None:
    async def work(client: Client) -> Data:
        for path, more in (("a.txt", {}), ("b.txt", {"task": "own", "reason": "why"})):
            edits = [{"path": host.write(path, "one\n").name, "lines": "1", "content": "two"}]
            data(await client.call_tool("edit", {"edits": edits, **more}))
        return data(await client.call_tool("history", {}))

    past = host.run(work, "--task", "given", name="some-host")["transactions"]

    known = [tuple(one.get(name) for name in ("actor", "task", "tool", "reason")) for one in past]
    assert known == [
        ("some-host", "own", "mcp edit", "why"),
        ("some-host", "given", "mcp edit", None),
    ]


def test_another_task_at_the_same_place_is_a_conflict(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work() -> tuple[list[str], Data]:
        def call(content: str, **more: str) -> Data:
            edits = [{"lines": "1", "content": content}]
            return {"path": "a.txt", "edits": edits, **more}

        async with host.client(name="one") as one, host.client(name="two") as two:
            data(await one.call_tool("edit", call("two", task="first")))
            refused = codes(await two.call_tool("edit", call("three", task="second")))
            forced = call("three", task="second", on_conflict="force")
            return refused, data(await two.call_tool("edit", forced))

    refused, forced = anyio.run(work)

    assert refused == ["conflict"]
    assert [one["task"] for one in forced["conflicts"]] == ["first"]


def test_one_transaction_is_shown_with_its_reasons_and_diffs(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> types.CallToolResult:
        edit = {"find": "one", "content": "two", "reason": "count on"}
        done = await client.call_tool("edit", {"path": "a.txt", "edits": [edit]})
        return await client.call_tool("history", {"id": data(done)["transaction"]})

    shown = host.run(work)

    [past] = data(shown)["transactions"]
    assert past["files"][0]["edits"][0]["reason"] == "count on"
    assert "-one\n+two\n" in past["files"][0]["diff"]
    assert "-one\n+two" in text(shown)


def test_a_refusal_offers_an_id_that_finishes_the_edit(host: Host) -> None:
    host.write("a.py", 'def load(path):\n    """Read a file."""\n    return 1\n')

    async def work(client: Client) -> Data:
        quote = 'def laod(path):\n    """Read a file."""\n'
        edit = {"find": quote, "content": quote.replace("Read", "Open")}
        refused = await client.call_tool("edit", {"path": "a.py", "edits": [edit]})
        assert codes(refused) == ["not-found"]
        [refusal] = refused.structured_content["refusals"]
        accept = refusal["candidates"][0]["accept"]
        return data(await client.call_tool("edit", {"edits": [{"accept": accept}]}))

    assert host.run(work)["files"][0]["edits"][0]["matched"] == "accepted"
    assert host.read("a.py") == 'def load(path):\n    """Open a file."""\n    return 1\n'


REFUSED: list[tuple[str, str, dict[str, object]]] = [
    ("bad-request", "read", {"path": "a.py", "colour": 1}),
    ("bad-request", "read", {}),
    ("bad-request", "read", {"path": True}),
    ("bad-request", "read", {"path": "a.py", "part": "tail"}),
    ("bad-request", "outline", {"depth": -1}),
    ("bad-request", "search", {"query": ""}),
    ("bad-request", "edit", {"path": "a.py", "edits": []}),
    ("bad-request", "edit", {"path": "a.py", "edits": [{"fnd": "x"}]}),
    ("bad-request", "edit", {"path": "a.py", "edits": [BAD], "mode": "loose"}),
    ("bad-request", "edit", {"path": "a.py", "edits": [BAD], "detail": "long"}),
    ("bad-request", "write", {"path": "a.py", "content": "", "delete": True}),
    ("bad-request", "history", {"since": "soon"}),
    ("bad-request", "undo", {"id": "1", "task": "t"}),
    ("bad-request", "fly", {}),
    ("bad-regex", "search", {"query": "(", "regex": True}),
    ("bad-patch", "patch", {"patch": "not a patch"}),
    ("not-found", "edit", {"path": "a.py", "edits": [BAD]}),
    ("ambiguous", "edit", {"path": "a.py", "edits": [{"find": "return", "content": "x"}]}),
    ("stale", "edit", {"path": "a.py", "edits": [BAD], "expected_hash": "0" * 16}),
    (
        "overlapping-edits",
        "edit",
        {
            "path": "a.py",
            "edits": [{"lines": "1-2", "content": "x"}, {"lines": "2", "content": ""}],
        },
    ),
    ("unknown-segment", "read", {"path": "a.py", "segment": "nowhere"}),
    (
        "wrong-segment-kind",
        "edit",
        {"path": "a.py", "edits": [{"segment": "load", "part": "heading", "content": "x"}]},
    ),
    ("syntax-broken", "edit", {"path": "a.py", "edits": [{"find": "load():", "content": "load("}]}),
    ("path-denied", "read", {"path": "../outside"}),
    ("path-denied", "read", {"path": "/etc/passwd"}),
    ("protected-path", "write", {"path": ".git/config", "content": "x"}),
    ("no-file", "read", {"path": "absent.py"}),
    ("file-exists", "write", {"path": "a.py", "content": "x"}),
    ("not-text", "read", {"path": "binary"}),
    (
        "merge-markers",
        "edit",
        {
            "path": "n.txt",
            "edits": [{"lines": "1", "content": "<<<<<<< a\nx\n=======\ny\n>>>>>>> b"}],
        },
    ),
    ("nothing-to-undo", "undo", {}),
    ("nothing-to-undo", "history", {"id": "77-abcd"}),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[types.CallToolResult]:
    """What one server says to every call of the list."""
    base: Path = tmp_path_factory.mktemp("refused")
    for name in ("root", "home"):
        (base / name).mkdir()
    host = Host(base)
    host.write("a.py", CODE)
    host.write("n.txt", "one\n")
    host.write("binary", b"\0\1")

    async def work(client: Client) -> list[types.CallToolResult]:
        return [await client.call_tool(tool, given) for _, tool, given in REFUSED]

    return host.run(work)


@pytest.mark.parametrize("index", range(len(REFUSED)), ids=[f"{c}-{t}" for c, t, _ in REFUSED])
def test_a_refusal_reaches_the_model_as_text_and_data(
    answers: list[types.CallToolResult], index: int
) -> None:
    assert codes(answers[index]) == [REFUSED[index][0]]


def test_every_unknown_argument_is_named(host: Host) -> None:
    answer = host.call("read", path="a.py", pth=1, colour=2)

    assert codes(answer) == ["bad-request", "bad-request"]
    assert "unknown argument `pth`" in text(answer)
    assert "unknown argument `colour`" in text(answer)
    assert text(answer).count("`read` has path, segment") == 1


def test_a_typical_edit_costs_little(host: Host) -> None:
    host.write("app.py", CODE * 20)
    host.write("b.py", CODE)

    answer = host.call("edit", path="b.py", edits=[{"find": "return 2", "content": "return 3"}])

    assert len(text(answer)) < 400


def test_a_file_name_that_is_no_text_is_answered(host: Host) -> None:
    (host.root / "n\udcff.txt").write_bytes(b"needle\n")

    found = data(host.call("search", query="needle"))

    assert [hit["path"] for hit in found["hits"]] == ["n\ufffd.txt"]


def test_a_read_only_server_offers_no_writers_and_refuses_them(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> tuple[list[str], list[str]]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        edits = [{"find": "one", "content": "two"}]
        said = [
            await client.call_tool("edit", {"path": "a.txt", "edits": edits}),
            await client.call_tool("write", {"path": "b.txt", "content": ""}),
            await client.call_tool("undo", {}),
            await client.call_tool("patch", {"patch": ""}),
        ]
        return names, [code for one in said for code in codes(one)]

    names, refused = host.run(work, "--read-only")

    assert names == ["outline", "read", "search", "history"]
    assert refused == ["read-only"] * 4
    assert host.read("a.txt") == "one\n"


def test_a_server_offers_only_the_tools_named(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> tuple[list[str], list[str]]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, codes(await client.call_tool("write", {"path": "x", "content": ""}))

    assert host.run(work, "--tools", "read,edit") == (["read", "edit"], ["bad-request"])


def test_only_files_with_the_allowed_extensions_are_written(host: Host) -> None:
    async def work(client: Client) -> list[str]:
        data(await client.call_tool("write", {"path": "a.md", "content": "x\n"}))
        refused = await client.call_tool("write", {"path": "a.sh", "content": "x\n"})
        return codes(refused)

    assert host.run(work, "--allow-ext", "md,.txt") == ["path-denied"]


def test_files_of_a_second_root_are_named_in_full(host: Host) -> None:
    other = host.base / "other"
    other.mkdir()
    (other / "b.txt").write_text("needle\n", encoding="utf-8")
    host.write("a.txt", "needle\n")

    async def work(client: Client) -> None:
        found = data(await client.call_tool("search", {"query": "needle", "path": str(other)}))
        assert [hit["path"] for hit in found["hits"]] == [str(other / "b.txt")]
        edits = [{"find": "needle", "content": "thread"}]
        done = data(await client.call_tool("edit", {"path": str(other / "b.txt"), "edits": edits}))
        mixed = [{**edits[0], "path": path} for path in ("a.txt", str(other / "b.txt"))]
        assert codes(await client.call_tool("edit", {"edits": mixed})) == ["bad-request"]
        past = data(await client.call_tool("history", {}))["transactions"]
        assert [one["id"] for one in past] == [done["transaction"]]
        data(await client.call_tool("undo", {}))

    host.run(work, "--root", str(other))

    assert (other / "b.txt").read_text(encoding="utf-8") == "needle\n"
    assert host.read("a.txt") == "needle\n"


def test_patches_and_offers_find_the_root_they_are_for(host: Host) -> None:
    other = host.base / "other"
    other.mkdir()
    (other / "b.py").write_text(CODE, encoding="utf-8")
    host.write("a.py", CODE)

    async def work(client: Client) -> None:
        head = f"*** Begin Patch\n*** Update File: {other / 'b.py'}\n"
        patch = f"{head}-    return 2\n+    return 3\n*** End Patch"
        data(await client.call_tool("patch", {"patch": patch}))
        quote = "class Wroker:\n    def run(self):\n"
        edit = {"find": quote, "content": quote.replace("run", "walk")}
        refused = await client.call_tool("edit", {"path": str(other / "b.py"), "edits": [edit]})
        assert codes(refused) == ["not-found"]
        [refusal] = refused.structured_content["refusals"]
        accept = {"accept": refusal["candidates"][0]["accept"]}
        data(await client.call_tool("edit", {"edits": [accept]}))

    host.run(work, "--root", str(other))

    changed = CODE.replace("return 2", "return 3").replace("def run", "def walk")
    assert (other / "b.py").read_text(encoding="utf-8") == changed
    assert host.read("a.py") == CODE


def test_one_connection_carries_many_calls_at_once(host: Host) -> None:
    host.write("a.txt", "".join(f"line {number}\n" for number in range(50)))

    async def work(client: Client) -> list[Data]:
        found: list[Data] = []

        async def edit(number: int) -> None:
            edits = [{"find": f"line {number}\n", "content": f"done {number}\n"}]
            done = await client.call_tool("edit", {"path": "a.txt", "edits": edits})
            found.append((number, data(done)))

        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(edit, number)
        return found

    found = host.run(work)

    assert len(found) == 50
    assert host.read("a.txt") == "".join(f"done {number}\n" for number in range(50))
    assert len({receipt["transaction"] for _, receipt in found}) == 50
    shown = [receipt["files"][0]["edits"][0]["lines_after"] for _, receipt in found]
    assert shown == [[number + 1, number + 1] for number, _ in found]


def test_a_server_that_proposes_queues_edits_and_history_tells_the_verdict(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> tuple[Data, Data, Data]:
        edit = {"path": "a.txt", "edits": [{"find": "one", "content": "two"}]}
        asked = data(await client.call_tool("edit", edit))
        told = data(await client.call_tool("history", {"id": asked["transaction"]}))
        listed = data(await client.call_tool("history", {}))
        return asked, told, listed

    asked, told, listed = host.run(work, "--propose")

    assert asked["outcome"] == "proposed"
    assert host.read("a.txt") == "one\n"
    assert told["proposals"][0]["outcome"] == "proposed"
    assert "+two" in told["proposals"][0]["files"][0]["diff"]
    assert [each["id"] for each in listed["proposals"]] == [asked["transaction"]]


def test_one_call_can_propose(host: Host) -> None:
    host.write("a.txt", "one\n")

    asked = data(
        host.call("edit", path="a.txt", edits=[{"find": "one", "content": "two"}], propose=True)
    )

    assert asked["outcome"] == "proposed"
    assert host.read("a.txt") == "one\n"


def test_other_tools_of_a_server_that_proposes_do_not_claim_to_have_saved(host: Host) -> None:
    host.write("a.txt", "one\n")

    async def work(client: Client) -> types.CallToolResult:
        edit = {"path": "a.txt", "search": "one", "replace": "two"}
        return await client.call_tool("safe_edit_file", edit)

    said = text(host.run(work, "--propose", "--tools", "safe-edit"))

    first = "proposed: the edit of a.txt waits for a person, and nothing was written"
    assert said.partition("\n")[0] == first
    assert host.read("a.txt") == "one\n"
