"""Serve one engine of others as one MCP tool; runs in an environment that has the engine.

python worker.py aider|str-replace ROOT

Only what applies edits is used: no model, no repository, no chat.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

Apply = Callable[[dict], str]  # type: ignore[type-arg]


def aider(root: str) -> Apply:
    """Return what applies aider's SEARCH/REPLACE blocks."""
    from aider.coders.editblock_coder import (  # type: ignore[import-not-found]
        EditBlockCoder,
    )
    from aider.io import InputOutput  # type: ignore[import-not-found]

    coder = EditBlockCoder.__new__(EditBlockCoder)
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root, coder.fence, coder.abs_fnames = root, ("```", "```"), set()
    coder.abs_root_path_cache = {}

    def apply(given: dict) -> str:  # type: ignore[type-arg]
        edits = [(given["path"], _ended(old), _ended(new)) for old, new in given["blocks"]]
        coder.apply_edits(edits)
        return "applied"

    return apply


def _ended(text: str) -> str:
    """Return a side of a block as it is read from a reply: whole lines."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def str_replace(root: str) -> Apply:
    """Return Anthropic's reference of the `str_replace` tool, as `inspect-tool-support` has it."""
    from inspect_tool_support._in_process_tools._text_editor import (  # type: ignore[import-not-found]
        text_editor as editor,
    )

    # What it keeps for its undo lies beside the root instead of in /tmp, anew for every start.
    kept = (str(Path(root).parent / "home" / f"history-{os.getpid()}.pkl"),)
    editor._load_history.__defaults__ = editor._save_history.__defaults__ = kept  # noqa: SLF001

    def apply(given: dict) -> str:  # type: ignore[type-arg]
        command = getattr(editor, given.pop("command"))
        return str(asyncio.run(command(given.pop("path"), **given)))

    return apply


def main(engine: str, root: str) -> None:
    """Answer requests from standard input until it ends."""
    apply = {"aider": aider, "str-replace": str_replace}[engine](root)
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(engine, apply, message["method"], message.get("params", {}))
            out.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            out.flush()


def answer(engine: str, apply: Apply, method: str, params: dict) -> dict:  # type: ignore[type-arg]
    """Return the result of one request."""
    if method == "initialize":
        info = {"name": engine, "version": "0"}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        tool = {"name": "apply", "description": engine, "inputSchema": {"type": "object"}}
        return {"tools": [tool]}
    try:
        text, refused = apply(params["arguments"]), False
    except Exception as failed:  # noqa: BLE001 - whatever the engine raises is its answer
        text, refused = str(failed), True
    return {"isError": refused, "content": [{"type": "text", "text": text}]}


if __name__ == "__main__":
    main(*sys.argv[1:])
