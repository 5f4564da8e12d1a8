"""Serve aider's SEARCH/REPLACE engine as one MCP tool; runs in an environment that has aider.

Only the class that applies edits is used: no model, no repository, no chat.
"""

from __future__ import annotations

import json
import sys

from aider.coders.editblock_coder import EditBlockCoder  # type: ignore[import-not-found]
from aider.io import InputOutput  # type: ignore[import-not-found]

_TOOL = {"name": "apply", "description": "SEARCH/REPLACE blocks", "inputSchema": {"type": "object"}}


def main(root: str) -> None:
    """Answer requests from standard input until it ends."""
    coder = EditBlockCoder.__new__(EditBlockCoder)
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root, coder.fence, coder.abs_fnames = root, ("```", "```"), set()
    coder.abs_root_path_cache = {}
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(coder, message["method"], message.get("params", {}))
            out.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            out.flush()


def answer(coder: EditBlockCoder, method: str, params: dict) -> dict:  # type: ignore[type-arg]
    """Return the result of one request."""
    if method == "initialize":
        info = {"name": "aider", "version": "0"}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [_TOOL]}
    given = params["arguments"]
    edits = [(given["path"], _ended(old), _ended(new)) for old, new in given["blocks"]]
    try:
        coder.apply_edits(edits)
    except Exception as failed:  # noqa: BLE001 - whatever aider raises is its answer
        return {"isError": True, "content": [{"type": "text", "text": str(failed)}]}
    return {"content": [{"type": "text", "text": "applied"}]}


def _ended(text: str) -> str:
    """Return a side of a block as it is read from a reply: whole lines."""
    return text if not text or text.endswith("\n") else f"{text}\n"


if __name__ == "__main__":
    main(sys.argv[1])
