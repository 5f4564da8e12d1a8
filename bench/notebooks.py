"""A notebook of 20 MB with images: an edit beside a durable copy, and what reading a cell costs."""

from __future__ import annotations

import base64
import json
import os
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from bench.measure import Row, ratio
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest

_CELLS, _IMAGE, _ROUNDS = 200, 75_000, 9
_MOST_BYTES = 2048
_SOURCE = ("def plot{0}(rows):\n", "    width = 1\n", "    return draw(rows, {0}, width)")


def notebooks(place: Path) -> Iterator[Row]:
    """Measure a notebook in a workspace below a directory."""
    root = place / "notebooks"
    root.mkdir()
    file = root / "large.ipynb"
    file.write_text(json.dumps(_notebook(), indent=1) + "\n", encoding="utf-8")
    engine = Engine.open(root, place / "notebooks-journal")
    numbers = count()

    def edit() -> None:
        place = Edit(
            segment=f"cell#{next(numbers) % _CELLS + 1}", find="width = 1", content="w = 2"
        )
        assert engine.edit([place], Options(), file.name).outcome == "applied"

    took = ratio(edit, lambda: _copied(file), _ROUNDS)
    yield Row("edit of a 20 MB notebook, beside a durable copy", took, 3.0)
    answer = engine.read(file.name, ReadRequest(segment=f"cell#{_CELLS}"))
    engine.close()
    source = "".join(_SOURCE).format(_CELLS - 1)
    more = max(len(answer.as_text()), len(json.dumps(answer.as_data()))) - len(source)
    label = f"read of one of its cells, bytes beside its source, of {_MOST_BYTES}"
    yield Row(label, more / _MOST_BYTES, 1.0)


def _notebook() -> dict[str, object]:
    source = random.Random(1)
    cells = [
        {
            "cell_type": "code",
            "execution_count": number,
            "id": f"{number:08x}",
            "metadata": {},
            "outputs": [_image(source)],
            "source": [line.format(number) for line in _SOURCE],
        }
        for number in range(_CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _image(source: random.Random) -> dict[str, object]:
    data = {"image/png": base64.b64encode(source.randbytes(_IMAGE)).decode()}
    return {"data": data, "metadata": {}, "output_type": "display_data"}


def _copied(file: Path) -> None:
    """Read a file and write it again so that it survives a power cut."""
    data, copy = file.read_bytes(), file.with_suffix(".copy")
    with copy.open("wb", buffering=0) as written:
        written.write(data)
        os.fsync(written.fileno())
    copy.replace(file)
    directory = os.open(file.parent, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
