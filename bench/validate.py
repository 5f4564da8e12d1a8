"""The checks of an edit: what they add to one, from the call to its receipt.

The same edit is made in turns with the checks and without. A file edited again is known to be
sound, as in a server; the first edit of a file is measured on its own.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Row, ratio
from keyhole import Document, Edit
from keyhole.edits.checks.validate import validate
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.engine.edit import plan as planning
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options

_SIZE = 50_000
_ROUNDS = 150
_FUNCTION = '''def work_{0}(items, limit={0}):
    """Return what work {0} makes of some items."""
    found = []
    for index, item in enumerate(items):
        if index > limit or not item:
            continue
        found.append({{"index": index, "name": f"{{item}}-{0}", "rest": items[index:]}})
    mark_{0} = 0
    return [each for each in found if each["index"] % {0} == mark_{0}]


'''


def rows() -> list[Row]:
    """Measure what the checks add."""
    python = "".join(map(_FUNCTION.format, range(1, 200)))[:_SIZE].rpartition("\n\n\n")[0] + "\n"
    prose = ("Some words that make a line of plain text, number 12345.\n" * 1000)[:_SIZE]
    prose = f"{prose}\nmark_60 = 0\n{prose}"
    return [
        Row("checked edit of a 50 KB Python file / unchecked", _added("a.py", python), 1.25),
        Row("checked edit of a 50 KB text file / unchecked", _added("a.txt", prose), 1.08),
        Row("first check of a 50 KB Python file / its compilation", _first(python), 1.5),
    ]


def _added(path: str, text: str) -> float:
    with _scratch() as home:
        checked = _editor(home / "checked", path, text, validate)
        unchecked = _editor(home / "unchecked", path, text, lambda plan, *_: plan)
        return ratio(checked, unchecked, _ROUNDS)


def _editor(home: Path, path: str, text: str, check: Callable[..., Plan]) -> Callable[[], None]:
    """Return an edit of the middle of a file that is another one each time."""
    (home / "root").mkdir(parents=True)
    (home / "root" / path).write_text(text, encoding="utf-8")
    engine = Engine.open(home / "root", state_home=home / "state")
    numbers = itertools.count()

    def edit() -> None:
        number = next(numbers)
        vars(planning)["validate"] = check
        change = Edit(find=f"mark_60 = {number}", content=f"mark_60 = {number + 1}")
        receipt = engine.edit([change], Options(), path)
        assert receipt.ok, receipt.as_text()

    return edit


def _first(text: str) -> float:
    """Compare the check of a text nobody has seen with the compiler alone."""
    numbers = itertools.count()

    def first() -> None:
        document = Document(f"{text}x = {next(numbers)}\n")
        edit = Edit(path="a.py", find="mark_60 = 0", content="mark_60 = 1")
        validate(resolve([edit], Snapshot({"a.py": document})), "strict", lambda _: True)

    return ratio(first, lambda: compile(text, "a.py", "exec", dont_inherit=True), 20)


@contextmanager
def _scratch() -> Iterator[Path]:
    home = Path(tempfile.mkdtemp()).resolve()
    try:
        yield home
    finally:
        vars(planning)["validate"] = validate
        shutil.rmtree(home)
