"""How long an outline takes, against a full parse of the same text by somebody else."""

from __future__ import annotations

import ast
import json
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.measure import Row, ratio
from keyhole.segments.addresses import find_segment
from keyhole.segments.languages.table import LANGUAGES
from keyhole.segments.markdown import read_markdown
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.python.outline import read_python
from keyhole.segments.registry import outline
from keyhole.text.document import Document

_ROUNDS = 9
_MODULES = ("argparse", "inspect", "tarfile", "typing", "datetime", "subprocess", "ast")
_PAGE = """\
## Section {0}

Some *text* with `code`, a [link](https://example.org/{0}) and **weight**,
on two lines of one paragraph.

- one item of a list
- another, with `code`
  - and one below it

```python
# not a heading
value = {0}
```

| name | value |
|------|-------|
| a    | {0}   |

### Details of {0}

1. first
2. second

> a quote, and
> # no section
"""


def rows() -> list[Row]:
    """Return each ratio with its limit."""
    from markdown_it import MarkdownIt

    module, page = python_text(5_000), markdown_text(5_000)
    parse_page = partial(MarkdownIt().parse, page)
    found = [
        Row(
            "outline of 5,000 lines of Python / ast.parse",
            ratio(partial(read_python, module), partial(ast.parse, module), _ROUNDS),
            0.6,
        ),
        Row(
            "outline of 5,000 lines of markdown / a markdown-it-py parse",
            ratio(partial(read_markdown, page), parse_page, _ROUNDS),
            0.3,
        ),
        Row(
            "a cached outline of 5,000 lines of Python / ast.parse",
            ratio(_asking("a.py", module), partial(ast.parse, module), _ROUNDS),
            0.05,
        ),
        Row(
            "a cached outline of 5,000 lines of markdown / a markdown-it-py parse",
            ratio(_asking("a.md", page), parse_page, _ROUNDS),
            0.05,
        ),
        Row(
            "finding a segment in that outline / ast.parse",
            ratio(_finding(module), partial(ast.parse, module), _ROUNDS),
            0.3,
        ),
    ]
    return found + _growth()


def python_text(lines: int) -> str:
    """Return at least so many lines of the standard library."""
    home = Path(sysconfig.get_paths()["stdlib"])
    text = ""
    while text.count("\n") < lines:
        text += "".join((home / f"{name}.py").read_text(encoding="utf-8") for name in _MODULES[:2])
    return text


def markdown_text(lines: int) -> str:
    """Return about so many lines of markdown of every kind."""
    pages = lines // _PAGE.count("\n")
    return "# Title\n\n" + "\n".join(_PAGE.format(number) for number in range(pages))


def _growth() -> list[Row]:
    """Return what ten times the lines cost, beside ten: linear is 1."""
    texts: dict[str, tuple[Callable[[str], Outline], Callable[[int], str]]] = {
        "Python": (read_python, python_text),
        "markdown": (read_markdown, markdown_text),
        "JSON": (_reading("json"), _json_text),
        "Go": (_reading("go"), _go_text),
    }
    return [
        Row(
            f"100,000 lines of {name} / 10 x 10,000 lines",
            ratio(partial(read, text(100_000)), partial(read, text(10_000)), 3) / 10,
            1.5,
        )
        for name, (read, text) in texts.items()
    ]


def _reading(language: str) -> partial[Outline]:
    from keyhole.segments.code.outline import read_code

    return partial(read_code, LANGUAGES[language])


def _json_text(lines: int) -> str:
    data = {f"key{number}": {"a": number, "b": [1, {"c": 2}]} for number in range(lines // 10)}
    return json.dumps(data, indent=2)


def _go_text(lines: int) -> str:
    function = "// F{0} counts.\nfunc (s *Server) F{0}(a int) int {{\n\treturn a + {0}\n}}\n\n"
    return "package main\n\n" + "".join(function.format(number) for number in range(lines // 5))


def _asking(path: str, text: str) -> partial[Outline]:
    return partial(outline, path, Document(text))


def _finding(text: str) -> partial[Segment]:
    document = Document(text)
    read = outline("a.py", document)
    return partial(find_segment, read, "def parse_args()", document)
