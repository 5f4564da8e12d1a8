"""A default answer fits what every host shows, and the calls that it names bring the rest."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from keyhole.surfaces.mcp.calls import Desk
from keyhole.toolsets.base import Caller
from tests.facts import unsaid
from tests.laws.test_same_facts import desk_at

Data = dict[str, Any]
MOST = 8_000
MOST_PAGES = 2_000

LINES = st.one_of(
    st.text(st.characters(exclude_characters="\r\n\0", codec="utf-8"), max_size=60),
    st.text('ab \t"\\', max_size=200),
    st.sampled_from(["x" * 9_000, "é" * 5_000, "𝒳\x02" * 4_000, '"\\' * 6_000, "\x01" * 9_000]),
)


@contextmanager
def desk_with(files: dict[str, str]) -> Iterator[Desk]:
    with TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", f"{base}/state")
        with desk_at(Path(base) / "root", files) as desk:
            yield desk


def pages(desk: Desk, tool: str, call: Data) -> Iterator[Data]:
    """The answers from a call to the last that goes on, each held to the law."""
    for _ in range(MOST_PAGES):
        said = desk.call(tool, call, Caller("tester"))
        assert not said.refused, said.text
        data = json.dumps(said.data, ensure_ascii=False, separators=(",", ":"))
        sizes = (len(said.text.encode("utf-8", "replace")), len(data.encode("utf-8", "replace")))
        assert max(sizes) < MOST, sizes
        assert unsaid(said.text, said.data) == []
        yield dict(said.data)
        if "next" not in said.data:
            return
        assert said.text.endswith(
            f"\nmore: {tool} {json.dumps(said.data['next'], ensure_ascii=False)}"
        )
        call = json.loads(json.dumps(said.data["next"]))
        if call.get("detail") == "full":
            return
    pytest.fail("there is no end of pages")


@given(
    st.lists(LINES, min_size=1, max_size=30),
    st.integers(1, 20),
    st.sampled_from([{}, {"numbered": False}]),
)
@example(["a" * 100], 20, {"numbered": False})
@example(["x" * 300_000, "end"], 1, {})
@settings(max_examples=15)
def test_pages_of_a_file_are_the_file(lines: list[str], times: int, how: Data) -> None:
    lines = [*lines * times, "end"]
    seen: dict[int, str] = {}
    with desk_with({"a b.txt": "\n".join(lines) + "\n"}) as desk:
        call, numbered = {"path": "a b.txt", **how}, not how
        for data in pages(desk, "read", call):
            first, last = data["lines"]
            assert first == len(seen) + 1
            for number in range(first, last + 1):
                seen[number] = lines[number - 1]
            if "cut" in data:
                assert data["cut"] == {**call, "lines": str(first), "detail": "full"}
                assert len(lines[first - 1]) > 1_000
                continue
            rows = (
                data["text"].split("\n")
                if numbered
                else data["text"].removesuffix("\n").split("\n")
            )
            assert [row.partition("| ")[2] if numbered else row for row in rows] == lines[
                first - 1 : last
            ]

    assert list(seen.values()) == lines


@given(st.integers(1, 400), st.sampled_from(["f", "größe", "名前", "x" * 300]))
@settings(max_examples=6)
def test_pages_of_an_outline_name_every_segment(count: int, name: str) -> None:
    wanted = [f"{name}{n}" for n in range(count)]
    code = "".join(f"def {each}():\n    return 1\n\n\n" for each in wanted)
    with desk_with({"a.py": code, "sub/b.py": code}) as desk:
        for path in ("a.py", "."):
            found = [
                each["address"]
                for data in pages(desk, "outline", {"path": path})
                for file in data.get("files", [data])
                for each in file["segments"]
            ]
            assert found == wanted * (2 if path == "." else 1)


def test_a_long_segment_is_read_to_its_end_and_no_further() -> None:
    code = "def a():\n" + "    x = 1\n" * 2_500 + "\n\ndef b():\n    return 2\n"
    with desk_with({"a.py": code}) as desk:
        found = list(pages(desk, "read", {"path": "a.py", "segment": "a"}))

    assert len(found) > 2
    assert [page["lines"][0] for page in found[1:]] == [page["lines"][1] + 1 for page in found[:-1]]
    assert found[-1]["lines"][1] == 2_501


def test_a_name_that_is_longer_than_a_page_is_cut_and_says_so() -> None:
    value: object = 1
    for _ in range(40):
        value = {"k" * 90: value}
    text = json.dumps({"a": value, "b": 2}, indent=1)
    with desk_with({"a.json": text}) as desk:
        rows = [
            each for data in pages(desk, "outline", {"path": "a.json"}) for each in data["segments"]
        ]
        hits = [each for data in pages(desk, "search", {"query": "1"}) for each in data["hits"]]

    assert len(rows) == 42
    assert rows[-1]["address"] == "b"
    assert all(len(row["address"]) < 3_000 or row["address"][-1] == "…" for row in rows)
    assert sum(row["address"][-1] == "…" for row in rows) > 10
    assert len(hits) == 1


@pytest.mark.parametrize(("context", "count"), [(0, 700), (3, 200), (200, 30)])
def test_pages_of_a_search_are_all_hits(context: int, count: int) -> None:
    lines = [f"{n} needle {'ü' * (n % 300)}" for n in range(count)]
    with desk_with({"a.txt": "\n".join(lines), "b.txt": "needle\n"}) as desk:
        call = {"query": "needle", **({"context": context} if context else {})}
        found = [hit for data in pages(desk, "search", call) for hit in data["hits"]]

    assert [hit["line"] for hit in found] == [*range(1, count + 1), 1]


def test_pages_of_a_history_are_all_transactions() -> None:
    with desk_with({"a.txt": "0\n"}) as desk:
        for n in range(60):
            edit = {"find": str(n), "content": str(n + 1), "reason": "why " * (n * 20)}
            assert not desk.call("edit", {"path": "a.txt", "edits": [edit]}, Caller("t")).refused
        patch = "".join(f"*** Add File: {'d' * 100}/{n}.txt\n+new\n" for n in range(300))
        many = {"patch": f"*** Begin Patch\n{patch}*** End Patch\n"}
        assert not desk.call("patch", many, Caller("t")).refused
        found = [each for data in pages(desk, "history", {}) for each in data["transactions"]]
        few = list(pages(desk, "history", {"limit": 7}))

    assert [each["id"].partition("-")[0] for each in found] == [str(n) for n in range(61, 0, -1)]
    assert len(found[0]["files"]) + found[0]["more_files"] == 300
    assert len(few[0]["transactions"]) == 7
    assert sum(len(data["transactions"]) for data in few) == 61


def test_who_asks_for_all_gets_all() -> None:
    text = "".join(f"line {n}\n" for n in range(1_500))
    with desk_with({"a.txt": text}) as desk:
        said = desk.call("read", {"path": "a.txt", "detail": "full"}, Caller("t"))
        hits = desk.call("search", {"query": "line", "detail": "full"}, Caller("t"))

    assert said.data["lines"] == [1, 1_500]
    assert len(hits.data["hits"]) == 100  # type: ignore[arg-type]


@pytest.mark.parametrize("offset", ["x", "-1", "1" * 9, "²"])
def test_an_offset_that_is_none_is_refused(offset: str) -> None:
    with desk_with({"a.txt": "a\n"}) as desk:
        said = desk.call("search", {"query": "a", "offset": offset}, Caller("t"))

    assert said.codes == ("bad-request",)
