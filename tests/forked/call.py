"""Ask for a forked command: call.py SOCKET WORD... runs one with our streams and leaves as it does.

Only the standard library, and little of it: this is started once for every server of a client.
"""

from __future__ import annotations

import json
import os
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def sent(
    address: str,
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: str,
    streams: Iterable[int],
    *,
    is_counted: bool = True,
) -> socket.socket:
    """Send a command to the process that forks; its exit code comes when it has ended."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(address)
    socket.send_fds(line, [b"\n"], list(streams))
    asked = [list(words), dict(environment), directory, is_counted]
    line.sendall(json.dumps(asked).encode() + b"\n")
    return line


def code_from(line: socket.socket) -> int:
    """Wait for the exit code, and until nobody of the command is left to hold the other end."""
    with line, line.makefile("rb") as answer:
        return int(answer.read())


if __name__ == "__main__":
    LINE = sent(sys.argv[1], sys.argv[2:], os.environ, os.getcwd(), range(3))  # noqa: PTH109
    for number in range(3):
        os.close(number)  # the client and the command have these to themselves
    os._exit(code_from(LINE))
