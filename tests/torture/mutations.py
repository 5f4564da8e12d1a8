"""Sound patches in every format, and ways to damage them."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from tests.laws import renderings

FILES = {
    "f.txt": "one\ntwo\n\nthree\n  four\nfive\nsix\n",
    "crlf.txt": "alpha\r\nbeta\r\n\r\ngamma\r\n",
    "open.txt": "first line\nsecond line\nlast line",
    "app.py": "def load(path):\n    with open(path) as file:\n        return file.read()\n",
    "same.txt": "the same line again\n" * 40,
    "empty.txt": "",
}
_AFTER = {
    "f.txt": "one\n2\n\nthree\n  four\n4a\nfive\nsix\nseven\n",
    "crlf.txt": "alpha\r\nBETA\r\n\r\ngamma\r\ndelta\r\n",
    "open.txt": "first line\nlast line\nthe end\n",
    "app.py": "def load(path, mode):\n    with open(path, mode) as file:\n        return file\n",
    "same.txt": "the same line again\n" * 20 + "another\n" + "the same line again\n" * 20,
    "empty.txt": "no more\n",
}
_GIT = """\
diff --git a/new.txt b/new.txt
new file mode 100755
index 0000000..1111111
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+x
+y
\\ No newline at end of file
diff --git a/open.txt b/open.txt
old mode 100644
new mode 100755
diff --git a/crlf.txt b/moved.txt
similarity index 90%
rename from crlf.txt
rename to moved.txt
--- a/crlf.txt
+++ b/moved.txt
@@ -1,2 +1,2 @@
 alpha
-beta
+b
"""
_GONE = """\
diff --git a/f.txt b/copy.txt
copy from f.txt
copy to copy.txt
diff --git a/empty.txt b/empty.txt
deleted file mode 100644
--- a/open.txt
+++ /dev/null
@@ -1,3 +0,0 @@
-first line
-second line
-last line
\\ No newline at end of file
"""
_EXCHANGED = """\
diff --git a/f.txt b/open.txt
rename from f.txt
rename to open.txt
--- a/f.txt
+++ b/open.txt
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/open.txt b/app.py
old mode 100644
new mode 100755
rename from open.txt
rename to app.py
diff --git a/app.py b/f.txt
rename from app.py
rename to f.txt
diff --git a/empty.txt b/empty.txt
deleted file mode 100644
diff --git a/empty.txt b/empty.txt
new file mode 100644
--- /dev/null
+++ b/empty.txt
@@ -0,0 +1 @@
+full
"""
_HEAD = f"From {'0' * 40} Mon Sep 17 00:00:00 2001\nSubject: x\n\n- y\n---\n f.txt | 2 +-\n\n"
_SERIES = f"""\
{_HEAD}diff --git a/f.txt b/f.txt
--- a/f.txt
+++ b/f.txt
@@ -1,2 +1,3 @@
+zero
 one
-two
+2
--\x20
2.39

{_HEAD}diff --git a/f.txt b/g.txt
rename from f.txt
rename to g.txt
--- a/f.txt
+++ b/g.txt
@@ -2,2 +2,2 @@
 one
-2
+deux
--\x20
2.39

--- a/g.txt
+++ b/g.txt
@@ -1 +1 @@
-zero
+0
"""
_BEGIN = """\
*** Begin Patch
*** Add File: new.txt
+x
*** Delete File: open.txt
*** Update File: f.txt
*** Move to: moved.txt
@@ two
 three
-  four
+4
*** End of File
*** End Patch
"""
_FENCED = "```diff\n--- a/f.txt\n+++ b/f.txt\n@@ @@\n one\n-two\n+2\n```\n"
_FRESH = "new.txt\n<<<<<<< SEARCH\n=======\nfresh\n>>>>>>> REPLACE\n"
_ODD = "+- @*\\<>=\0\t\r\"'`{}[]/.,0123456789\u2028\ufeff\udc80\ud800é"
_LINES = (
    "@@",
    "@@ -1 +1 @@",
    "@@ -0,0 +1 @@",
    "@@@ -1 -1 +1 @@@",
    "--- a/f.txt",
    "+++ b/f.txt",
    "--- /dev/null",
    "+++ /dev/null",
    "+++ b/../../out.txt",
    "--- a/.git/config",
    '+++ "b/\\056\\056/\\000"',
    "diff --git a/f.txt b/f.txt",
    "rename to .git/hooks/x",
    "rename from f.txt",
    "rename to f.txt",
    f"commit {'1' * 40}",
    "new file mode 120000",
    "GIT binary patch",
    "\\ No newline at end of file",
    "*** Begin Patch",
    "*** End Patch",
    "*** End of File",
    "*** Update File: f.txt",
    "*** Move to: ../out.txt",
    "***************",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "1,2c",
    "-- ",
)

Mutation = Callable[[random.Random, list[str]], list[str]]


@cache
def sources() -> tuple[str, ...]:
    """Return a patch of each file in each format, and those that only some formats have."""
    formats = (
        renderings.plain,
        renderings.git,
        renderings.begin_patch,
        renderings.search_replace,
        renderings.as_json,
    )
    made = [
        render(path, before, _AFTER[path])
        for path, before in FILES.items()
        for render in formats
        if before or render in formats[:3]
    ]
    together = "".join(renderings.git(path, FILES[path], _AFTER[path]) for path in FILES)
    return (*made, together, _GIT, _GONE, _EXCHANGED, _SERIES, _BEGIN, _FENCED, _FRESH)


def mutated(rng: random.Random) -> str:
    """Return a patch with one to five things wrong with it."""
    lines = rng.choice(sources()).split("\n")
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        lines = rng.choice(_MUTATIONS)(rng, lines) or [""]
    return "\n".join(lines)


def _drop(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    return [*lines[:at], *lines[at + rng.choice((1, 1, 3)) :]]


def _insert(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines) + 1)
    return [*lines[:at], rng.choice((*_LINES, *lines)), *lines[at:]]


def _swap(rng: random.Random, lines: list[str]) -> list[str]:
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return lines


def _character(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    line = lines[at]
    where = rng.randint(0, min(len(line), rng.choice((0, 6, 80))))
    lines[at] = line[:where] + rng.choice(("", *_ODD)) + line[where + rng.randint(0, 1) :]
    return lines


def _number(rng: random.Random, lines: list[str]) -> list[str]:
    heads = [at for at, line in enumerate(lines) if line.startswith("@@")]
    if heads:
        numbers = [rng.choice((0, 1, 2, 7, 40, 10**8, 10**12)) for _ in range(4)]
        lines[rng.choice(heads)] = "@@ -{},{} +{},{} @@".format(*numbers)
    return lines


def _cut(rng: random.Random, lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    return text[: rng.randint(0, len(text))].split("\n")


def _splice(rng: random.Random, lines: list[str]) -> list[str]:
    other = rng.choice(sources()).split("\n")
    return lines[: rng.randint(0, len(lines))] + other[rng.randint(0, len(other)) :]


def _repeat(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    return [*lines[:at], *[lines[at]] * rng.choice((2, 2, 2, 2, 2, 2, 60)), *lines[at + 1 :]]


def _line_ends(rng: random.Random, lines: list[str]) -> list[str]:
    some = rng.random() < 0.5
    return [line if some and rng.random() < 0.5 else f"{line}\r" for line in lines]


def _indent(rng: random.Random, lines: list[str]) -> list[str]:
    blank = rng.choice((" ", "  ", "\t"))
    return [line[:1] + blank + line[1:] if line[:1] in {" ", "+", "-"} else line for line in lines]


_MUTATIONS: tuple[Mutation, ...] = (
    _drop,
    _insert,
    _swap,
    _character,
    _character,
    _number,
    _cut,
    _splice,
    _repeat,
    _line_ends,
    _indent,
)
