"""What hosts say in their hooks, read into happenings: one row a host.

All of them send one JSON object. What is missing or unknown makes a plain look, never an error: a
hook that fails would stand in the way of the agent's work.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from keyhole.checkpoints.happenings import AFTER, BEFORE, END, GONE, LOOK, PROMPT, START, Happening
from keyhole.checkpoints.kept_out import redacted
from keyhole.fastclasses import dataclass, field

_LONGEST = 200
_CLAUDE = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER,
    "PostToolBatch": LOOK,
    "Stop": END,
    "SessionEnd": GONE,
}


@dataclass(frozen=True, slots=True)
class HookReader:
    """How one host spells what happens: its events, and the keys of its ids."""

    events: Mapping[str, str]
    prompt: tuple[str, ...] = ("prompt_id",)
    use: tuple[str, ...] = ("tool_use_id",)
    # Whether a prompt has no name of its own, so that it gets the number of its mark.
    counts: bool = False
    # What the host calls its tools, where others call them otherwise.
    tools: Mapping[str, str] = field(default_factory=dict)
    # Tools that change one file, and where they name it.
    editors: Mapping[str, str] = field(default_factory=dict)
    # Tools that change no file themselves; what they start tells of itself.
    silent: frozenset[str] = frozenset()
    # Whether patches come as a tool of that name, or by the shell to a program of that name.
    patches: bool = False

    def writes(self, tool: str, given: object, here: str = "") -> tuple[str, ...] | None:
        """Return the files that a use of a tool can change, None where nobody can tell."""
        if tool in self.silent:
            return ()
        if self.patches:
            return _patched(_command({"tool_input": given}), here)
        named = given.get(self.editors.get(tool, "")) if isinstance(given, Mapping) else None
        return (named,) if isinstance(named, str) and _is_path(named) else None


_PATCH = (
    r"\s*(\S+ -l?c )?\s*(?:cd\s+(?P<place>'[^']*'|\"[^\"]*\"|[^\s;&|]+)\s*&&\s*)?"
    r"(apply_patch\b|\*\*\* Begin Patch)"
)
_PATCHED = r"(?m)^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$"


def _patched(command: str, here: str) -> tuple[str, ...] | None:
    """Return the files of a patch; a host that carries it out itself never says when it ended.

    Nobody tells where a shell stands: where a file of the patch is not there, it may be another.
    """
    begun = re.match(_PATCH, command)
    if not begun:
        return None
    here = str(Path(here, (begun["place"] or "").strip("'\"")))
    named = [(how, str(Path(here, path))) for how, path in re.findall(_PATCHED, command)]
    there = (path for how, path in named if how in {"Update File", "Delete File"})
    is_known = named and all(_is_path(path) and os.path.lexists(path) for path in there)
    return tuple(path for _, path in named) if is_known else None


def _is_path(name: str) -> bool:
    """Tell whether a system can have a file of this name: hosts pass on what a model wrote."""
    try:
        return bool(os.fsencode(name)) and "\0" not in name
    except UnicodeEncodeError:
        return False


def _silent(names: str) -> frozenset[str]:
    return frozenset(names.split())


_GEMINI_LOOKS = (
    "read_file read_many_files list_directory glob grep_search search_file_content "
    "google_web_search web_fetch web_search todo_write write_todos task tool_search"
)
HOOKS: Mapping[str, HookReader] = {
    "claude-code": HookReader(
        _CLAUDE,
        editors={
            "Edit": "file_path",
            "MultiEdit": "file_path",
            "Write": "file_path",
            "NotebookEdit": "notebook_path",
        },
        silent=_silent(
            "Read Glob Grep LS WebFetch WebSearch TodoWrite ToolSearch Task Agent Skill "
            "AskUserQuestion EnterPlanMode ExitPlanMode BashOutput TaskOutput KillShell TaskStop "
            "ListMcpResourcesTool ReadMcpResourceTool"
        ),
    ),
    "codex": HookReader(
        _CLAUDE,
        prompt=("turn_id",),
        tools={"Bash": "shell"},
        silent=_silent("view_image"),
        patches=True,
    ),
    "gemini-cli": HookReader(
        {
            "SessionStart": START,
            "BeforeAgent": PROMPT,
            "BeforeTool": BEFORE,
            "AfterTool": AFTER,
            "AfterAgent": END,
            "SessionEnd": GONE,
        },
        counts=True,
        editors={"replace": "file_path", "write_file": "file_path"},
        silent=_silent(_GEMINI_LOOKS),
    ),
    "qwen-code": HookReader(
        _CLAUDE,
        use=("tool_call_id", "tool_use_id"),
        editors={"edit": "file_path", "write_file": "file_path"},
        silent=_silent(_GEMINI_LOOKS),
    ),
    "opencode": HookReader(
        {
            "chat.message": PROMPT,
            "tool.execute.before": BEFORE,
            "tool.execute.after": AFTER,
            "session.idle": END,
        },
        prompt=("messageID",),
        use=("callID",),
        counts=True,
        editors={"edit": "filePath", "write": "filePath"},
        silent=_silent("read glob grep list webfetch websearch todowrite todoread task skill"),
    ),
}


def happening_of(host: str, said: Mapping[str, object]) -> Happening:
    """Return what a hook says, in our words."""
    reader = HOOKS[host]
    kind = reader.events.get(_text(said, "hook_event_name", "event"), LOOK)
    prompt = _said(said, "prompt")
    if kind == PROMPT and host == "qwen-code" and not prompt.strip():
        kind = LOOK  # it says so after each tool, too
    ended = _ended(reader, said.get("tool_calls"))
    if kind == PROMPT and (notice := re.match(_NOTICE, prompt)):
        kind, ended = LOOK, (notice[1],)
    tool, given = _text(said, "tool_name", "tool"), said.get("tool_input", said.get("args"))
    return Happening(
        kind,
        host,
        _text(said, "session_id", "sessionID"),
        _text(said, *reader.prompt),
        reader.tools.get(tool, tool),
        _text(said, *reader.use) or (tool if kind in {BEFORE, AFTER} else ""),
        _first_line(prompt if kind == PROMPT else _command(said)),
        reader.writes(tool, given, place_of(said, {})),
        ended,
        kind == AFTER and isinstance(given, Mapping) and given.get(_BACKGROUND) is True,
    )


# What Claude Code says in the place of a user once a program in the background has ended.
_BACKGROUND = "run_in_background"
_NOTICE = r"(?s)<task-notification>.*?<tool-use-id>([^<]+)</tool-use-id>"


def _ended(reader: HookReader, calls: object) -> tuple[str, ...]:
    """Return the uses of a batch that is over: of those that were refused no other hook tells."""
    if not isinstance(calls, list):
        return ()
    return tuple(_text(each, *reader.use) for each in calls if isinstance(each, Mapping))


def place_of(said: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """Return the directory that a hook is about, "" if it says none."""
    named = (said.get(name) for name in ("cwd", "directory", "worktree"))
    paths = (environment.get("CLAUDE_PROJECT_DIR"), *named)
    return next((each for each in paths if isinstance(each, str) and _is_path(each)), "")


def _command(said: Mapping[str, object]) -> str:
    given = said.get("tool_input", said.get("args"))
    if not isinstance(given, Mapping):
        return ""
    command = given.get("command")
    if isinstance(command, list):
        return " ".join(map(str, command))
    return command if isinstance(command, str) else ""


def _first_line(text: str) -> str:
    line = next((each.strip() for each in text.split("\n") if each.strip()), "")
    line = _printable(redacted(line))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _text(said: Mapping[str, object], *names: str) -> str:
    return _printable(_said(said, *names))[:_LONGEST]


def _said(said: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = said.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return ""


def _printable(text: str) -> str:
    """Return a text that any store takes: without control characters and halves of pairs."""
    return text if text.isprintable() else "".join(x if x.isprintable() else " " for x in text)
