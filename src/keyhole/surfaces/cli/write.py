"""keyhole write: write, delete or move a whole file."""

from __future__ import annotations

from keyhole.engine.edit.requests import operation_of
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    OUTPUT,
    WORKSPACE,
    WRITING,
    Argument,
    Command,
    Flag,
    Given,
    switch,
)
from keyhole.surfaces.cli.output import tell
from keyhole.surfaces.cli.session import decoded, opened, options_of, path_in, piped, text_of


def run(given: Given) -> int:
    """Give a file a whole text, delete it, or move it."""
    content = _content(given)
    with opened(given) as engine:
        root = engine.root
        target = given.text("--move-to")
        operation = operation_of(
            path_in(given, root, given.text("PATH") or ""),
            content,
            delete=given.on("--delete"),
            move_to=path_in(given, root, target) if target else "",
            allow_shrink=given.on("--allow-shrink"),
        )
        receipt = engine.write(operation, options_of(given))
    return tell(receipt, given)


def _content(given: Given) -> str | None:
    """Return the text to write: from a flag, from a file, or from standard input."""
    text = text_of(given, "content")
    if text is not None or given.on("--delete") or given.on("--move-to"):
        return text
    return decoded(given, "content", piped("give --content, --content-file, or a pipe"))


COMMAND = Command(
    "write",
    "write, delete or move a whole file",
    run,
    about="""\
A new file needs only its text. To replace a file, give the hash of the version you saw with
--expected-hash; `read` tells it. Without flags the text comes from standard input.""",
    example="""\
$ echo 'hello' | keyhole write notes/hello.txt
$ keyhole write old.py --move-to new.py
$ keyhole write old.py --delete""",
    arguments=(Argument("PATH", "the file"),),
    groups={
        "what": (
            Flag("--content", "the whole new text", "TEXT"),
            Flag(
                "--content-file", "the same from a file; - is standard input", "FILE", kind="file"
            ),
            switch("--delete", "take the file away"),
            Flag("--move-to", "give the file another path", "PATH", kind="file"),
            switch("--allow-shrink", "allow a text that drops most of a long file"),
        ),
        "how": WRITING,
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
