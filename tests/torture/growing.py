"""Inputs of any size, made to hurt: what makes the work of a tool grow faster than its input."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

Files = dict[str, str]
Given = dict[str, object]
Edits = list[dict[str, object]]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool of a set."""

    tools: str
    tool: str
    given: Given


@dataclass(frozen=True, slots=True)
class World:
    """Files, calls that lead up to it, and the call that is measured; paths begin with `§`."""

    files: Files
    call: Call
    before: tuple[Call, ...] = ()

    @property
    def size(self) -> int:
        """How many characters the files and the call have."""
        return sum(map(len, self.files.values())) + len(json.dumps(self.call.given))


@dataclass(frozen=True, slots=True)
class Case:
    """A world of any size n, and the sizes to look at."""

    name: str
    made: Callable[[int], World]
    first: int = 32
    most: int = 1 << 16


def edit(path: str, text: str, edits: Edits, **options: object) -> World:
    given = {"path": f"§{path}", "edits": edits, "dry_run": True, **options}
    return World({path: text}, Call("native", "edit", given))


def look(path: str, text: str, tool: str, **given: object) -> World:
    return World({path: text}, Call("native", tool, {"path": f"§{path}", **given}))


# Shapes of files: what makes a parser, or whoever walks its tree, go back to the beginning.


def lines(n: int) -> str:
    """Lines that are all different."""
    return "".join(f"line {number} of some text\n" for number in range(n))


def functions(n: int) -> str:
    """Functions that are all different."""
    return "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(n))


SHAPES: dict[str, Callable[[int], str]] = {
    "deep.json": lambda n: '{"k":' * n + "1" + "}" * n,
    "list.json": lambda n: "[" * n + "]" * n,
    "open.json": lambda n: '{"k": [' * n,
    "keys.json": lambda n: "{" + ",".join(f'"k{x}": {x}' for x in range(n)) + "}",
    "same.json": lambda n: "{" + ",".join('"k": 1' for _ in range(n)) + "}",
    "long.json": lambda n: '{"k": "' + "x" * (40 * n) + '"}\n',
    "comments.jsonc": lambda n: "[1, // a\n/* b */ " * n,
    "open.jsonc": lambda n: "[1, /* a\n" * n,
    "deep.yaml": lambda n: "".join("  " * x + "k:\n" for x in range(min(n, 400))) * (1 + n // 400),
    "keys.yaml": lambda n: "".join(f"k{x}:\n  a: {x}\n" for x in range(n)),
    "flow.yaml": lambda n: "a: " + "[" * n + "]" * n + "\n",
    "items.yaml": lambda n: "a:\n" + "  - b: 1\n    c: 2\n" * n,
    "tables.toml": lambda n: "".join(f"[a.b{x}]\nc = {x}\n" for x in range(n)),
    "arrays.toml": lambda n: "[[a]]\nb = 1\n" * n,
    "dots.toml": lambda n: "".join(f"a.b{x}.c = 1\n" for x in range(n)),
    "deep.toml": lambda n: ".".join(["a"] * n) + " = 1\n",
    "functions.py": functions,
    "same.py": lambda n: "def f():\n    pass\n\n\n" * n,
    "methods.py": lambda n: "class C:\n" + "".join(f"    def m{x}(self): ...\n" for x in range(n)),
    "nested.py": lambda n: (
        "".join(" " * x + "def f():\n" for x in range(min(n, 90))) * (1 + n // 90)
    ),
    "brackets.py": lambda n: "x = " + "(" * n + ")" * n + "\n",
    "open.py": lambda n: "def f(\n" * n,
    "strings.py": lambda n: 'x = """a\n' * n,
    "decorated.py": lambda n: "@a\n" * n + "def f():\n    pass\n",
    "comments.py": lambda n: "# a\n" * n + "def f():\n    pass\n",
    "constants.py": lambda n: "".join(f"A{x} = {x}\n" for x in range(n)),
    "chain.py": lambda n: "if a:\n    b = 1\n" + "elif c:\n    d = 2\n" * n,
    "sum.py": lambda n: "x = " + "1 + " * n + "1\n",
    "functions.js": lambda n: "".join(f"function f{x}() {{ return {x}; }}\n" for x in range(n)),
    "nested.js": lambda n: "function f() {\n" * n + "}\n" * n,
    "open.js": lambda n: "function f() { if (\n" * n,
    "arrows.ts": lambda n: "const f = () => " * n + "1;\n",
    "variables.ts": lambda n: "".join(f"export const v{x} = {x};\n" for x in range(n)),
    "list.ts": lambda n: "export const " + ", ".join(f"v{x} = {x}" for x in range(n)) + ";\n",
    "classes.java": lambda n: "class A {\n" * n + "}\n" * n,
    "methods.java": lambda n: (
        "class A {\n" + "".join(f"void m{x}() {{}}\n" for x in range(n)) + "}\n"
    ),
    "prototypes.c": lambda n: "".join(f"int f{x}(int);\n" for x in range(n)),
    "functions.c": lambda n: "".join(f"int f{x}(int a) {{ return a; }}\n" for x in range(n)),
    "lost.c": lambda n: "int f(int a) { if (a) {\n" * n,
    "macros.c": lambda n: "#define A(x) \\\n  x\n" * n + "int f(void) { return 1; }\n",
    "conditions.c": lambda n: "#if A\n" * n + "int f(void);\n" + "#endif\n" * n,
    "impls.rs": lambda n: "".join(f"impl A for B{x} {{ fn f() {{}} }}\n" for x in range(n)),
    "modules.rs": lambda n: "mod a {\n" * n + "}\n" * n,
    "functions.go": lambda n: "package a\n" + "".join(f"func f{x}() {{}}\n" for x in range(n)),
    "functions.sh": lambda n: "".join(f"f{x}() {{ :; }}\n" for x in range(n)),
    "heredocs.sh": lambda n: "cat <<A\n" * n,
    "tags.html": lambda n: "<div>" * n + "</div>" * n,
    "open.html": lambda n: '<p class="' * n,
    "tags.xml": lambda n: "<a>" * n + "</a>" * n,
    "rules.css": lambda n: "".join(f".a{x} {{ color: red }}\n" for x in range(n)),
    "nested.scss": lambda n: "a {\n" * n + "}\n" * n,
    "methods.rb": lambda n: "class A\n" + "".join(f"def m{x}; end\n" for x in range(n)) + "end\n",
    "headings.md": lambda n: "".join(f"# H{x}\n\ntext\n\n" for x in range(n)),
    "levels.md": lambda n: "# a\n## b\n### c\n#### d\n##### e\n###### f\n" * n,
    "same.md": lambda n: "## Same\n\ntext\n\n" * n,
    "fences.md": lambda n: "```sh\na\n```\n\n" * n,
    "open.md": lambda n: "```\n# a\n" * n,
    "quotes.md": lambda n: ">" * n + " a\n",
    "items.md": lambda n: "- a\n" * n + "## H\n",
    "stars.md": lambda n: "*a **b _c " * n + "\n",
    "links.md": lambda n: "[a](" * n + "\n",
    "blanks.md": lambda n: "## H\n" + "\n" * n + "text\n",
    "table.md": lambda n: "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * n,
    "html.md": lambda n: "<div>\n\n" * n + "## H\n",
    "tabs.mdx": lambda n: "<Tab>\n\n## H\n\n" * n,
    "front.md": lambda n: "---\n" + "".join(f"k{x}: 1\n" for x in range(n)) + "---\n# H\n",
    "blocks.html.j2": lambda n: "".join(f"{{% block b{x} %}}a{{% endblock %}}\n" for x in range(n)),
    "nested.html.j2": lambda n: "{% if a %}\n" * n + "{% endif %}\n" * n,
    "keys.ini": lambda n: "".join(f"[s{x}]\nk = 1\n" for x in range(n)),
    "targets.mk": lambda n: "".join(f"t{x}:\n\techo\n" for x in range(n)),
    "long.txt": lambda n: "word " * (8 * n) + "\n",
    "lines.txt": lines,
}


def shapes() -> Iterator[Case]:
    """Yield an outline, a search and a check before an edit, for every shape of a file."""
    for name in SHAPES:
        yield Case(f"outline {name}", partial(_outlined, name))
        yield Case(f"search {name}", partial(_searched, name))
        yield Case(f"append to {name}", partial(_appended, name))


def _outlined(name: str, n: int) -> World:
    return look(name, SHAPES[name](n), "outline")


def _searched(name: str, n: int) -> World:
    return look(name, SHAPES[name](n), "search", query="[a-z({<>]", regex=True)


def _appended(name: str, n: int) -> World:
    appended: Edits = [{"action": "append", "content": "a\n"}]
    return edit(name, SHAPES[name](n), appended, mode="interactive")


def symbols() -> Iterator[Case]:
    """Yield renames with many uses and in many files, and sweeps over many files."""

    def rename(made: dict[str, str]) -> World:
        return World(made, Call("native", "rename", {"path": "§a.py", "segment": "f", "to": "g"}))

    def uses(n: int) -> World:
        return rename({"a.py": "def f():\n    return 1\n\n\n" + "f()\n" * n})

    def importers(n: int) -> World:
        made = {f"b{x}.py": "from a import f\n\nf()\n" for x in range(n)}
        return rename({"a.py": "def f():\n    return 1\n", **made})

    def swept(n: int) -> World:
        made = {f"d{x % 7}/f{x}.txt": "some text\n" for x in range(n)}
        change = {"find": "text", "content": "words"}
        return World(made, Call("native", "edit", {"glob": "§**/*.txt", "edits": [change]}))

    yield Case("rename: uses", uses, first=16, most=1 << 9)
    yield Case("rename: files", importers, first=4, most=64)
    yield Case("sweep: files", swept, first=16, most=512)


def searches() -> Iterator[Case]:
    """Yield searches with many hits, near misses, long lines and much around each hit."""

    def search(path: str, text: str, **given: object) -> World:
        return look(path, text, "search", **given)

    yield Case("search: near misses", lambda n: search("a.txt", "a" * 20 * n, query="a" * n + "b"))
    yield Case("search: overlapping", lambda n: search("a.txt", "a" * 20 * n, query="a" * 10))
    yield Case(
        "search: hits of a word", lambda n: search("a.txt", "ab " * n, query="ab", limit=1000)
    )
    yield Case(
        "search: hits of a pattern",
        lambda n: search("a.txt", "ab " * 8 * n, query="(a)(b)", regex=True, limit=1000),
    )
    yield Case(
        "search: lines around",
        lambda n: search("a.txt", "a\n" * n, query="a", context=n, limit=50),
        most=1 << 14,
    )
    yield Case("search: no hit", lambda n: search("a.txt", lines(n), query="nowhere"))
    yield Case("search: a long line", lambda n: search("a.txt", "ab " * 100 * n, query="ab"))

    def files(n: int) -> World:
        made = {f"d{x % 7}/f{x}.txt": "some text\n" for x in range(n)}
        return World(made, Call("native", "search", {"path": "§", "query": "text"}))

    yield Case("search: files", files, first=16, most=512)


def quotes() -> Iterator[Case]:
    """Yield edits by quoted text: each rung, and quotes that stand nowhere or everywhere."""

    def find(text: str, quote: str, content: str = "new", **more: object) -> World:
        return edit("a.txt", text, [{"find": quote, "content": content, **more}])

    yield Case("find: exact", lambda n: find(lines(n), f"line {n // 2} of some text\n"))
    yield Case("find: long", lambda n: find(lines(n), lines(n), lines(n) + "x\n"))
    yield Case("find: long, other", lambda n: find(lines(n), lines(n), "y\n" + lines(n // 2)))
    yield Case("find: blanks", lambda n: find(lines(n), lines(n).replace(" ", "  ")))
    yield Case("find: blank lines", lambda n: find("a\n" + "\n" * n + "b\n", "a\n\nb\n", "c\n"))
    yield Case(
        "find: runs of blank lines", lambda n: find("a\n\n\n" * n, "a\n\n" * (n // 2) + "b", "c\n")
    )
    yield Case("find: indented", lambda n: find("    a\n    b\n" * n + "    c\n", "a\nb\nc", "d"))
    yield Case("find: dedented block", lambda n: find("    a\n" * n, "a\n" * n, "b\n" * n))
    yield Case("find: ambiguous", lambda n: find("a\nb\n" * n, "a\nb"))
    yield Case("find: all", lambda n: find("ab " * n, "ab", "c", occurrence="all"))
    yield Case("find: all lines", lambda n: find("a\nb\n" * n, "a\nb\n", "c\n", occurrence="all"))
    yield Case("find: nowhere", lambda n: find(lines(n), "line 3 of other text\nline 4 of one\n"))
    yield Case("find: nowhere, long", lambda n: find(lines(n), lines(n).replace("some", "other")))
    yield Case(
        "find: one line of many",
        lambda n: find(lines(n), "line 1 of some text\n" + "".join(f"{x:x}()\n" for x in range(n))),
    )
    yield Case("find: near misses", lambda n: find("a\n" * n + "b\n", "a\n" * (n // 2) + "c\n"))
    yield Case(  # until lines are too long to be compared
        "find: near misses in a line",
        lambda n: find("a" * 8 * n, "a" * (n // 2) + "b"),
        most=1 << 17,
    )
    yield Case(
        "find: elided",
        lambda n: find("def f():\n" + "    a\n" * n, "def f():\n    ...\n    b", "c"),
    )
    yield Case(
        "find: elided often",
        lambda n: find("a\nb\nc\n" * n, "a\n...\n" * min(n // 8, 200) + "d\n", "e\n"),
    )
    yield Case("find: until", lambda n: find("a\nb\n" * n + "c\n", "a\nb", until="c", occurrence=1))
    yield Case("find: until, all", lambda n: find("a\nb\n" * n, "a", until="b", occurrence="all"))
    yield Case("find: until, nowhere", lambda n: find("a\n" * n, "a", until="c", occurrence="all"))
    yield Case("find: numbered", lambda n: find(lines(n), _numbered(lines(n)), _numbered("x\n")))
    yield Case("find: a diff", lambda n: find(lines(n), "-" + lines(n).replace("\n", "\n-"), "+x"))
    yield Case("find: written out", lambda n: find(lines(n), lines(n).replace("\n", "\\n"), "x\\n"))
    yield Case("find: typography", lambda n: find("it’s “a”\n" * n, 'it\'s "a"\n' * n, "b\n"))
    yield Case("find: other line ends", lambda n: find(lines(n).replace("\n", "\r\n"), lines(n)))
    yield Case(
        "find: one character", lambda n: find("{" * n + "}" * n, "{", "(", occurrence="last")
    )
    yield Case(
        "find: in lines", lambda n: find(lines(n), "some", "x", lines=f"2-{n}", occurrence=1)
    )
    yield Case(
        "find: exact match", lambda n: find(lines(n), "some", "x", match="exact", occurrence="all")
    )
    yield Case("rewritten repeats", lambda n: find("b\na\n" * n, "b\na\n" * n, "a\na\nb\n" * n))
    yield Case("omitted in the content", lambda n: find(lines(n), lines(n), "# ... rest\n" * n))


def _numbered(text: str) -> str:
    return "".join(f"{x:>6}\t{line}\n" for x, line in enumerate(text.split("\n")[:-1], 1))


def expressions() -> Iterator[Case]:
    """Yield edits by regular expression and by structural pattern."""

    def regex(text: str, pattern: str, content: str, **more: object) -> World:
        one = {"find": pattern, "regex": True, "content": content, "occurrence": "all", **more}
        return edit("a.txt", text, [one])

    yield Case("regex: hits", lambda n: regex("ab " * n, "a(b)", r"c\1"))
    yield Case("regex: hits in lines", lambda n: regex("ab\n" * n, "^a(b)$", r"c\1"))
    yield Case("regex: the whole, often", lambda n: regex(lines(n), "(?s).+", r"\0" * 9))
    yield Case("regex: much of each", lambda n: regex("abcdefgh\n" * n, ".+", r"\0" * n), most=4096)
    yield Case("regex: groups", lambda n: regex("ab\n" * n, "(a)" + "(b?)" * 90, r"\1" * 90))
    yield Case("regex: deletions", lambda n: regex("ab\n" * n, "a", "", action="delete"))
    yield Case("regex: before", lambda n: regex("ab\n" * n, "b", "c", action="before"))
    yield Case("regex: long line", lambda n: regex("ab" * 10 * n + "\n", "a(b+)", r"\1"))
    yield Case("regex: each anew", lambda n: regex(lines(n), "line (\\d+)", r"x\1y"))
    yield Case("regex: no group", lambda n: regex("ab\n" * n, "a", r"\7"))

    def pattern(path: str, text: str, shape: str, content: str, **more: object) -> World:
        return edit(path, text, [{"pattern": shape, "content": content, **more}])

    every: Given = {"occurrence": "all"}
    yield Case(
        "pattern: hits",
        lambda n: pattern("a.py", "print(a)\n" * n, "print($X)", "log($X)", **every),
    )
    yield Case(
        "pattern: in a line",
        lambda n: pattern("a.js", "f(a); " * n + "\n", "f($X)", "g($X)", **every),
    )
    yield Case(
        "pattern: nested",
        lambda n: pattern("a.py", "f(" * n + ")" * n + "\n", "f($X)", "g($X)", **every),
    )
    yield Case(
        "pattern: several nodes",
        lambda n: pattern("a.py", "f(" + "a, " * n + "a)\n", "f($$$X)", "g($$$X, $$$X)"),
    )
    yield Case(
        "pattern: holes in the content",
        lambda n: pattern("a.py", "f(abcdefgh)\n" * n, "f($X)", "g(" + "$X, " * n + ")", **every),
        most=4096,
    )
    yield Case("pattern: ambiguous", lambda n: pattern("a.py", "f(a)\n" * n, "f($X)", "g($X)"))
    yield Case(
        "pattern: deletions",
        lambda n: pattern("a.py", "f(a)\n" * n, "f($X)", "", action="delete", **every),
    )
