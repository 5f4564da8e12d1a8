"""More inputs of any size: calls of many edits, segments, patches in each format, whole files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from keyhole.text.document import hash_of
from tests.torture.growing import SHAPES, Call, Case, Given, World, edit, functions, lines, look


def patch(path: str, text: str, body: str) -> World:
    """Return a patch for a file."""
    return World({path: text}, Call("native", "patch", {"patch": body, "dry_run": True}))


def many() -> Iterator[Case]:
    """Yield calls of many edits, of whatever kind."""

    def each(
        n: int, one: Callable[[int], dict[str, object]], text: str, path: str = "a.txt"
    ) -> World:
        return edit(path, text, [one(x) for x in range(n)])

    most = 1 << 12
    yield Case(
        "edits: lines",
        lambda n: each(n, lambda x: {"lines": str(2 * x + 1), "content": f"x{x}"}, lines(2 * n)),
        most=most,
    )
    yield Case(
        "edits: few lines of many",
        lambda n: each(
            n,
            lambda x: {"lines": str(8 * x + 1), "content": f"x{x}", "action": "after"},
            lines(64 * n),
        ),
        most=most,
    )
    yield Case(
        "edits: quotes",
        lambda n: each(n, lambda x: {"find": f"line {x} of", "content": f"row {x} of"}, lines(n)),
        most=most,
    )
    yield Case(
        "edits: tolerant quotes",
        lambda n: each(
            n, lambda x: {"find": f"line  {x}  of some\ttext\n", "content": "x\n"}, lines(n)
        ),
        most=most,
    )
    yield Case(
        "edits: quotes that stand nowhere",
        lambda n: each(n, lambda x: {"find": f"none {x} of it at all", "content": "x"}, lines(n)),
        most=most,
    )
    yield Case(
        "edits: ambiguous quotes",
        lambda n: each(n, lambda _: {"find": "of some text", "content": "x"}, lines(n)),
        most=most,
    )
    yield Case(
        "edits: appended",
        lambda n: each(n, lambda x: {"action": "append", "content": f"x{x}\n"}, lines(n)),
        most=most,
    )
    yield Case(
        "edits: that overlap",
        lambda n: each(n, lambda x: {"lines": f"{x + 1}-{x + 2}", "content": "x"}, lines(n + 2)),
        most=most,
    )
    yield Case(
        "edits: segments",
        lambda n: each(
            n,
            lambda x: {"segment": f"f{x}", "part": "body", "content": f"return {x}"},
            functions(n),
            "a.py",
        ),
        most=most,
    )
    yield Case(
        "edits: sections",
        lambda n: each(
            n,
            lambda x: {"segment": f"# H{x}", "action": "append", "content": "x"},
            SHAPES["headings.md"](n),
            "a.md",
        ),
        most=most,
    )
    yield Case(
        "edits: keys",
        lambda n: each(
            n,
            lambda x: {"segment": f"k{x}", "part": "body", "content": "9"},
            SHAPES["keys.json"](n),
            "a.json",
        ),
        most=most,
    )
    yield Case(
        "edits: segments that are not there",
        lambda n: each(n, lambda x: {"segment": f"g{x}", "content": "x"}, functions(n), "a.py"),
        most=most,
    )
    yield Case(
        "edits: regular expressions",
        lambda n: each(
            n, lambda x: {"find": f"line {x} of", "regex": True, "content": "x"}, lines(n)
        ),
        most=most,
    )
    yield Case(
        "edits: patterns",
        lambda n: each(
            n,
            lambda x: {"pattern": f"f{x}($A)", "content": "g()"},
            "".join(f"f{x}(1)\n" for x in range(n)),
            "a.py",
        ),
        most=512,
    )


def segments() -> Iterator[Case]:
    """Yield edits by the name of a segment in files with many of them."""

    def one(name: str, segment: str, n: int, **more: object) -> World:
        wanted: dict[str, object] = {"segment": segment, **more}
        return edit(name, SHAPES[name](n), [wanted])

    yield Case(
        "segment: body",
        lambda n: one("functions.py", f"f{n // 2}", n, part="body", content="return 1"),
    )
    yield Case("segment: delete", lambda n: one("functions.py", f"f{n // 2}", n, action="delete"))
    yield Case(
        "segment: after",
        lambda n: one("methods.py", f"C.m{n // 2}", n, action="after", content="def x(self): ..."),
    )
    yield Case(
        "segment: ambiguous", lambda n: one("same.py", "f", n, content="def f():\n    return 1")
    )
    yield Case(
        "segment: numbered",
        lambda n: one("same.py", f"f#{n // 2}", n, content="def f():\n    return 1"),
    )
    yield Case("segment: unknown", lambda n: one("functions.py", "nowhere", n, content="x"))
    yield Case(
        "segment: a long name", lambda n: one("functions.py", "f." * n + "g", n, content="x")
    )
    yield Case(
        "segment: section", lambda n: one("headings.md", f"# H{n // 2}", n, content="# New\n\nx")
    )
    yield Case("segment: ambiguous section", lambda n: one("same.md", "## Same", n, content="x"))
    yield Case(
        "segment: long content",
        lambda n: edit(
            "a.py",
            "def f():\n    pass\n",
            [{"segment": "f", "part": "body", "content": "a = 1\n" * n}],
        ),
    )
    yield Case(
        "segment: docstring",
        lambda n: edit(
            "a.py",
            f'def f():\n    """{"a " * n}"""\n    return 1\n',
            [{"segment": "f", "part": "doc", "content": "b " * n}],
        ),
    )
    yield Case(
        "segment: deep key",
        lambda n: one("deep.json", ".".join("k" * min(n, 100)), n, part="body", content="2"),
    )
    yield Case(
        "segment: table",
        lambda n: one("tables.toml", f"a.b{n // 2}", n, action="append", content="d = 1"),
    )
    yield Case(
        "segment: key of yaml",
        lambda n: one("keys.yaml", f"k{n // 2}.a", n, part="body", content="9"),
    )
    yield Case(
        "segment: of a class",
        lambda n: one("methods.py", "C", n, action="append", content="def x(self): ..."),
    )
    yield Case(
        "read: segment", lambda n: look("functions.py", functions(n), "read", segment=f"f{n - 1}")
    )
    yield Case("read: lines", lambda n: look("a.txt", lines(n), "read", lines=f"{n - 1}-"))
    yield Case("read: all", lambda n: look("a.txt", lines(n), "read"))
    yield Case("read: a long line", lambda n: look("a.txt", "ab " * 100 * n, "read"))
    yield Case(
        "outline: query", lambda n: look("functions.py", functions(n), "outline", query="f1")
    )
    yield Case(
        "outline: kinds", lambda n: look("functions.py", functions(n), "outline", kinds=["x"] * n)
    )


def patches() -> Iterator[Case]:
    """Yield patches in every format, with many hunks, right and wrong."""
    most = 1 << 12

    def hunk(x: int, at: int) -> str:
        before, old, after = (f"line {x + by} of some text\n" for by in (-1, 0, 1))
        return f"@@ -{at},3 +{at},3 @@\n {before}-{old}+new {x}\n {after}"

    def unified(n: int, shift: int = 0) -> World:
        hunks = "".join(hunk(4 * x + 1, 4 * x + 1 + shift) for x in range(n))
        return patch("a.txt", lines(4 * n + 4), f"--- a/§a.txt\n+++ b/§a.txt\n{hunks}")

    yield Case("diff: hunks", unified, most=most)
    yield Case("diff: wrong numbers", lambda n: unified(n, 1000), most=most)
    yield Case(
        "diff: equal hunks",
        lambda n: patch(
            "a.txt",
            "a\nb\n" * n,
            "--- a/§a.txt\n+++ b/§a.txt\n" + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" * n,
        ),
        most=most,
    )
    yield Case(
        "diff: hunks that stand nowhere",
        lambda n: patch(
            "a.txt",
            lines(n),
            "--- a/§a.txt\n+++ b/§a.txt\n"
            + "".join(f"@@ -{x} +{x} @@\n-none {x} at all\n+c\n" for x in range(1, n)),
        ),
        most=most,
    )
    yield Case(
        "diff: a long hunk",
        lambda n: patch(
            "a.txt",
            lines(n),
            f"--- a/§a.txt\n+++ b/§a.txt\n@@ -1,{n} +1,{n} @@\n"
            + "".join(f"-line {x} of some text\n+x{x}\n" for x in range(n)),
        ),
    )
    yield Case(
        "diff: no end",
        lambda n: patch("a.txt", "a\n", "--- a/§a.txt\n+++ b/§a.txt\n" + "@@ @@\n" * n),
    )
    yield Case(
        "diff: heads",
        lambda n: patch("a.txt", "a\n", "diff --git a/§a.txt b/§a.txt\n" * n),
        most=most,
    )
    yield Case(
        "diff: new files",
        lambda n: patch(
            "a.txt",
            "a\n",
            "".join(f"--- /dev/null\n+++ b/§n{x}.txt\n@@ -0,0 +1 @@\n+x\n" for x in range(n)),
        ),
        first=16,
        most=1000,
    )
    begin = "*** Begin Patch\n*** Update File: §a.txt\n"
    yield Case(
        "begin patch: hunks",
        lambda n: patch(
            "a.txt",
            lines(2 * n),
            begin
            + "".join(f"@@\n-line {2 * x} of some text\n+x{x}\n" for x in range(n))
            + "*** End Patch\n",
        ),
        most=most,
    )
    yield Case(
        "begin patch: anchors",
        lambda n: patch(
            "a.py",
            functions(n),
            begin.replace("a.txt", "a.py")
            + "".join(f"@@ def f{x}(a):\n-    return a + {x}\n+    return {x}\n" for x in range(n))
            + "*** End Patch\n",
        ),
        most=most,
    )
    yield Case(
        "begin patch: anchors of one hunk",
        lambda n: patch(
            "a.txt",
            lines(n),
            begin
            + "".join(f"@@ line {x} of some text\n" for x in range(n))
            + "-none\n+x\n*** End Patch\n",
        ),
        most=most,
    )
    yield Case(
        "begin patch: wrong",
        lambda n: patch(
            "a.txt",
            lines(n),
            begin + "".join(f"@@\n-none {x} at all\n+x\n" for x in range(n)) + "*** End Patch\n",
        ),
        most=most,
    )
    yield Case(
        "search/replace: blocks",
        lambda n: patch(
            "a.txt",
            lines(n),
            "".join(
                f"§a.txt\n<<<<<<< SEARCH\nline {x} of some text\n=======\nx{x}\n>>>>>>> REPLACE\n"
                for x in range(n)
            ),
        ),
        most=most,
    )
    yield Case(
        "search/replace: heads",
        lambda n: patch("a.txt", lines(4), "§a.txt\n" + "<<<<<<< SEARCH\n" * n),
    )
    yield Case(
        "search/replace: dividers",
        lambda n: patch(
            "a.txt",
            lines(4),
            "§a.txt\n<<<<<<< SEARCH\nline 1 of some text\n" + "=======\n" * n + ">>>>>>> REPLACE\n",
        ),
    )
    yield Case(
        "json: edits",
        lambda n: patch(
            "a.txt",
            lines(n),
            json.dumps(
                {
                    "path": "§a.txt",
                    "edits": [{"find": f"line {x} of", "content": "x"} for x in range(n)],
                }
            ),
        ),
        most=most,
    )
    yield Case(
        "json: nested", lambda n: patch("a.txt", "a\n", '{"edits": ' + "[" * n + "]" * n + "}")
    )
    yield Case("patch: nothing known", lambda n: patch("a.txt", "a\n", "abc " * n))


def wholes() -> Iterator[Case]:
    """Yield whole texts written over others, and what the past says of them."""

    def write(before: str, after: str, **more: object) -> World:
        known = hash_of(before.encode())
        given = {"path": "§a.txt", "content": after, "dry_run": True, "allow_shrink": True, **more}
        given["expected_hash"] = known
        return World({"a.txt": before}, Call("native", "write", given))

    yield Case(
        "write: new",
        lambda n: World({}, Call("native", "write", {"path": "§a.txt", "content": lines(n)})),
    )
    yield Case("write: other", lambda n: write(lines(n), lines(n).replace("some", "other")))
    yield Case("write: repeats", lambda n: write("a\nb\n" * n, "b\na\na\n" * n))
    yield Case(
        "write: reversed",
        lambda n: write(lines(n), "\n".join(reversed(lines(n).split("\n"))) + "\n"),
    )
    yield Case("write: a long line", lambda n: write("ab " * 20 * n, "ba " * 20 * n))
    yield Case(
        "write: full detail", lambda n: write(lines(n), lines(n).replace("o", "0"), detail="full")
    )
    yield Case("write: not asked", lambda n: write(lines(n), "x\n", allow_shrink=False))

    def committed(n: int) -> World:
        every = {"find": "some", "content": "x", "occurrence": "all"}
        given: Given = {"path": "§a.txt", "edits": [every]}
        return World({"a.txt": lines(n)}, Call("native", "edit", given))

    yield Case("edit: committed", committed)

    def edited(n: int, call: Call) -> World:
        made = tuple(
            Call(
                "native", "edit", {"path": "§a.txt", "edits": [{"lines": "1", "content": f"x{x}"}]}
            )
            for x in range(n)
        )
        return World({"a.txt": "a\nb\n"}, call, made)

    yield Case(
        "history: edits",
        lambda n: edited(n, Call("native", "history", {"path": "§a.txt", "limit": 1000})),
        first=4,
        most=64,
    )
    yield Case(
        "undo: after edits",
        lambda n: edited(n, Call("native", "undo", {"dry_run": True})),
        first=4,
        most=64,
    )
    first = Call(
        "native",
        "edit",
        {"path": "§a.txt", "edits": [{"find": "some", "content": "x", "occurrence": "all"}]},
    )
    yield Case(
        "history: a large edit",
        lambda n: World(
            {"a.txt": lines(n)}, Call("native", "history", {"path": "§a.txt"}), (first,)
        ),
    )
    yield Case(
        "undo: a large edit",
        lambda n: World({"a.txt": lines(n)}, Call("native", "undo", {"dry_run": True}), (first,)),
    )
    yield Case(
        "history: segment",
        lambda n: World(
            {"functions.py": functions(n)},
            Call("native", "history", {"path": "§functions.py", "segment": "f1"}),
            (
                Call(
                    "native",
                    "edit",
                    {
                        "path": "§functions.py",
                        "edits": [
                            {"find": "return a + 1\n", "content": "return a\n", "occurrence": 1}
                        ],
                    },
                ),
            ),
        ),
    )
