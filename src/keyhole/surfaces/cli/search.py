"""keyhole search: find text in the tree, and the segments it stands in."""

from __future__ import annotations

from keyhole.engine.reading import Search
from keyhole.surfaces.cli.grammar import (
    OUTPUT,
    WORKSPACE,
    Argument,
    Command,
    Flag,
    Given,
    number,
    switch,
)
from keyhole.surfaces.cli.output import answer
from keyhole.surfaces.cli.session import opened, path_in


def run(given: Given) -> int:
    """Show the places that hold the query."""
    with opened(given) as engine:
        path = path_in(given, engine.root, given.text("PATH") or ".")
        if given.on("--symbol"):
            limit = given.number("--limit", 100)
            return answer(
                engine.refactoring.references(path, given.text("QUERY") or "", limit), given
            )
        wanted = Search(
            query=given.text("QUERY") or "",
            path=path,
            regex=given.on("--regex"),
            glob=given.text("--glob") or "",
            context=given.number("--context", 0),
            limit=given.number("--limit", 100),
        )
        hits = engine.search(wanted)
    return answer(hits, given, "hit", () if given.on("--regex") else (wanted.query,))


COMMAND = Command(
    "search",
    "find text in the tree, and the segments it stands in",
    run,
    about="""\
A line a hit: path, line, column, text, and in brackets the address of the segment it stands in.
Files that .gitignore names are left out. Nothing found is an answer, not an error.""",
    example="""\
$ keyhole search 'retries' src --context 1
$ keyhole search 'def test_\\w+' --regex --glob '*.py' --limit 20""",
    arguments=(
        Argument("QUERY", "the text to look for", kind="text"),
        Argument("PATH", "a file or directory, default the root", required=False),
    ),
    groups={
        "what to look for": (
            switch("--symbol", "QUERY is the address of a symbol in the file PATH: find its uses"),
            switch("--regex", "QUERY is a regular expression (RE2)"),
            Flag("--glob", "only files whose path fits, such as *.py", "PATTERN"),
            number("--context", "lines to show around a hit, default 0"),
            number("--limit", "how many hits to show, default 100"),
        ),
        "workspace": WORKSPACE,
        "output": OUTPUT,
    },
)
