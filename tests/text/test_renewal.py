import json
from pathlib import Path
from typing import Any

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from tests.scene import engine_at, put

ME = Options(actor="agent")
IMAGE = {"data": {"image/png": "iVBO" * 9}, "metadata": {}, "output_type": "display_data"}
TEXT = {"name": "stdout", "output_type": "stream", "text": ["hi\n"]}


def stored(minor: int) -> str:
    runs: dict[str, Any] = {"execution_count": 3}
    cells = [
        {"source": ["# Top"], "attachments": {"a.png": {"image/png": "iVBO"}}},
        {"source": ["plot()"], "outputs": [IMAGE], **runs},
        {"source": ["plot()"], "outputs": [TEXT], **runs},
        {"source": ["z = 3"], "outputs": [], **runs},
        {"source": ["q = 3"], "outputs": [], **runs},
    ]
    made = [
        {
            "cell_type": "code" if number else "markdown",
            **({"id": f"c{number}"} if minor >= 5 else {}),
            "metadata": {"tags": [f"t{number}"]},
            **cell,
        }
        for number, cell in enumerate(cells)
    ]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": minor}
    return f"{json.dumps(whole, indent=1)}\n"


def undone(engine: Engine) -> None:
    receipt = engine.undo(UndoRequest(), ME)
    assert receipt.ok, receipt.as_text()


EDITS = [
    Edit(segment="cell#2", action="delete"),
    Edit(segment="cell#3", action="delete"),
    Edit(segment="cell#4", action="delete"),
    Edit(segment="cell#3", clear_outputs=True),
    Edit(segment="cell#3", cell_type="raw"),
    Edit(segment="cell#4", cell_type="markdown"),
    Edit(segment="cell#1", cell_type="code"),
    Edit(segment="cell#4", action="move", to="start"),
]


@pytest.mark.parametrize("minor", [4, 5])
def test_an_undo_brings_back_all_of_a_cell_after_others_wrote(tmp_path: Path, minor: int) -> None:
    before = stored(minor)
    with engine_at(tmp_path) as engine:
        for number, edit in enumerate(EDITS):
            path = f"{number}.ipynb"
            file = put(tmp_path / "root", path, before)
            receipt = engine.edit([edit], ME, path)
            assert receipt.ok, receipt.as_text()
            left = file.read_text(encoding="utf-8")
            assert left != before
            file.write_text(left.replace("q = 3", "q = 4"), encoding="utf-8")

            undone(engine)
            assert file.read_text(encoding="utf-8") == before.replace("q = 3", "q = 4"), edit


def test_a_cell_of_half_characters_is_moved(tmp_path: Path) -> None:
    before = stored(5).replace("z = 3", "z = '\\udc80\\ud83d'")
    with engine_at(tmp_path) as engine:
        file = put(tmp_path / "root", "a.ipynb", before)
        receipt = engine.edit([Edit(segment="cell#4", action="move", to="end")], ME, "a.ipynb")

        assert receipt.ok, receipt.as_text()
        assert json.loads(file.read_bytes())["cells"][4] == json.loads(before)["cells"][3]
