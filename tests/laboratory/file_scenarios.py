"""Scenarios of guards, bytes, whole files and the past; they share the start of the edits."""

from tests.laboratory.edit_scenarios import APP, APPLIED, EDITS, NOTES, WORKER, swapped
from tests.laboratory.model import Earlier
from tests.laboratory.scenario import Outsider, Scenario, after, call, edit

_HUGE = b"".join(
    b"line %04d of a file that no host shows whole to its model\n" % n for n in range(2000)
)
_TRANSACTION = r'(?:applied |transaction": ?")([0-9]+-[0-9a-f]+)'
_HASH = r"\b([0-9a-f]{16})\b"

_GUARDS = (
    Scenario(
        "a file that would break",
        (edit("broken/app.py", "def fetch(url):", "def fetch(url:"),),
        (("syntax-broken",),),
        {"broken/app.py": APP},
    ),
    Scenario(
        "a comment instead of the code",
        (
            edit(
                "lazy/app.py",
                "    retries = 3\n    time.sleep(1)\n    return url",
                "    # ... existing code ...\n    return None",
            ),
        ),
        (("elision-left",),),
        {"lazy/app.py": APP},
    ),
    Scenario(
        "a write that drops most of a file",
        (
            call("read", path="shrink/big.txt", lines="1"),
            call("write", path="shrink/big.txt", content="1\n", expected_hash=Earlier(_HASH)),
        ),
        ((_HASH,), ("shrinks",)),
        {"shrink/big.txt": _HUGE[:6000]},
    ),
    Scenario(
        "a path outside",
        (call("read", path="../../../../etc/hostname"),),
        (("path-denied",),),
    ),
    Scenario(
        "a wrong path, and the nearest names",
        (edit("nearest/ap.py", "return url", "return [url]"),),
        (("no-file", "nearest/app.py"),),
        {"nearest/app.py": APP},
    ),
    Scenario(
        "stale: the place was changed since",
        (
            call("read", path="stale/app.py"),
            after(
                Outsider({"stale/app.py": swapped(APP, b"return url", b"return url + '/'")}),
                call(
                    "edit",
                    expected_hash=Earlier(_HASH),
                    edits=[
                        {"path": "stale/app.py", "find": "return url", "content": "return [url]"}
                    ],
                ),
            ),
        ),
        ((_HASH,), ("stale", r"return url \+ '/'")),
        {"stale/app.py": APP},
        {"stale/app.py": swapped(APP, b"return url", b"return url + '/'")},
    ),
    Scenario(
        "carried over: another place was changed since",
        (
            call("read", path="carried/app.py"),
            after(
                Outsider({"carried/app.py": swapped(APP, b"return item", b"return [item]")}),
                call(
                    "edit",
                    expected_hash=Earlier(_HASH),
                    edits=[
                        {"path": "carried/app.py", "find": "return url", "content": "return [url]"}
                    ],
                ),
            ),
        ),
        ((_HASH,), (APPLIED,)),
        {"carried/app.py": APP},
        {
            "carried/app.py": swapped(
                swapped(APP, b"return item", b"return [item]"), b"return url", b"return [url]"
            )
        },
    ),
    Scenario(
        "conflict: another task edited there",
        (
            after(
                Outsider(
                    keyhole=(
                        *("edit", "conflict/app.py", "--find", "return url"),
                        *("--content", "return url + '/'", "--task", "other"),
                    )
                ),
                edit("conflict/app.py", "return url + '/'", "return [url]", task="mine"),
            ),
        ),
        (("conflict", "other"),),
        {"conflict/app.py": APP},
        {"conflict/app.py": swapped(APP, b"return url", b"return url + '/'")},
    ),
    Scenario(
        "conflict: the user is asked, and nobody answers",
        (
            after(
                Outsider(
                    keyhole=(
                        *("edit", "asked/app.py", "--find", "return url"),
                        *("--content", "return url + '/'", "--task", "other"),
                    )
                ),
                edit(
                    "asked/app.py",
                    "return url + '/'",
                    "return [url]",
                    task="mine",
                    on_conflict="ask",
                ),
            ),
        ),
        (("conflict|cancel|declin",),),
        {"asked/app.py": APP},
        {"asked/app.py": swapped(APP, b"return url", b"return url + '/'")},
    ),
)

_BYTES = (
    Scenario(
        "a path and a text in other scripts",
        (edit("ünï/日本 語.txt", "Größe", "Größe 📏"),),
        ((APPLIED, "日本 語"),),
        {"ünï/日本 語.txt": "Die Größe\n".encode()},
        {"ünï/日本 語.txt": "Die Größe 📏\n".encode()},
    ),
    Scenario(
        "line ends of another system",
        (edit("crlf/app.py", "retries = 3\n    time.sleep(1)", "retries = 3\n    time.sleep(7)"),),
        ((APPLIED,),),
        {"crlf/app.py": APP.replace(b"\n", b"\r\n")},
        {"crlf/app.py": swapped(APP, b"sleep(1)", b"sleep(7)").replace(b"\n", b"\r\n")},
    ),
    Scenario(
        "no newline at the end",
        (edit("bare/last.txt", "three", "3"),),
        ((APPLIED,),),
        {"bare/last.txt": b"one\ntwo\nthree"},
        {"bare/last.txt": b"one\ntwo\n3"},
    ),
    Scenario(
        "bytes that are not UTF-8",
        (edit("latin/old.txt", "price", "cost"),),
        ((APPLIED,),),
        {"latin/old.txt": b"price: 5 \xa4\r\nname: M\xfcller\r\n"},
        {"latin/old.txt": b"cost: 5 \xa4\r\nname: M\xfcller\r\n"},
    ),
    Scenario(
        "a huge file, and how to go on",
        (
            call("read", path="huge/long.txt"),
            call("read", path="huge/long.txt", lines="1990-1992"),
        ),
        ((r"line 0000", "2000", r"\b113-"), (r"1990\| line 1989", r"1992\| line 1991")),
        {"huge/long.txt": _HUGE},
    ),
)

_DIFF = """\
--- a/diff/app.py
+++ b/diff/app.py
@@ -4,4 +4,4 @@
 def fetch(url):
     retries = 3
-    time.sleep(1)
+    time.sleep(8)
     return url
"""
_BEGIN = """\
*** Begin Patch
*** Update File: begin/app.py
@@ def store(item):
     retries = 3
-    return item
+    return [item]
*** End Patch
"""

_FILES = (
    Scenario(
        "a unified diff",
        (call("patch", patch=_DIFF),),
        ((APPLIED,),),
        {"diff/app.py": APP},
        {"diff/app.py": swapped(APP, b"sleep(1)", b"sleep(8)")},
    ),
    Scenario(
        "a patch as Codex writes it",
        (call("patch", patch=_BEGIN),),
        ((APPLIED,),),
        {"begin/app.py": APP},
        {"begin/app.py": swapped(APP, b"return item", b"return [item]")},
    ),
    Scenario(
        "a new file, moved, and deleted",
        (
            call("write", path="made/new.txt", content="one\n"),
            call("write", path="made/new.txt", move_to="made/moved.txt"),
            call("write", path="made/old.txt", delete=True),
        ),
        ((APPLIED,), (APPLIED,), (APPLIED,)),
        {"made/old.txt": b"old\n"},
        {"made/new.txt": None, "made/moved.txt": b"one\n", "made/old.txt": None},
    ),
    Scenario(
        "search",
        (call("search", query="needle", path="search"),),
        (("search/app.py", "needle in a haystack"),),
        {"search/app.py": b"def find():\n    return 'needle in a haystack'\n"},
    ),
    Scenario(
        "outline of a directory",
        (call("outline", path="outline"),),
        (("Worker.run|run", "Install"),),
        {"outline/worker.py": WORKER, "outline/notes.md": NOTES},
    ),
)

_PAST = (
    Scenario(
        "undo",
        (
            edit("undo/app.py", "return url", "return [url]"),
            call("undo", id=Earlier(_TRANSACTION)),
        ),
        ((APPLIED, _TRANSACTION), (r"undone|took_back|applied",)),
        {"undo/app.py": APP},
        {"undo/app.py": APP},
        core=True,
    ),
    Scenario(
        "undo of a task, with what came after",
        (
            edit("task/app.py", "return url", "return [url]", task="one"),
            edit("task/app.py", "return item", "return [item]", task="two"),
            call("undo", task="one"),
        ),
        ((APPLIED,), (APPLIED,), (r"undone|took_back|applied",)),
        {"task/app.py": APP},
        {"task/app.py": swapped(APP, b"return item", b"return [item]")},
    ),
    Scenario(
        "history of a file",
        (
            edit("past/app.py", "return url", "return [url]"),
            call("history", path="past/app.py"),
        ),
        ((APPLIED,), ("past/app.py", "mcp edit")),
        {"past/app.py": APP},
        {"past/app.py": swapped(APP, b"return url", b"return [url]")},
    ),
)

_CELL = b"""\
{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [],
   "source": [
    "limit = 1\\n",
    "print(limit)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"""
_IN_CELL = {"segment": "cell#1", "find": "limit = 1", "content": "limit = 2"}
_MANY = {"glob": "sweep/*.py", "find": "LIMIT", "content": "MOST"}

_EVERYWHERE = (
    Scenario(
        "a place in many files, shown and then changed",
        (call("edit", **_MANY), call("edit", **_MANY, expected_count=3)),
        (("verified", "sweep/b.py", r"MOST = 10"), (APPLIED, r'3 places|"count": ?3')),
        {
            "sweep/a.py": b"LIMIT = 10\nprint(LIMIT)\n",
            "sweep/b.py": b"from sweep.a import LIMIT\n",
        },
        {"sweep/a.py": b"MOST = 10\nprint(MOST)\n", "sweep/b.py": b"from sweep.a import MOST\n"},
    ),
    Scenario(
        "a symbol and its uses",
        (call("rename", path="symbol/core.py", segment="load", to="fetch_all"),),
        ((APPLIED, "symbol/use.py"),),
        {
            "symbol/core.py": b"def load(name):\n    return name\n",
            "symbol/use.py": b"from symbol.core import load\n\nload('load')\n",
        },
        {
            "symbol/core.py": b"def fetch_all(name):\n    return name\n",
            "symbol/use.py": b"from symbol.core import fetch_all\n\nfetch_all('load')\n",
        },
    ),
    Scenario(
        "a cell of a notebook",
        (call("edit", path="cell/n.ipynb", edits=[_IN_CELL]),),
        ((APPLIED, r"1\| limit = 2"),),
        {"cell/n.ipynb": _CELL},
        {"cell/n.ipynb": swapped(_CELL, b"limit = 1", b"limit = 2")},
    ),
)

SHARED = (*EDITS, *_GUARDS, *_BYTES, *_FILES, *_EVERYWHERE, *_PAST)
