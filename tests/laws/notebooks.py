"""Notebooks in the forms of their writers, edits of them, and what each writer would write then."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.laws.notebook_tools import is_valid, written_by

Notebook = dict[str, Any]
PATH = "work/analysis.ipynb"


@dataclass(frozen=True)
class Writer:
    """How a tool writes notebooks: its arguments of `json.dumps`, and what its cells look like."""

    name: str
    dump: Mapping[str, Any]
    is_list: bool = True
    minor: int = 5
    end: str = "\n"
    newline: str = "\n"
    keys: tuple[str, ...] = ("cell_type", "execution_count", "id", "metadata", "outputs", "source")
    metadata: Mapping[str, Any] = field(default_factory=dict)
    cell_metadata: Mapping[str, Any] = field(default_factory=dict)
    # Whether the tool itself writes the notebooks that are edited.
    is_tool: bool = False

    def made(self, notebook: Notebook) -> Notebook:
        """Return the notebook as it is in the tool's file; others write it as it is."""
        if not self.is_tool:
            return notebook
        file = written_by(self.name, notebook)
        there: Notebook = json.loads(file)
        for cell in there["cells"]:
            cell["source"] = "".join(cell["source"])
        assert self.bytes_of(there) == file, f"{self.name} writes in another form"
        return there

    def bytes_of(self, notebook: Notebook) -> bytes:
        """Return the file that the tool writes; sources are texts in `notebook`."""
        cells = [
            {key: self._value(key, cell[key]) for key in self.keys if key in cell}
            for cell in notebook["cells"]
        ]
        text = json.dumps({**notebook, "cells": cells}, **self.dump) + self.end
        return text.replace("\n", self.newline).encode()

    def _value(self, key: str, value: object) -> object:
        if key != "source" or not self.is_list:
            return value
        return str(value).splitlines(keepends=True)


_PLAIN = {"ensure_ascii": False, "indent": 1}
_KERNEL = {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}}
_COLAB = ("cell_type", "source", "metadata", "execution_count", "outputs")
WRITERS = (
    Writer("nbformat", {**_PLAIN}, metadata=_KERNEL, is_tool=True),
    Writer("jupytext", {**_PLAIN}, metadata=_KERNEL, end="", is_tool=True),
    Writer("nbconvert", {**_PLAIN}, metadata=_KERNEL, is_tool=True),
    Writer("papermill", {**_PLAIN}, metadata=_KERNEL, end="", is_tool=True),
    Writer(
        "colab",
        {"ensure_ascii": False, "indent": 2},
        minor=0,
        end="",
        keys=_COLAB,
        metadata={**_KERNEL, "colab": {"provenance": []}},
    ),
    Writer("vscode", {**_PLAIN}, end="", cell_metadata={"vscode": {"languageId": "python"}}),
    Writer(
        "databricks",
        {"ensure_ascii": False, "separators": (",", ":")},
        is_list=False,
        end="",
        minor=0,
        metadata={"application/vnd.databricks.v1+notebook": {"language": "py"}},
    ),
    Writer("json", {}, minor=4, metadata=_KERNEL),
    Writer("tabs", {"indent": "\t"}, is_list=False, newline="\r\n", metadata=_KERNEL),
)
_LINES = (
    'name{n} = "quoted \\"{n}\\" and \\\\ back\\n"',
    "def load{n}(path, *, limit=None):\n    rows = read(path)\n\n    return rows[:limit] + [{n}]",
    "class Worker{n}:\n    def run(self):\n        if self.ready:\n            print('é 日本 {n}')",
    "frame{n} = frame.groupby('k{n}')\\\n    .agg(sum)",
    "%matplotlib inline\ntotal{n} = {n}",
    "!pip install package{n}\nvalue{n} = '\U0001f600'",
    "for i{n} in range({n}):\n\tprint(i{n})  # tab",
    "text{n} = '''\n  kept {n}\n    deep\n'''",
)
_PROSE = ("# Part {n}\n\nSome *words* {n} & <b>more</b>.\n\n- one {n}\n- two {n}", "Plain é {n}\n")


def notebook_of(rng: random.Random, writer: Writer) -> Notebook:
    """Return a random notebook as its writer has it in mind."""
    cells = [_cell(rng, writer, number) for number in range(rng.randint(2, 9))]
    made = {"cells": cells, "metadata": {**writer.metadata, "title": "Café"}, "nbformat": 4}
    return {**made, "nbformat_minor": writer.minor}


def _cell(rng: random.Random, writer: Writer, number: int) -> Notebook:
    # What new cells look like is shown by one cell of code at least.
    kind = rng.choice(("code", "code", "code", "markdown", "raw")) if number else "code"
    parts = (_LINES, rng.randint(1, 4)) if kind == "code" else (_PROSE, 1)
    pieces = [rng.choice(parts[0]).format(n=number * 10 + k) for k in range(parts[1])]
    source = "\n".join(pieces) + rng.choice(("", "", "\n"))
    cell: Notebook = {"cell_type": kind, "metadata": dict(writer.cell_metadata), "source": source}
    if writer.minor >= 5:
        cell["id"] = f"{rng.getrandbits(32):08x}"
    if kind == "code":
        ran = rng.random() < 0.6
        text = {"name": "stdout", "output_type": "stream", "text": ["<<cell code>>\n", '"}]\\']}
        image = {"data": {"image/png": "iVBO" * 9}, "metadata": {}, "output_type": "display_data"}
        cell |= {"execution_count": number if ran else None, "outputs": [text, image] * ran}
    return cell


# An edit, and the notebook that it leaves; None if ids of new cells are not known before.
Case = tuple[Edit, Notebook, str]


def case_of(rng: random.Random, notebook: Notebook) -> Case:
    """Return a random edit of a notebook, what it leaves, and what it is."""
    return rng.choice((_quote, _quote, _quote, _lines, _source, _delete, _move, _insert))(
        rng, copy.deepcopy(notebook)
    )


def _picked(rng: random.Random, notebook: Notebook) -> tuple[int, Notebook]:
    number = rng.randrange(len(notebook["cells"]))
    return number, notebook["cells"][number]


def _quote(rng: random.Random, notebook: Notebook) -> Case:
    """Quote code of a cell that stands once, and change a word in it."""
    _, cell = _picked(rng, notebook)
    lines = cell["source"].split("\n")
    all_of_it = "\n\n".join(each["source"] for each in notebook["cells"])
    for _ in range(20):
        start = rng.randrange(len(lines))
        quote = "\n".join(lines[start : start + rng.randint(1, 3)]).strip("\n")
        if len(quote) > 6 and all_of_it.count(quote) == 1 and not _cuts(quote, lines):
            new = quote.replace(quote.split()[0], quote.split()[0] + "_ñ", 1)
            new = new if rng.random() < 0.7 else f"# noted\n{new}" if not new[0].isspace() else new
            if cell["cell_type"] == "code" and new.startswith(("%", "!", "#")):
                new = quote + "  # ok"
            cell["source"] = cell["source"].replace(quote, new)
            return Edit(path=PATH, find=quote, content=new), notebook, "quote"
    return _source(rng, notebook)


def _cuts(quote: str, lines: list[str]) -> bool:
    return not all(line in lines for line in quote.split("\n"))


def _lines(rng: random.Random, notebook: Notebook) -> Case:
    number, cell = _picked(rng, notebook)
    lines = cell["source"].split("\n")
    at = rng.randrange(len(lines))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at] = f"{indent}pass  # \u00fc line"
    cell["source"] = "\n".join(lines)
    edit = Edit(path=PATH, segment=f"cell#{number + 1}", lines=at + 1, content=lines[at])
    return edit, notebook, "lines"


def _source(rng: random.Random, notebook: Notebook) -> Case:
    number, cell = _picked(rng, notebook)
    cell["source"] = rng.choice(_LINES[:3]).format(n=rng.randint(1000, 9999))
    content = cell["source"]
    return Edit(path=PATH, segment=f"cell#{number + 1}", content=content), notebook, "source"


def _delete(rng: random.Random, notebook: Notebook) -> Case:
    number, _ = _picked(rng, notebook)
    del notebook["cells"][number]
    return Edit(path=PATH, segment=f"cell#{number + 1}", action="delete"), notebook, "delete"


def _move(rng: random.Random, notebook: Notebook) -> Case:
    number, cell = _picked(rng, notebook)
    to = rng.choice(("start", "end"))
    notebook["cells"].remove(cell)
    notebook["cells"].insert(0 if to == "start" else len(notebook["cells"]), cell)
    edit = Edit(path=PATH, segment=f"cell#{number + 1}", action="move", to=to)
    return edit, notebook, "move"


def _insert(rng: random.Random, notebook: Notebook) -> Case:
    number, _ = _picked(rng, notebook)
    source, kind = f"new = {rng.random()}", rng.choice(("code", "markdown"))
    cell: Notebook = {"cell_type": kind, "metadata": {}, "source": source}
    cell |= {"execution_count": None, "outputs": []} if kind == "code" else {}
    notebook["cells"].insert(number + 1, cell)
    segment = f"cell#{number + 1}"
    edit = Edit(path=PATH, segment=segment, action="after", content=source, cell_type=kind)
    return edit, notebook, "insert"


Apply = Callable[[Document, Edit], bytes]


def edited(document: Document, edit: Edit) -> bytes:
    """Return the bytes that keyhole leaves."""
    (plan,) = resolve([edit], Snapshot({PATH: document})).files
    assert plan.after is not None
    return plan.after.to_bytes()


def judged(tries: int, each: int, seed: str, apply: Apply = edited) -> Counter[str]:
    """Make `tries` notebooks and `each` edits of every one; count what is not as it should be."""
    rng, found = random.Random(seed), Counter[str]()
    for number in range(tries):
        writer = WRITERS[number % len(WRITERS)]
        notebook = writer.made(notebook_of(rng, writer))
        document = Document.from_bytes(writer.bytes_of(notebook), "notebook")
        found["notebooks"] += 1
        for _ in range(each):
            edit, left, what = case_of(rng, notebook)
            found[what] += 1
            try:
                after = apply(document, edit)
            except Refused:
                found[f"{what} refused"] += 1
                continue
            found["wrong"] += not _is_as_meant(writer, left, after)
            # All else has what a valid notebook had, or is wrong.
            found["invalid"] += what == "insert" and not is_valid(json.loads(after))
    return found


def _is_as_meant(writer: Writer, left: Notebook, after: bytes) -> bool:
    """Tell whether the bytes are those that the writer would write for the cells that are left."""
    there = json.loads(after)["cells"]
    for cell, now in zip(left["cells"], there, strict=True):
        if "id" in now and "id" not in cell:
            cell["id"] = now["id"]
    return writer.bytes_of(left) == after
