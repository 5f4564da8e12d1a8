"""Python modules for the laws of editing by name: nested, decorated, full of odd literals.

A piece of code is lines, `>` for each level it stands deeper; a line that begins with `|` lies
inside a literal, and stands as it is wherever the code goes.
"""

import textwrap
from collections.abc import Callable

from hypothesis import strategies as st

Lines = list[str]

_LITERALS = (
    'X = """one\n|  two\n|three"""',
    "X = '''\n|        deep\n|\n|   \n|    end\n|'''",
    'X = f"""a {1 + 1}\n|    b\n|"""',
    "X = b'''raw\n|\tbytes'''",
    'X = "joined \\\n|    by a backslash"',
    'call("""text\n|        """, 1)',
    'call(\n>"""in\n| brackets""",\n)',
    'X = r"""class A:\n|    def f(self):\n|        pass\n|"""',
    "X = '''\n|def f(self):\n|x = 1\n|'''",
)
_STATEMENTS = (
    "x = 1",
    "return 2",
    "call(a,\n     b)",
    "call(\n>a,\n>b,\n)",
    "if x:\n>y = 2\nelse:\n>y = 3",
    "for i in x:\n>if i:\n>>break",
    "y = x[1:]  # slice: of x",
    "z = lambda: 0",
    "pass",
    "def inner(): 'doc'",
)
_DOCS = ('"""One line."""', '"""Two.\n\nMore.\n"""', '"""Flush\n|left.\n|"""', "'''Short.'''")
_DECORATORS = ("@final", "@call(1,\n      2)", "@a.b")
_COMMENTS = ("# comment", "|# at the margin", "# another: one")
_NAMES = ("f", "g", "h", "run")

_pieces = st.one_of(*map(st.sampled_from, (_STATEMENTS, _LITERALS, _COMMENTS)))


def split(text: str) -> Lines:
    return text.split("\n")


def deeper(lines: Lines) -> Lines:
    return [line if line.startswith("|") or not line else f">{line}" for line in lines]


@st.composite
def functions(draw: st.DrawFn, name: str) -> Lines:
    """Draw a function with decorators, a docstring and a few statements."""
    body: Lines = []
    body += split(draw(st.sampled_from(_DOCS))) if draw(st.booleans()) else []
    for piece in draw(st.lists(_pieces, max_size=4)):
        body += [*draw(st.sampled_from(([], [""]))), *split(piece)]
    lead = split(draw(st.sampled_from(_DECORATORS))) if draw(st.booleans()) else []
    return [*lead, f"def {name}(self):", *deeper([*body, "end = 0"])]


@st.composite
def classes(draw: st.DrawFn, name: str) -> Lines:
    """Draw a class with methods, perhaps with another class inside."""
    members = draw(st.lists(st.sampled_from(_NAMES).flatmap(functions), min_size=1, max_size=2))
    if draw(st.booleans()):
        members.append([f"class Inner{name}:", *deeper(draw(functions("deep")))])
    body: Lines = []
    for member in members:
        body += [*draw(st.sampled_from(([], [""]))), *member]
    return [f"class {name}:", *deeper(body)]


def spelled(lines: Lines, unit: str) -> str:
    """Return code in an indent unit."""
    return "\n".join(_spelled(line, unit) for line in lines)


def _spelled(line: str, unit: str) -> str:
    if line.startswith("|"):
        return line[1:]
    words = line.lstrip(">")
    return unit * (len(line) - len(words)) + words


@st.composite
def modules(draw: st.DrawFn) -> str:
    """Draw a module, its unit and the blank lines between its definitions."""
    unit = draw(st.sampled_from(("    ", "  ", "\t")))
    parts = [
        draw(functions("first")),
        draw(classes("A")),
        draw(st.sampled_from((["x = 1"], ["# between"], ["import os"]))),
        draw(classes("B")),
        draw(functions("last")),
    ]
    gap = "\n" * draw(st.integers(1, 3))
    return gap.join(spelled(part, unit) for part in parts) + draw(st.sampled_from(("\n", "")))


# How agents take a text to column 0, and how they fail to.


def _by_prefix(lines: Lines, indent: str) -> Lines:
    return [line.removeprefix(indent) for line in lines]


def _by_clipping(lines: Lines, indent: str) -> Lines:
    return [line[_shared(line, indent) :] for line in lines]


def _shared(line: str, indent: str) -> int:
    pairs = enumerate(zip(line, indent, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(line), len(indent)))


def _by_margin(lines: Lines, _: str) -> Lines:
    return split(textwrap.dedent("\n".join(lines)))


def _not_at_all(lines: Lines, _: str) -> Lines:
    return lines


def _first_line_only(lines: Lines, indent: str) -> Lines:
    return [lines[0].removeprefix(indent), *lines[1:]]


DEDENTS: dict[str, Callable[[Lines, str], Lines]] = {
    "prefix": _by_prefix,
    "clipping": _by_clipping,
    "margin": _by_margin,
    "none": _not_at_all,
    "first-line": _first_line_only,
}
