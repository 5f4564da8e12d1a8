"""Scenarios that need a start of their own: flags, deaths, a busy machine, all of a session."""

from tests.laboratory.edit_scenarios import APPLIED
from tests.laboratory.scenario import RESTART, Kill, Scenario, after, call, edit

_LINES = b"one\ntwo\nthree\n"
_NEW = b"1\ntwo\nthree\n"
_MARKDOWN = b"# Notes\n\n## Use\n\nRun it.\n"
_PATCH = "*** Begin Patch\n*** Update File: codex/a.txt\n@@\n-one\n+1\n two\n*** End Patch\n"
OTHER_TOOLS = ("--tools", "claude,codex,text,safe-edit,surgical,sections")
READ_ONLY = ("--read-only",)
PROPOSE = ("--propose",)

# A host says in its own words that a tool is not there.
_REFUSED = (
    "(?i)read-only|no ?such ?tool|un(known|supported|available)|"
    "not (found|available|exist|registered)"
)
_READ_ONLY = (
    Scenario(
        "read-only: reading works",
        (call("read", path="quiet/a.txt"),),
        ((r"1\| one",),),
        {"quiet/a.txt": _LINES},
        flags=READ_ONLY,
    ),
    Scenario(
        "read-only: a write is refused",
        (edit("locked/a.txt", "one", "1"),),
        ((_REFUSED,),),
        {"locked/a.txt": _LINES},
        flags=READ_ONLY,
    ),
)
_PROPOSED = (
    Scenario(
        "propose: a person decides",
        (edit("propose/a.txt", "one", "1"), call("history", path="propose/a.txt")),
        ((r"proposed|queued|waits",), ("",)),
        {"propose/a.txt": _LINES},
        flags=PROPOSE,
    ),
)
_OTHERS = (
    Scenario(
        "the tool set claude",
        (
            call(
                "str_replace_based_edit_tool",
                command="str_replace",
                path="claude/a.txt",
                old_str="one",
                new_str="1",
            ),
            call("str_replace_based_edit_tool", command="view", path="claude/a.txt"),
        ),
        (("",), (r"1(\| |\t|\\t)1",)),
        {"claude/a.txt": _LINES},
        {"claude/a.txt": _NEW},
        flags=OTHER_TOOLS,
    ),
    Scenario(
        "the tool set codex",
        (call("apply_patch", input=_PATCH),),
        (("codex/a.txt",),),
        {"codex/a.txt": _LINES},
        {"codex/a.txt": _NEW},
        flags=OTHER_TOOLS,
    ),
    Scenario(
        "the tool set text",
        (
            call("TextReplace", filePath="text/a.txt", oldText="one", newText="1"),
            call("TextReplace", filePath="text/a.txt", oldText="nothing like it", newText="1"),
        ),
        (("",), ("is not in text/a.txt",)),
        {"text/a.txt": _LINES},
        {"text/a.txt": _NEW},
        flags=OTHER_TOOLS,
    ),
    Scenario(
        "the tool set safe-edit",
        (
            call(
                "safe_edit_file",
                path="safe/a.txt",
                line_edits=[{"start_line": 1, "end_line": 1, "new_content": "1"}],
            ),
        ),
        (("",),),
        {"safe/a.txt": _LINES},
        {"safe/a.txt": _NEW},
        flags=OTHER_TOOLS,
    ),
    Scenario(
        "the tool set surgical",
        (call("edit_file", path="surgical/a.txt", old_content="one", new_content="1"),),
        (("",),),
        {"surgical/a.txt": _LINES},
        {"surgical/a.txt": _NEW},
        flags=OTHER_TOOLS,
    ),
    Scenario(
        "the tool set sections",
        (call("edit_section", path="sections/n.md", section_title="Use", content="Go."),),
        (("",),),
        {"sections/n.md": _MARKDOWN},
        {"sections/n.md": _MARKDOWN.replace(b"Run it.", b"Go.")},
        flags=OTHER_TOOLS,
    ),
)
_KILLED = (
    Scenario(
        "the engine is killed between two calls",
        (
            edit("engine/a.txt", "two", "2"),
            after(Kill("engine"), edit("engine/a.txt", "one", "1")),
        ),
        ((APPLIED,), (APPLIED,)),
        {"engine/a.txt": _LINES},
        {"engine/a.txt": b"1\n2\nthree\n"},
        flags=("--task", "killed"),
    ),
    Scenario(
        "the engine is killed during a call",
        (
            call("read", path="flight/a.txt"),
            after(Kill("engine", 0.02), edit("flight/a.txt", "one", "1")),
            call("read", path="flight/a.txt"),
        ),
        (("one",), (APPLIED,), (r"1\| 1",)),
        {"flight/a.txt": _LINES},
        {"flight/a.txt": _NEW},
        flags=("--task", "killed"),
    ),
    Scenario(
        "the front is killed between two calls",
        (
            edit("front/a.txt", "two", "2"),
            after(Kill("front"), call("read", path="front/a.txt")),
            edit("front/a.txt", "one", "1"),
        ),
        ((APPLIED,), ("",), (APPLIED,)),
        {"front/a.txt": _LINES},
        {"front/a.txt": b"1\n2\nthree\n"},
        needs=frozenset({RESTART}),
        alone=True,
    ),
)
_SESSION = (
    Scenario(
        "undo of the session",
        (
            edit("session/a.txt", "one", "1"),
            edit("session/b.txt", "two", "2"),
            call("undo", session="this"),
        ),
        ((APPLIED,), (APPLIED,), (r"undone|took_back|applied",)),
        {"session/a.txt": _LINES, "session/b.txt": _LINES},
        {"session/a.txt": _LINES, "session/b.txt": _LINES},
        alone=True,
    ),
)
_BUSY = (
    Scenario(
        "a start beside eight busy loops",
        (edit("busy/a.txt", "one", "1"),),
        ((APPLIED,),),
        {"busy/a.txt": _LINES},
        {"busy/a.txt": _NEW},
        alone=True,
        busy=True,
    ),
)

SEPARATE = (*_READ_ONLY, *_PROPOSED, *_OTHERS, *_KILLED, *_SESSION, *_BUSY)
