"""Python's outline is the language's own: any program that parses has the definitions ast knows."""

from hypothesis import given
from hypothesis import strategies as st

from bench.corpus import differences, known_to_ast
from keyhole.segments.python.outline import read_python
from keyhole.text.document import Document

_STATEMENTS = st.sampled_from(
    [
        "pass",
        "x = 1  # def no(): pass",
        "x = '''\ndef no():\n  pass\n'''",
        'x = f"{a}"; y = 2',
        "x = (\n1,\n'def'\n)",
        "x = {\n 'a': [\n1],\n}",
        "x = 'a\\\nb'",
        "x = 1 + \\\n 2",
        "'''Doc.\n\nclass no: pass\n'''",
        "# a comment",
        "",
        "\f",
        "defined = 1",
        "return_ = lambda: (yield)",
        "@decorated\n@twice(\n1)\ndef same(): pass",
        "class Same: x: int = 1",
        "async def same(a, *, b: 'c:d' = {1: 2}) -> int: return 1",
        "def same(a,\n  b=')'):\n  # why\n\n  return b",
    ]
)


def _indented(lines: str, indent: str) -> str:
    """Indent the first line of a statement, and those of a block with it."""
    deep = [f"{indent}{line}" if line else line for line in lines.split("\n")]
    is_block = lines.startswith(("@", "def", "class", "async", "if", "try"))
    return "\n".join(deep) if is_block else deep[0] + lines[len(lines.partition("\n")[0]) :]


@st.composite
def _blocks(draw: st.DrawFn, depth: int = 0) -> str:
    """A block of statements and definitions at column 0."""
    parts = draw(st.lists(_STATEMENTS, min_size=1, max_size=4))
    if depth < 3 and draw(st.booleans()):
        header = draw(
            st.sampled_from(
                ["def f():", "class A(B):", "async def g(a,\n  b):", "@x\ndef h(): # why", "if x:"]
            )
        )
        indent = draw(st.sampled_from(["  ", "    ", "\t"]))
        body = draw(_blocks(depth=depth + 1))
        inner = "\n".join(_indented(part, indent) for part in [*body.split("\0"), "pass"])
        parts.insert(draw(st.integers(0, len(parts))), f"{header}\n{inner}")
    return "\0".join(parts)


@given(_blocks(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"]))
def test_any_program_has_the_definitions_that_ast_knows(block: str, end: str, last: str) -> None:
    source = block.replace("\0", "\n") + last
    data = source.replace("\n", end).encode()
    document = Document.from_bytes(data)

    found = differences(known_to_ast(data), read_python(document.text), document)

    assert list(found) == []
