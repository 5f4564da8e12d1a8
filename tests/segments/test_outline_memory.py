"""The outline of a large file takes hardly more memory than its parser does."""

import subprocess
import sys

import pytest

_PYTHON = '''class Worker{0}:
    """Works."""

    def process(self, item, other=None):
        result = [value for value in item if value]
        if other is not None:
            result.append({{"a": other, "b": [1, 2, 3]}})
        return self.finish(result, key=lambda x: x[0])
'''
_SCRIPT = """export class Worker{0} {{
  // Works.
  process(item, other = null) {{
    const result = item.filter((value) => value);
    if (other !== null) {{
      result.push({{ a: other, b: [1, 2, 3] }});
    }}
    return this.finish(result, (x) => x[0]);
  }}
}}
"""
_MEASURE = """
import sys
from keyhole.engine.reading import Shape, outline
from keyhole.segments.code.parser import parse
from keyhole.text.document import Document
from tests.memory import peak_memory
text = sys.stdin.read()
if sys.argv[1] == "parse":
    root = parse(sys.argv[2], text)
else:
    found = outline(Document(text), sys.argv[3], Shape())
    assert len(found.rows) > 1000 and not found.unreadable
print(peak_memory())
"""


@pytest.mark.parametrize(
    ("language", "path", "piece"),
    [("python", "a.py", _PYTHON), ("javascript", "a.js", _SCRIPT)],
    ids=["python", "javascript"],
)
def test_an_outline_takes_at_most_half_as_much_again_as_the_parser(
    language: str, path: str, piece: str
) -> None:
    text = "".join(piece.format(number) for number in range(3_000_000 // len(piece)))
    alone, outlined = (_peak(text, what, language, path) for what in ("parse", "outline"))

    assert outlined <= 1.5 * alone


def _peak(text: str, *words: str) -> int:
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, *words],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return int(run.stdout)
