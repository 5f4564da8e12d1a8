from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, END, LOOK, PROMPT, START, Happening
from keyhole.engine.hooks.events import happening_of, place_of

CLAUDE = {"session_id": "s", "prompt_id": "p", "tool_use_id": "u", "cwd": "/x"}
CODEX = {"session_id": "s", "turn_id": "p", "tool_use_id": "u", "model": "m"}
QWEN = {"session_id": "s", "prompt_id": "p", "tool_call_id": "u"}


@pytest.mark.parametrize(
    ("host", "said", "found"),
    [
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "PreToolUse", "tool_name": "Bash"}
            | {"tool_input": {"command": "\n  make TOKEN=x\nls"}},
            Happening(BEFORE, "claude-code", "s", "p", "Bash", "u", "make TOKEN=[redacted]"),
        ),
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "PostToolUse", "tool_name": "Edit"}
            | {"tool_input": {"file_path": "a"}, "tool_response": {"originalFile": "x"}},
            Happening(AFTER, "claude-code", "s", "p", "Edit", "u", writes=("a",)),
        ),
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "PostToolUseFailure", "tool_name": "Read"},
            Happening(AFTER, "claude-code", "s", "p", "Read", "u", writes=()),
        ),
        (
            "codex",
            {**CODEX, "hook_event_name": "PreToolUse", "tool_name": "Bash"}
            | {"tool_input": {"command": ["bash", "-lc", "ls"]}},
            Happening(BEFORE, "codex", "s", "p", "shell", "u", "bash -lc ls"),
        ),
        (
            "codex",
            {**CODEX, "tool_use_id": None, "hook_event_name": "UserPromptSubmit", "prompt": "do"},
            Happening(PROMPT, "codex", "s", "p", said="do"),
        ),
        (
            "gemini-cli",
            {"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "replace"},
            Happening(BEFORE, "gemini-cli", "s", "", "replace", "replace"),
        ),
        (
            "gemini-cli",
            {"session_id": "s", "hook_event_name": "AfterAgent"},
            Happening(END, "gemini-cli", "s"),
        ),
        (
            "qwen-code",
            {**QWEN, "hook_event_name": "UserPromptSubmit", "prompt": ""},
            Happening(LOOK, "qwen-code", "s", "p", use="u"),
        ),
        (
            "opencode",
            {"event": "tool.execute.after", "tool": "bash", "sessionID": "s", "callID": "c"}
            | {"args": {"command": "ls"}},
            Happening(AFTER, "opencode", "s", "", "bash", "c", "ls"),
        ),
        (
            "claude-code",
            {**CLAUDE, "tool_use_id": None, "hook_event_name": "PostToolBatch"}
            | {"tool_calls": [{"tool_name": "Bash", "tool_use_id": "v"}, 3]},
            Happening(LOOK, "claude-code", "s", "p", ended=("v",)),
        ),
        ("codex", {"hook_event_name": "SessionStart"}, Happening(START, "codex")),
        ("codex", {"hook_event_name": "Another", "session_id": True}, Happening(LOOK, "codex")),
    ],
)
def test_what_hosts_say_is_understood(host: str, said: dict[str, object], found: Happening) -> None:
    assert happening_of(host, said) == found


def test_a_long_command_is_cut() -> None:
    said = {"hook_event_name": "PreToolUse", "tool_input": {"command": "x" * 999}}

    assert len(happening_of("codex", said).said) == 200


def test_the_project_is_where_the_host_says() -> None:
    assert place_of({"cwd": "/a"}, {}) == "/a"
    assert place_of({"cwd": "/a"}, {"CLAUDE_PROJECT_DIR": "/b"}) == "/b"
    assert place_of({}, {}) == ""
    assert place_of({"cwd": "a\0b"}, {}) == ""


def test_names_that_no_store_and_no_disk_takes_do_no_harm() -> None:
    said = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "session_id": "s\ud800"}

    named = [
        happening_of("claude-code", {**said, "tool_input": {"file_path": path}}).writes
        for path in ("a\0/b", "\ud800", "a\nb", "\udcff")
    ]

    assert named == [None, None, ("a\nb",), ("\udcff",)]
    assert happening_of("claude-code", said).session == "s "


def codex(tool: str, command: object, here: Path) -> Happening:
    said = {**CODEX, "hook_event_name": "PreToolUse", "cwd": str(here), "tool_name": tool}
    return happening_of("codex", {**said, "tool_input": {"command": command}})


def test_a_patch_names_its_files(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a\n*** Move to: d/b\n@@\n-x\n+y\n*** Add File: c\n"
    (tmp_path / "a").touch()
    named = tuple(str(tmp_path / name) for name in ("a", "d/b", "c"))

    assert codex("apply_patch", patch, tmp_path).writes == named
    assert codex("Bash", f"apply_patch <<'EOF'\n{patch}EOF", tmp_path).writes == named
    assert codex("Bash", ["bash", "-lc", f"apply_patch <<'EOF'\n{patch}"], tmp_path).writes == named
    assert codex("Bash", f"apply_patch <<'EOF'\n{patch}EOF", tmp_path / "d").writes is None
    (tmp_path / "d e").mkdir()
    (tmp_path / "d e/a").touch()
    below = codex("Bash", f"cd 'd e' && apply_patch <<'EOF'\n{patch}EOF", tmp_path).writes
    assert below is not None
    assert below[0] == str(tmp_path / "d e/a")
    assert codex("view_image", "", tmp_path).writes == ()
    assert codex("Bash", f"cat <<'EOF'\n{patch}EOF", tmp_path).writes is None


def test_a_notice_of_a_program_that_ended_is_no_prompt() -> None:
    notice = "<task-notification>\n<task-id>b</task-id>\n<tool-use-id>u7</tool-use-id>\n"
    said = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": notice}

    found = happening_of("claude-code", said)

    assert (found.kind, found.said, found.ended) == (LOOK, "", ("u7",))


def test_a_command_in_the_background_goes_on_after_its_end() -> None:
    said = {**CLAUDE, "tool_name": "Bash", "tool_input": {"run_in_background": True}}

    assert happening_of("claude-code", {**said, "hook_event_name": "PostToolUse"}).goes_on
    assert not happening_of("claude-code", {**said, "hook_event_name": "PreToolUse"}).goes_on
