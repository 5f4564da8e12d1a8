"""More inputs of any size: calls of many edits, patches, whole files, templates, other tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

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
        old = f"line {x} of some text"
        return f"@@ -{at},3 +{at},3 @@\n line {x - 1} of some text\n-{old}\n+new {x}\n line {x + 1} of some text\n"

    def unified(n: int, shift: int = 0) -> World:
        hunks = "".join(hunk(4 * x + 1, 4 * x + 1 + shift) for x in range(n))
        return patch("a.txt", lines(4 * n + 4), f"--- a/@a.txt\n+++ b/@a.txt\n{hunks}")

    yield Case("diff: hunks", unified, most=most)
    yield Case("diff: wrong numbers", lambda n: unified(n, 1000), most=most)
    yield Case(
        "diff: equal hunks",
        lambda n: patch(
            "a.txt",
            "a\nb\n" * n,
            "--- a/@a.txt\n+++ b/@a.txt\n" + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" * n,
        ),
        most=most,
    )
    yield Case(
        "diff: hunks that stand nowhere",
        lambda n: patch(
            "a.txt",
            lines(n),
            "--- a/@a.txt\n+++ b/@a.txt\n"
            + "".join(f"@@ -{x} +{x} @@\n-none {x} at all\n+c\n" for x in range(1, n)),
        ),
        most=most,
    )
    yield Case(
        "diff: a long hunk",
        lambda n: patch(
            "a.txt",
            lines(n),
            f"--- a/@a.txt\n+++ b/@a.txt\n@@ -1,{n} +1,{n} @@\n"
            + "".join(f"-line {x} of some text\n+x{x}\n" for x in range(n)),
        ),
    )
    yield Case(
        "diff: no end",
        lambda n: patch("a.txt", "a\n", "--- a/@a.txt\n+++ b/@a.txt\n" + "@@ @@\n" * n),
    )
    yield Case(
        "diff: heads",
        lambda n: patch("a.txt", "a\n", "diff --git a/@a.txt b/@a.txt\n" * n),
        most=most,
    )
    yield Case(
        "diff: new files",
        lambda n: patch(
            "a.txt",
            "a\n",
            "".join(f"--- /dev/null\n+++ b/@n{x}.txt\n@@ -0,0 +1 @@\n+x\n" for x in range(n)),
        ),
        first=16,
        most=1000,
    )
    begin = "*** Begin Patch\n*** Update File: @a.txt\n"
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
                f"@a.txt\n<<<<<<< SEARCH\nline {x} of some text\n=======\nx{x}\n>>>>>>> REPLACE\n"
                for x in range(n)
            ),
        ),
        most=most,
    )
    yield Case(
        "search/replace: heads",
        lambda n: patch("a.txt", lines(4), "@a.txt\n" + "<<<<<<< SEARCH\n" * n),
    )
    yield Case(
        "search/replace: dividers",
        lambda n: patch(
            "a.txt",
            lines(4),
            "@a.txt\n<<<<<<< SEARCH\nline 1 of some text\n" + "=======\n" * n + ">>>>>>> REPLACE\n",
        ),
    )
    yield Case(
        "json: edits",
        lambda n: patch(
            "a.txt",
            lines(n),
            json.dumps(
                {
                    "path": "@a.txt",
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
        given = {"path": "@a.txt", "content": after, "dry_run": True, "allow_shrink": True, **more}
        return World({"a.txt": before}, Call("native", "write", given))

    yield Case(
        "write: new",
        lambda n: World({}, Call("native", "write", {"path": "@a.txt", "content": lines(n)})),
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
        given = {"path": "@a.txt", "edits": [{"find": "some", "content": "x", "occurrence": "all"}]}
        return World({"a.txt": lines(n)}, Call("native", "edit", given))

    yield Case("edit: committed", committed)

    def edited(n: int, call: Call) -> World:
        made = tuple(
            Call(
                "native", "edit", {"path": "@a.txt", "edits": [{"lines": "1", "content": f"x{x}"}]}
            )
            for x in range(n)
        )
        return World({"a.txt": "a\nb\n"}, call, made)

    few: Given = {"first": 4, "most": 64}
    yield Case(
        "history: edits",
        lambda n: edited(n, Call("native", "history", {"path": "@a.txt", "limit": 1000})),
        **few,
    )  # type: ignore[arg-type]
    yield Case(
        "undo: after edits", lambda n: edited(n, Call("native", "undo", {"dry_run": True})), **few
    )  # type: ignore[arg-type]
    first = Call(
        "native",
        "edit",
        {"path": "@a.txt", "edits": [{"find": "some", "content": "x", "occurrence": "all"}]},
    )
    yield Case(
        "history: a large edit",
        lambda n: World(
            {"a.txt": lines(n)}, Call("native", "history", {"path": "@a.txt"}), (first,)
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
            Call("native", "history", {"path": "@functions.py", "segment": "f1"}),
            (
                Call(
                    "native",
                    "edit",
                    {
                        "path": "@functions.py",
                        "edits": [
                            {"find": "return a + 1\n", "content": "return a\n", "occurrence": 1}
                        ],
                    },
                ),
            ),
        ),
    )


# What a template can be told to make of a few characters.
_TEMPLATES = {
    "loop": "{% for x in range(N) %}a{% endfor %}",
    "loops": "{% for x in range(N) %}{% for y in range(N) %}{% endfor %}{% endfor %}",
    "multiply": "{{ 'a' * (N * 1000) }}",
    "replace": "{% set a = 'a' * N %}{% set b = a.replace('a', a) %}{{ b.replace('a', a) | length }}",
    "replace filter": "{% set a = 'a' * N %}{{ a | replace('a', a) | replace('a', a) | length }}",
    "expandtabs": "{{ ('\t' * N).expandtabs(N * 100) | length }}",
    "indent": "{{ ('a\n' * N) | indent(N * 100) | length }}",
    "translate": "{{ ('a' * N).translate({97: 'b' * N * 100}) | length }}",
    "extend": "{% set a = [1] * N %}{% for x in range(30) %}{% set _ = a.extend(a) %}{% endfor %}",
    "append": "{% set a = [] %}{% for x in range(N) %}{% set _ = a.append(a) %}{% endfor %}{{ a | length }}",
    "doubling": "{% set ns = namespace(a='a') %}{% for x in range(N) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}",
    "adding": "{% set ns = namespace(a='a') %}{% for x in range(N) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
    "lists": "{% set ns = namespace(a=[1]) %}{% for x in range(N) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
    "growing": "{% set ns = namespace(a='') %}{% for x in range(N) %}{% set ns.a = ns.a ~ 'abc' %}{% endfor %}",
    "lipsum": "{{ lipsum(n=N * 1000) | length }}",
    "tojson": "{{ ([[1] * N] * N) | tojson | length }}",
    "join": "{{ (['a' * N] * N) | join('b' * N) | length }}",
    "join method": "{{ ('b' * N).join(['a' * N] * N) | length }}",
    "center": "{{ 'a'.center(N * 100000) | length }}",
    "center filter": "{{ 'a' | center(N * 100000) | length }}",
    "ljust": "{{ 'a'.ljust(N * 100000) | length }}",
    "zfill": "{{ 'a'.zfill(N * 100000) | length }}",
    "format": "{{ ('%' ~ N * 100000 ~ 'd') | format(1) | length }}",
    "percent": "{{ ('%' ~ N * 100000 ~ 'd') % 1 }}",
    "format method": "{{ ('{:' ~ N * 100000 ~ '}').format(1) | length }}",
    "range": "{{ range(N * 100000) | list | length }}",
    "batch": "{{ range(9) | batch(N * 100000, 'a') | list | length }}",
    "slice": "{{ range(9) | slice(N * 100000) | list | length }}",
    "wordwrap": "{{ ('a ' * N) | wordwrap(1, wrapstring='b' * N) | length }}",
    "power": "{{ 10 ** (N * 1000) }}",
    "shift": "{{ (10 ** 99) ** N }}",
    "split": "{{ ('a ' * N).split() | map('upper') | list | length }}",
    "urlize": "{{ ('http://a.b ' * N) | urlize | length }}",
    "escape": "{{ ('<' * N * 100) | escape | length }}",
    "xmlattr": "{{ dict(a='<' * N * 100) | xmlattr | length }}",
    "pprint": "{{ ([[1] * N] * N) | pprint | length }}",
    "sort": "{{ range(N) | sort(reverse=true) | list | length }}",
    "groupby": "{{ ([{'a': 1}] * N) | groupby('a') | list | length }}",
    "sum": "{{ ([[1]] * N) | sum(start=[]) | length }}",
    "sum of texts": "{{ range(N) | map('string') | join | length }}",
    "unique": "{{ range(N) | unique | list | length }}",
    "string": "{{ ([[1] * N] * N) | string | length }}",
    "encode": "{{ ('a' * N * 100).encode() | length }}",
    "title": "{{ ('a ' * N * 100) | title | length }}",
    "striptags": "{{ ('<a' * N) | striptags | length }}",
    "filesizeformat": "{{ (10 ** N) | filesizeformat }}",
    "macro": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(N) }}",
    "recursion": "{% for x in [[]] recursive %}{{ loop([x]) }}{% endfor %}",
    "nested calls": "{{ " + "('a' * N).replace('a', " * 4 + "'a' * N" + ")" * 4 + " | length }}",
    "comparison": "{{ ([[1] * N] * N) == ([[1] * N] * N) }}",
    "containment": "{% for x in range(N) %}{% if x in range(N) | list %}{% endif %}{% endfor %}",
    "find": "{{ ('a' * N * 100).count('a' * N) }}",
    "product": "{% set a = [1] * N * 100 %}{{ (a * N) | length }}",
    "dict": "{{ dict([[1, 2]] * N * 1000) | length }}",
    "slices": "{% for x in range(N) %}{{ ('a' * N * 100)[x:] | length }}{% endfor %}",
    "cycler": "{{ cycler(*([1] * N * 1000)) }}",
    "tests": "{{ range(N * 1000) | select('divisibleby', 3) | list | length }}",
    "block set": "{% set a %}{% for x in range(N) %}a{% endfor %}{% endset %}{{ a * N }}",
    "filter block": "{% filter replace('a', 'a' * N) %}{% for x in range(N) %}a{% endfor %}{% endfilter %}",
}


def templates() -> Iterator[Case]:
    """Yield files made from templates that make much of little."""

    def scaffold(n: int, body: str) -> World:
        call = Call("native", "scaffold", {"template": "hurting", "path": "@made.md"})
        return World({"templates/hurting.md.j2": "# T\n" + body.replace("N", str(n))}, call)

    for name, body in _TEMPLATES.items():
        yield Case(f"template: {name}", lambda n, body=body: scaffold(n, body), most=1 << 14)  # type: ignore[misc]
    yield Case("template: long", lambda n: scaffold(n, "text {{ a }}\n" * n))
    yield Case("template: nested", lambda n: scaffold(n, "{% if 1 %}" * n + "{% endif %}" * n))
    yield Case(
        "template: expression", lambda n: scaffold(n, "{{ " + "(" * n + "1" + ")" * n + " }}")
    )
    yield Case("template: sum", lambda n: scaffold(n, "{{ " + "1 + " * n + "1 }}"))
    yield Case(
        "template: variables", lambda n: scaffold(n, "".join(f"{{{{ v{x} }}}}\n" for x in range(n)))
    )
    yield Case("template: list", lambda n: scaffold(n, "{{ [" + "1, " * n + "] | length }}"))


def others() -> Iterator[Case]:
    """Yield a call of every tool of the other sets, each with what its own reading may cost."""
    for tools, tool, text, given in _others():
        path = "a.md"

        def made(n: int, tools=tools, tool=tool, text=text, given=given, path=path) -> World:  # type: ignore[no-untyped-def]  # noqa: ANN001, PLR0913
            return World({path: text(n)}, Call(tools, tool, given(n)))

        yield Case(f"{tools}: {tool}", made, most=1 << 13)


Other = tuple[str, str, Callable[[int], str], Callable[[int], Given]]


def _others() -> Iterator[Other]:
    yield from _safe_edit()
    yield from _text()
    yield from _small()


def _safe_edit() -> Iterator[Other]:
    headings = SHAPES["headings.md"]
    path: Given = {"path": "@a.md", "mode": "verify_only"}
    name = "safe_edit_file"
    yield (
        "safe-edit",
        name,
        lines,
        lambda n: {**path, "search": "some", "replace": "x", "search_count": 0},
    )
    yield (
        "safe-edit",
        name,
        lines,
        lambda n: {**path, "search": "s(o)me", "replace": "x", "regex": True, "search_count": 0},
    )
    yield "safe-edit", name, lines, lambda n: {**path, "content": lines(n).replace("some", "x")}
    yield (
        "safe-edit",
        name,
        lines,
        lambda n: {
            **path,
            "line_edits": [{"start_line": x, "end_line": x, "content": "x"} for x in range(1, n)],
        },
    )
    yield (
        "safe-edit",
        name,
        headings,
        lambda n: {
            **path,
            "segment_edit": {
                "segment_type": "markdown_section",
                "segment_name": f"H{n - 1}",
                "new_content": "x",
            },
        },
    )
    yield "safe-edit", "query_file_schema", headings, lambda _: {"path": "@a.md"}


def _text() -> Iterator[Other]:
    headings = SHAPES["headings.md"]
    path: Given = {"filePath": "@a.md"}
    yield (
        "text",
        "TextReplace",
        lines,
        lambda _: {**path, "oldText": "some", "newText": "x", "occurrence": "all"},
    )
    yield (
        "text",
        "TextReplace",
        lines,
        lambda _: {**path, "oldText": "no such text at all", "newText": "x"},
    )
    yield (
        "text",
        "TextPatch",
        headings,
        lambda n: {
            **path,
            "operation": "insert",
            "target": {"appendToSection": f"# H{n - 1}"},
            "content": "x",
        },
    )
    yield "text", "TextInspect", headings, lambda _: path
    yield "text", "TextInspect", lines, lambda _: {**path, "mode": "search", "query": "some"}
    yield "text-files", "TextRead", lines, lambda n: {**path, "offset": n // 2}
    yield (
        "text-files",
        "TextSearch",
        lines,
        lambda _: {"query": "some", "path": "@", "maxResults": 1000},
    )
    yield (
        "text-files",
        "TextCreate",
        lines,
        lambda n: {**path, "content": lines(n) + "x\n", "overwrite": True},
    )
    yield (
        "text-files",
        "TextEdit",
        lines,
        lambda n: {
            **path,
            "edits": [
                {"oldString": f"line {x} of", "newString": f"x {x} of"} for x in range(min(n, 512))
            ],
        },
    )
    yield (
        "text-files",
        "TextEdit",
        lines,
        lambda _: {**path, "edits": [{"oldString": "some", "newString": "x", "replaceAll": True}]},
    )


def _small() -> Iterator[Other]:
    headings = SHAPES["headings.md"]
    path: Given = {"path": "@a.md"}
    yield (
        "article",
        "edit_article",
        lines,
        lambda n: {
            **path,
            "edits": [
                {"old_string": f"line {x} of", "new_string": "x", "reason": "r"} for x in range(n)
            ],
        },
    )
    yield "article", "read_file", lines, lambda _: path
    yield "article", "write_file", lines, lambda n: {**path, "content": lines(n) + "x\n"}
    yield (
        "sections",
        "edit_section",
        headings,
        lambda n: {**path, "section_title": f"H{n - 1}", "content": "x"},
    )
    yield (
        "sections",
        "create_section",
        headings,
        lambda n: {**path, "section_title": "New", "content": "x", "insert_after": f"H{n - 1}"},
    )
    yield "sections", "delete_section", headings, lambda n: {**path, "section_title": f"H{n - 1}"}
    yield (
        "surgical",
        "edit_file",
        lines,
        lambda n: {**path, "old_content": lines(n), "new_content": lines(n) + "x\n"},
    )
    yield (
        "surgical",
        "edit_file",
        lines,
        lambda _: {**path, "old_content": "no such text at all", "new_content": "x"},
    )
    yield (
        "surgical",
        "patch_file",
        lines,
        lambda n: {
            **path,
            "patch": "".join(
                f"@@ -{x + 1} +{x + 1} @@\n-line {x} of some text\n+x{x}\n" for x in range(n)
            ),
        },
    )
    yield "surgical", "insert_at", lines, lambda n: {**path, "line": n // 2, "content": lines(n)}
    yield "surgical", "read_file", lines, lambda n: {**path, "lines": f"1-{n}"}
    yield "surgical", "write_file", lines, lambda n: {**path, "content": lines(n) + "x\n"}
    yield (
        "surgical",
        "search_files",
        lines,
        lambda _: {"pattern": "some", "path": "@", "limit": 1000},
    )
    yield "surgical", "list_files", lines, lambda _: {"path": "@"}
    tool = "str_replace_based_edit_tool"
    yield (
        "claude",
        tool,
        lines,
        lambda n: {**path, "command": "str_replace", "old_str": f"line {n - 1} of", "new_str": "x"},
    )
    yield "claude", tool, lines, lambda _: {**path, "command": "view"}
    yield (
        "claude",
        tool,
        lines,
        lambda n: {**path, "command": "insert", "insert_line": 1, "insert_text": lines(n)},
    )
    yield (
        "codex",
        "apply_patch",
        lines,
        lambda n: {
            "input": "*** Begin Patch\n*** Update File: @a.md\n"
            + "".join(f"@@\n-line {x} of some text\n+x{x}\n" for x in range(n))
            + "*** End Patch\n"
        },
    )
