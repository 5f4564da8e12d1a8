"""What a server finds wrong in new texts and not in those that there are, file by file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from time import monotonic

from keyhole.language_servers.question import ServerFailed, ServerPlace
from keyhole.language_servers.table import is_below

# A line from 0 and a code; and what the server says of it.
Fault = tuple[tuple[int, str], str]


def new_faults(
    paths: Sequence[str],
    faults_of: Callable[[str], Sequence[Fault]],
    go_back: Callable[[], None],
    seconds: float,
) -> dict[str, object]:
    """Return `places` of faults that go when the texts do, and of how many files nobody knows.

    The server has the new texts until `go_back` is called.
    """
    after: dict[str, Sequence[Fault]] = {}
    until = monotonic() + seconds
    for path in paths:
        if after and monotonic() > until:
            break
        after[path] = faults_of(path)
    found = {path: faults for path, faults in after.items() if faults}
    if found:
        go_back()
    places = []
    for path, faults in found.items():
        before = Counter(place for place, _ in faults_of(path))
        for place, message in faults:
            before[place] -= 1
            if before[place] < 0:
                places.append(ServerPlace(path, (place[0], 0), (place[0], 0), message))
    return {"places": places, "unknown": len(paths) - len(after)}


def faults_of_tsserver(answer: object) -> list[Fault]:
    """Return the errors of an answer of the program behind typescript-language-server."""
    found = []
    for each in answer if isinstance(answer, list) else ():
        try:
            if each["category"] == "error":
                line, text = int(each["start"]["line"]) - 1, str(each["text"])
                found.append(((line, str(each["code"])), first_line(text)))
        except (KeyError, TypeError, ValueError):
            raise ServerFailed("sent what is no answer") from None
    return found


def files_of_project(project: Mapping[str, object], root: str, but: Collection[str]) -> list[str]:
    """Return the files of a project of TypeScript that are the workspace's own, but some."""
    names = project.get("fileNames")
    named = map(str, names if isinstance(names, list) else ())
    found = (os.path.relpath(each, root) for each in named if is_below(each, root))
    return [each for each in found if each not in but and "node_modules" not in each.split("/")]


def first_line(text: str) -> str:
    """Return the first line of a message."""
    return text.partition("\n")[0]
