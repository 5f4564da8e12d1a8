"""More inputs of any size: templates that make much of little, and the tools of the other sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.torture.growing import SHAPES, Call, Case, Given, World, lines

# What a template can be told to make of a few characters.
_TEMPLATES = {
    "loop": "{% for x in range(N) %}a{% endfor %}",
    "loops": "{% for x in range(N) %}{% for y in range(N) %}{% endfor %}{% endfor %}",
    "multiply": "{{ 'a' * (N * 1000) }}",
    "replace": "{% set a = 'a' * N %}"
    "{% set b = a.replace('a', a) %}{{ b.replace('a', a) | length }}",
    "replace filter": "{% set a = 'a' * N %}{{ a | replace('a', a) | replace('a', a) | length }}",
    "expandtabs": "{{ ('\t' * N).expandtabs(N * 100) | length }}",
    "indent": "{{ ('a\n' * N) | indent(N * 100) | length }}",
    "translate": "{{ ('a' * N).translate({97: 'b' * N * 100}) | length }}",
    "extend": "{% set a = [1] * N %}{% for x in range(30) %}{% set _ = a.extend(a) %}{% endfor %}",
    "append": "{% set a = [] %}{% for x in range(N) %}{% set _ = a.append(a) %}"
    "{% endfor %}{{ a | length }}",
    "doubling": "{% set ns = namespace(a='a') %}{% for x in range(N) %}"
    "{% set ns.a = ns.a ~ ns.a %}{% endfor %}",
    "adding": "{% set ns = namespace(a='a') %}{% for x in range(N) %}"
    "{% set ns.a = ns.a + ns.a %}{% endfor %}",
    "lists": "{% set ns = namespace(a=[1]) %}{% for x in range(N) %}"
    "{% set ns.a = ns.a + ns.a %}{% endfor %}",
    "growing": "{% set ns = namespace(a='') %}{% for x in range(N) %}"
    "{% set ns.a = ns.a ~ 'abc' %}{% endfor %}",
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
    "macro": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}"
    "{% endmacro %}{{ m(N) }}",
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
    "filter block": "{% filter replace('a', 'a' * N) %}{% for x in range(N) %}a"
    "{% endfor %}{% endfilter %}",
}


def templates() -> Iterator[Case]:
    """Yield files made from templates that make much of little."""

    def scaffold(n: int, body: str) -> World:
        call = Call("native", "scaffold", {"template": "hurting", "path": "§made.md"})
        return World({"templates/hurting.md.j2": "# T\n" + body.replace("N", str(n))}, call)

    for name, body in _TEMPLATES.items():
        yield Case(f"template: {name}", lambda n, body=body: scaffold(n, body), most=1 << 14)  # type: ignore[misc]
    yield Case("template: long", lambda n: scaffold(n, "text {{ a }}\n" * n))
    yield Case("template: nested", lambda n: scaffold(n, "{% if 1 %}" * n + "{% endif %}" * n))
    yield Case(
        "template: expression", lambda n: scaffold(n, "{{ " + "(" * n + "1" + ")" * n + " }}")
    )
    yield Case("template: long sum", lambda n: scaffold(n, "{{ " + "1 + " * n + "1 }}"))
    yield Case(
        "template: variables", lambda n: scaffold(n, "".join(f"{{{{ v{x} }}}}\n" for x in range(n)))
    )
    yield Case("template: list", lambda n: scaffold(n, "{{ [" + "1, " * n + "] | length }}"))


def others() -> Iterator[Case]:
    """Yield a call of every tool of the other sets, each with what its own reading may cost."""
    for number, other in enumerate(_others()):
        yield Case(f"{other[0]}: {other[1]} {number}", partial(_made, other), most=1 << 13)


Other = tuple[str, str, Callable[[int], str], Callable[[int], Given]]


def _made(other: Other, n: int) -> World:
    tools, tool, text, given = other
    return World({"a.md": text(n)}, Call(tools, tool, given(n)))


def _others() -> Iterator[Other]:
    yield from _safe_edit()
    yield from _text()
    yield from _small()


def _safe_edit() -> Iterator[Other]:
    headings = SHAPES["headings.md"]
    path: Given = {"path": "§a.md", "mode": "verify_only"}
    name = "safe_edit_file"
    yield (
        "safe-edit",
        name,
        lines,
        lambda _: {**path, "search": "some", "replace": "x", "search_count": 0},
    )
    yield (
        "safe-edit",
        name,
        lines,
        lambda _: {**path, "search": "s(o)me", "replace": "x", "regex": True, "search_count": 0},
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
    yield "safe-edit", "query_file_schema", headings, lambda _: {"path": "§a.md"}


def _text() -> Iterator[Other]:
    headings = SHAPES["headings.md"]
    path: Given = {"filePath": "§a.md"}
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
        lambda _: {"query": "some", "path": "§", "maxResults": 1000},
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
    path: Given = {"path": "§a.md"}
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
        lambda _: {"pattern": "some", "path": "§", "limit": 1000},
    )
    yield "surgical", "list_files", lines, lambda _: {"path": "§"}
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
            "input": "*** Begin Patch\n*** Update File: §a.md\n"
            + "".join(f"@@\n-line {x} of some text\n+x{x}\n" for x in range(n))
            + "*** End Patch\n"
        },
    )
