"""The front says what the protocol's library says, or leaves it to the library."""

import json
import os
import pty
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import version as versions

from keyhole.surfaces.cli.grammar import Given, parse
from keyhole.surfaces.cli.mcp import COMMAND, _setup, flags
from keyhole.surfaces.mcp import bake
from keyhole.surfaces.mcp.front import greeting, main, messages
from keyhole.surfaces.mcp.front.messages import HANDSHAKE, MODERN, is_request, line_of, message_of
from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.tools import SETS
from tests.surfaces.mcp.host import Data


def test_the_table_is_as_the_library_answers_today() -> None:
    baked = bake.text_of(bake.baked(flags()))

    assert Path(greeting.TABLE).read_text(encoding="utf-8") == baked, "run `make bake`"


def test_the_versions_are_those_of_the_library() -> None:
    assert HANDSHAKE == versions.HANDSHAKE_PROTOCOL_VERSIONS
    assert (MODERN,) == versions.MODERN_PROTOCOL_VERSIONS


def told(words: list[str], asked: list[Data]) -> list[Data | None]:
    """What the front answers to the messages of one session."""
    greeter = main._greeter(words)
    assert greeter is not None
    answers = [greeter.answer(one) if is_request(one) else None for one in asked]
    return [None if said is None else message_of(line_of(said)) for said in answers]


def setup(words: list[str]) -> Setup:
    given: Given = parse(COMMAND, words)
    return _setup(given)


FLAGS = [
    *([] if name == "native" else ["--tools", name] for name in SETS),
    ["--tools", "read,codex", "--tools=outline"],
    ["--tools", "claude,article"],
    *(["--tools", name, "--read-only"] for name in SETS),
    ["--task-mode", "analyze"],
    ["--task-mode=modify", "--task", "t", "--allow-ext", "py"],
]


@pytest.mark.parametrize("words", FLAGS, ids=" ".join)
@pytest.mark.parametrize("version", [*HANDSHAKE, "1999-01-01", MODERN])
def test_every_version_set_of_tools_and_flag_is_answered_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, words: list[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    words = [*words, "--root", str(tmp_path)]
    modern = version == MODERN
    first = bake.asked("server/discover", {}, modern=True) if modern else bake.hello(version)
    methods = [*bake.LISTS, *([] if modern else ["ping"])]
    asked = [first, *(bake.asked(each, {}, modern=modern) for each in methods)]

    assert told(words, asked) == anyio.run(bake.answers, setup(words), asked)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize("modern", [False, True])
def test_the_instructions_name_the_roots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, *, modern: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    roots = [tmp_path / f"root {number}" for number in range(count)]
    for root in roots:
        root.mkdir()
    words = [word for root in (*roots, *roots[:1]) for word in ("--root", str(root))]
    first = bake.asked("server/discover", {}, modern=True) if modern else bake.hello(HANDSHAKE[0])

    assert told(words, [first]) == anyio.run(bake.answers, setup(words), [first])


@pytest.mark.parametrize(
    "words", [["a", "b", "c"], ["--root", "a", "b", "c"], ["b", "c", "--root=a"]], ids=" ".join
)
def test_roots_need_no_flag_and_come_in_one_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        (tmp_path / name).mkdir()
    asked = [bake.hello(HANDSHAKE[-1])]

    [said] = told(words, asked)

    assert said
    assert f"below {tmp_path}/a; name files below {tmp_path}/b" in said["result"]["instructions"]
    assert [said] == anyio.run(bake.answers, setup(words), asked)


@pytest.mark.parametrize("wanted", [{}, {"toolsListChanged": True, "promptsListChanged": False}])
def test_a_stream_of_news_is_acknowledged_alike(tmp_path: Path, wanted: Data) -> None:
    listen = bake.asked("subscriptions/listen", {"notifications": wanted}, modern=True)

    assert told(["--root", str(tmp_path)], [listen]) == anyio.run(bake.answers, Setup(), [listen])
    assert told(["--root", str(tmp_path)], [listen, listen])[1] is None


def test_a_stream_of_news_of_resources_is_the_librarys(tmp_path: Path) -> None:
    wanted = {"resourceSubscriptions": ["keyhole://history"]}
    listen = bake.asked("subscriptions/listen", {"notifications": wanted}, modern=True)

    assert told(["--root", str(tmp_path)], [listen]) == [None]


def test_a_client_without_roots_is_left_to_the_library_if_we_have_none() -> None:
    hello = bake.hello(HANDSHAKE[-1])
    hello["params"]["capabilities"] = {}

    assert told([], [hello, bake.asked("tools/list", {}, modern=False)]) == [None, None]


@pytest.mark.parametrize(
    "line",
    [
        "--root|/nowhere",
        "--root",
        "--tools| , ",
        "--tools|bogus",
        "--bogus",
        "--read-only=1",
        "--task-mode|dance",
        "--task|a|--task|b",
        "--http|127.0.0.1:0",
    ],
)
def test_flags_that_the_front_does_not_serve_are_left_to_the_command_line(line: str) -> None:
    assert main._greeter(line.split("|")) is None


def test_a_person_at_a_terminal_is_told_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main.tell_terminal()
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(theirs, encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        main.tell_terminal()

    assert capsys.readouterr().err.count("waiting for an agent host on standard input") == 1


# Messages that are nearly right: a value replaced, taken away or added anywhere.
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.floats(allow_nan=False),
    st.sampled_from(["", "x", MODERN, *HANDSHAKE, [], [{}], {}, {"a": 1}, {"listChanged": True}]),
)

NAMES = [
    *("extra", "roots", "title", "cursor", "progressToken", "icons", "tools", "experimental"),
    *("elicitation", "sampling", "form", "tasks", "requests", "website_url", "list_changed"),
]


@st.composite
def nearly(draw: st.DrawFn) -> Data:
    right = [
        bake.hello(draw(st.sampled_from(HANDSHAKE))),
        bake.asked("server/discover", {}, modern=True),
        bake.asked("subscriptions/listen", {"notifications": {}}, modern=True),
        *(bake.asked(method, {}, modern=True) for method in bake.LISTS),
        bake.asked("ping", {}, modern=draw(st.booleans())),
    ]
    message: Data = json.loads(json.dumps(draw(st.sampled_from(right))))
    for _ in range(draw(st.integers(0, 2))):
        at = message
        while draw(st.booleans()) and (inner := [one for one in at.values() if type(one) is dict]):
            at = draw(st.sampled_from(inner))
        name = draw(st.sampled_from([*at, *NAMES]))
        if draw(st.booleans()):
            at[name] = draw(ODD)
        else:
            at.pop(name, None)
    return message


@settings(max_examples=150, deadline=None)
@given(nearly())
def test_what_the_front_answers_the_library_answers_alike(message: Data) -> None:
    baked = greeting.table()
    greeter = greeting.Greeter(baked, [], baked["words"]["native"])
    said = greeter.answer(message) if is_request(message) else None
    if said is None:
        return

    assert [message_of(line_of(said))] == anyio.run(bake.answers, Setup(), [message])


# What hosts say of themselves that the protocol does not know, or that may be left out.
LOOSE: dict[str, Data] = {
    "cursor": {
        "capabilities": {
            "tools": True,
            "logging": False,
            "elicitation": {"form": {}},
            "roots": {"listChanged": False},
        },
        "clientInfo": {"name": "cursor-vscode", "version": "1.0.0"},
    },
    "icons": {
        "capabilities": {"roots": {}, "sampling": {"context": {}}, "tasks": {"requests": None}},
        "clientInfo": {
            "name": "x",
            "version": "1",
            "title": None,
            "vendor": {"id": 3},
            "icons": [{"src": "data:,", "sizes": ["16x16"]}],
        },
        "trace": "off",
    },
    "nothing": {
        "capabilities": {"roots": {"listChanged": None}, "extensions": None, "sampling": None},
        "clientInfo": {"name": "x", "version": "1", "icons": None},
    },
}


@pytest.mark.parametrize("name", LOOSE)
def test_a_client_that_says_more_than_it_has_to_is_greeted_at_once(name: str) -> None:
    baked, hello = greeting.table(), bake.hello(HANDSHAKE[-1])
    hello["params"] |= LOOSE[name]
    modern = bake.asked("prompts/list", {}, modern=True)
    modern["params"]["_meta"] |= {
        messages._INFO: LOOSE[name]["clientInfo"],
        messages._CAPABILITIES: LOOSE[name]["capabilities"],
    }
    for message in (hello, modern):
        said = greeting.Greeter(baked, [], baked["words"]["native"]).answer(message)

        assert [said] == anyio.run(bake.answers, Setup(), [message])


def test_a_doubtful_client_is_nobody() -> None:
    assert messages._client({"name": "x", "version": "1"}, {"roots": {"listChanged": 1}}) is None
    assert messages._client({"name": "x"}, {}) is None
    assert messages._client({"name": "x", "version": 1}, {}) is None
    assert messages._client({"name": "x", "version": "1"}, {"roots": []}) is None
    assert messages._client({"name": "x", "version": "1"}, {"experimental": {"a": 1}}) is None
    assert messages._client({"name": "x", "version": "1", "icons": [{"src": 1}]}, {}) is None
