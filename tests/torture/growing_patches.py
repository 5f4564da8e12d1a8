"""More inputs of any size: patches in each format, with many hunks, right and wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.torture.growing import Call, Case, World, functions, lines


def patch(path: str, text: str, body: str) -> World:
    """Return a patch for a file."""
    return World({path: text}, Call("native", "patch", {"patch": body, "dry_run": True}))


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
        "diff: ambiguous headings",
        lambda n: patch(
            "a.txt",
            lines(n),
            "--- a/§a.txt\n+++ b/§a.txt\n"
            + "".join(f"@@ -1 +1 @@ line\n-line {x} of some text\n+x{x}\n" for x in range(1, n)),
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
        "begin patch: ambiguous anchors",
        lambda n: patch(
            "a.txt",
            lines(n),
            begin + "@@ line\n-none\n+x\n" * n + "*** End Patch\n",
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
