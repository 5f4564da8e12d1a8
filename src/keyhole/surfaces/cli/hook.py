"""keyhole hook: take what a host says in a hook, for the history."""

from __future__ import annotations

import os
import sys

from keyhole.engine.hooks.hook import take_hook
from keyhole.surfaces.cli.grammar import Argument, Command, Given
from keyhole.surfaces.cli.main import LastResort
from keyhole.surfaces.cli.output import DONE

# Spelt out here so that help loads no engine; a test compares them with it.
HOSTS = ("claude-code", "codex", "gemini-cli", "qwen-code", "opencode")
_MOST = 64 << 20


def run(given: Given) -> int:
    """Look at the tree; whatever becomes of it, the host goes on."""
    body = sys.stdin.buffer.read(_MOST) if sys.stdin and not sys.stdin.isatty() else b""
    with LastResort():
        trouble = take_hook(given.text("HOST") or "", body, os.environ)
        if trouble:
            sys.stderr.write(f"keyhole: {trouble}\n")
    return DONE


COMMAND = Command(
    "hook",
    "take what a host says in a hook, for the history",
    run,
    about="""\
Hosts start it before and after their tools, with JSON on standard input; `keyhole install` writes
that into their configuration. It looks at the tree as `observe` does, and notes which session,
prompt and tool were at work. It prints nothing, and its exit code is 0 whatever happens: what one
look misses, the next one finds.""",
    example="$ keyhole hook claude-code < hook.json",
    arguments=(Argument("HOST", "the host that calls", kind="text", choices=HOSTS),),
    groups={},
)
