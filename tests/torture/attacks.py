"""Requests that are made to cost much: patterns, sizes, depths and repetitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.scene import put

# Each makes a backtracking engine take for ever, an automaton grow without end, or is none at all.
REGEXES = (
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*a){20}$",
    "(a?){60}a{60}",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "([a-zA-Z]+)*!",
    "(.|\\s)*z",
    "((a{1,30}){1,30}){1,30}",
    "a{1000}{1000}",
    "(" * 1000 + "a" + ")" * 1000,
    "(a" * 5000,
    "[a-z]" * 20_000,
    "|".join(["a" * 50 + str(number) for number in range(2000)]),
    "(?:\\pL|\\pN)*(?:\\pL|\\pN)*(?:\\pL|\\pN)*$",
    "(?=a+b)a*",
    "(a+)\\1+$",
    "(?P<x>a)*(?P<x>b)",
)
DEEP = 10_000
LINES = 1_000_000
HUNKS = 100_000


@dataclass(frozen=True, slots=True)
class Attack:
    """One call, and what it is meant to exhaust."""

    name: str
    tool: str
    given: dict[str, object]


def lay_out(root: Path) -> None:
    """Put the files there that the attacks are about."""
    put(root, "small.txt", "one\ntwo\n")
    put(root, "evil.txt", "a" * 50_000 + "!\n" + "ab x\n" * 10_000)
    put(root, "lines.txt", b"".join(b"line %d\n" % number for number in range(LINES)))
    put(root, "twice.txt", "a\nb\n" * 20_000)
    put(root, "quotes.md", ">" * DEEP + " text\n")
    put(root, "lists.md", "".join("  " * level + "- item\n" for level in range(0, DEEP, 10)))
    put(root, "emphasis.md", "*a **b " * DEEP + "\n" + "[" * DEEP + "\n")
    put(root, "deep.json", "[" * DEEP + "]" * DEEP)
    put(root, "keys.json", '{"k":' * DEEP + "1" + "}" * DEEP)
    put(root, "deep.py", "x = " + "(" * DEEP + ")" * DEEP + "\n")
    for name, size in (("sparse.txt", 1 << 30), ("line.txt", 100 << 20)):
        with put(root, name, b"").open("r+b") as file:
            file.truncate(size)


def attacks() -> Iterator[Attack]:
    """Yield every attack; each must be refused by a code, or done."""
    for number, regex in enumerate(REGEXES):
        found = {"query": regex, "regex": True, "path": "evil.txt"}
        yield Attack(f"regex {number}", "search", found)
    yield from _edits("regex", ("evil.txt",), [{"find": REGEXES[0], "regex": True, "content": "x"}])
    for path in ("sparse.txt", "line.txt"):
        yield Attack(f"read {path}", "read", {"path": path})
        yield Attack(f"search {path}", "search", {"query": "x", "path": path})
        yield from _edits("edit", (path,), [{"find": "x", "content": "y"}])
    yield from _many_lines()
    yield from _many_hunks()
    for path in ("quotes.md", "lists.md", "emphasis.md", "deep.json", "keys.json", "deep.py"):
        yield Attack(f"outline {path}", "outline", {"path": path})
        yield from _edits("append to", (path,), [{"action": "append", "content": "x\n"}])
    yield from _repetitions()


def _edits(name: str, paths: tuple[str, ...], edits: list[dict[str, object]]) -> Iterator[Attack]:
    for path in paths:
        yield Attack(f"{name} {path}", "edit", {"path": path, "edits": edits})


def _many_lines() -> Iterator[Attack]:
    path = "lines.txt"
    yield Attack("read a million lines", "read", {"path": path})
    yield Attack("search a million lines", "search", {"query": "line 999999", "path": path})
    yield Attack("outline a million lines", "outline", {"path": path})
    yield from _edits("quote in", (path,), [{"find": "line 500000\n", "content": "LINE\n"}])
    yield from _edits("lines of", (path,), [{"lines": "700000", "content": "LINE"}])
    yield from _edits("miss in", (path,), [{"find": "line 40000x\nline 40001\n", "content": "x"}])
    apart: list[dict[str, object]] = [{"find": " line 400009\nline 700000\n", "content": "x"}]
    yield from _edits("lines apart in", (path,), apart)
    every: list[dict[str, object]] = [{"find": "line", "content": "LINE", "occurrence": "all"}]
    yield from _edits("everywhere in", (path,), every)


def _many_hunks() -> Iterator[Attack]:
    head = "--- a/twice.txt\n+++ b/twice.txt\n"
    hunks = "".join(f"@@ -{n} +{n} @@\n-a\n+c\n" for n in range(1, 2 * HUNKS, 2))
    yield Attack("hunks", "patch", {"patch": head + hunks})
    quotes = "twice.txt\n<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> REPLACE\n" * HUNKS
    yield Attack("quotes", "patch", {"patch": quotes})
    several = [{"path": f"f{number}.txt", "find": "a", "content": "b"} for number in range(HUNKS)]
    yield Attack("edits", "edit", {"edits": several})


def _repetitions() -> Iterator[Attack]:
    body = "b\na\n" * 10_000 + "a\na\nb\n" * 6_000
    edit = {"lines": "1-39990", "content": body}
    over = {"path": "twice.txt", "edits": [edit], "dry_run": True, "detail": "full"}
    yield Attack("rewrite what repeats", "edit", over)
    quote = "b\na\n" * 5_000 + "a\na\nb\n" * 3_000
    yield from _edits("long quote of", ("twice.txt",), [{"find": quote, "content": "x"}])
    yield from _edits("ambiguous in", ("twice.txt",), [{"find": "a\nb\na", "content": "x"}])
