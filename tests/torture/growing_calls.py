"""More inputs of any size: calls of many edits, segments, whole files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from keyhole.text.document import hash_of
from tests.torture.growing import SHAPES, Call, Case, Given, World, edit, functions, lines, look


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

    def in_others(n: int) -> World:
        world = each(n, lambda x: {"find": f"none {x} of it at all", "content": "x"}, "a\n")
        return replace(world, files={**world.files, **{f"f{x}.txt": lines(4) for x in range(n)}})

    yield Case("edits: quotes that stand in no file", in_others, first=16, most=512)
    yield Case(
        "edits: long quotes that stand nowhere",
        lambda n: each(n, lambda x: {"find": "a" * 16 * n + f"{x}", "content": "x"}, "a" * 512 * n),
        most=1024,
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
        most=most,
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
