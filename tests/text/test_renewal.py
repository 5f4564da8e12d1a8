import json
from pathlib import Path
from typing import Any

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
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


RUNS = [
    (Edit(segment="cell#3", clear_outputs=True), "t2"),
    (Edit(segment="cell#3", cell_type="raw"), "t2"),
    (Edit(segment="cell#1", cell_type="code"), "t0"),
]


@pytest.mark.parametrize(("edit", "tag"), RUNS)
def test_an_undo_keeps_what_others_did_to_the_cell_itself(
    tmp_path: Path, edit: Edit, tag: str
) -> None:
    before = stored(5)
    file = put(tmp_path / "root", "a.ipynb", before)
    with engine_at(tmp_path) as engine:
        assert engine.edit([edit], ME, "a.ipynb").ok
        left = file.read_text(encoding="utf-8")
        file.write_text(left.replace(f'"{tag}"', '"theirs"'), encoding="utf-8")

        undone(engine)

    after = json.loads(file.read_bytes())
    assert after == json.loads(before.replace(f'"{tag}"', '"theirs"'))


def test_several_edits_of_a_cell_that_went_are_undone_at_once(tmp_path: Path) -> None:
    before = stored(5)
    file = put(tmp_path / "root", "a.ipynb", before)
    with engine_at(tmp_path) as engine:
        task = Options(actor="agent", task="t")
        for edit in (
            Edit(segment="cell#3", find="plot()", content="show()"),
            Edit(segment="cell#3", action="delete"),
        ):
            assert engine.edit([edit], task, "a.ipynb").ok
        left = file.read_text(encoding="utf-8")
        file.write_text(left.replace("q = 3", "q = 4"), encoding="utf-8")

        assert engine.undo(UndoRequest(task="t"), ME).ok

    assert file.read_text(encoding="utf-8") == before.replace("q = 3", "q = 4")


def test_a_cell_of_half_characters_is_moved(tmp_path: Path) -> None:
    before = stored(5).replace("z = 3", "z = '\\udc80\\ud83d'")
    with engine_at(tmp_path) as engine:
        file = put(tmp_path / "root", "a.ipynb", before)
        receipt = engine.edit([Edit(segment="cell#4", action="move", to="end")], ME, "a.ipynb")

        assert receipt.ok, receipt.as_text()
        assert json.loads(file.read_bytes())["cells"][4] == json.loads(before)["cells"][3]


def without_cells(minor: int = 5, indent: int | None = 1) -> str:
    whole = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": minor}
    return json.dumps(whole, indent=indent, separators=(",", ":") if indent is None else None)


def read(text: str) -> Document:
    return Document.from_bytes(text.encode(), "notebook")


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_the_first_cell_of_a_notebook_is_written_as_the_notebook_is(indent: int | None) -> None:
    document = read(without_cells(indent=indent)).with_text("<<cell code id=a>>\nx = 1\n")

    (cell,) = json.loads(document.stored)["cells"]
    assert (cell["cell_type"], cell["id"], "".join(cell["source"])) == ("code", "a", "x = 1")
    assert (indent is None) == ("\n" not in document.stored)
    assert document.with_text("").stored == without_cells(indent=indent)


def test_a_new_cell_beside_empty_ones_has_the_usual_form() -> None:
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    empty = {"cell_type": "raw", "id": "a", "metadata": {}, "source": []}
    document = read(json.dumps({**whole, "cells": [empty]}, indent=1))

    made = document.with_text(f"{document.text}<<cell raw id=b>>\nx\ny\n")

    new = {**empty, "id": "b", "source": ["x\n", "y"]}
    assert made.stored == json.dumps({**whole, "cells": [empty, new]}, indent=1)


@pytest.mark.parametrize(
    ("minor", "text", "code", "words"),
    [
        (5, "x\n<<cell code id=a>>\n\n", "bad-request", "text stands above the first cell"),
        (5, "<<cell no mark>>\n\n", "bad-request", "is no mark of a cell"),
        (5, "<<cell code id=a>>", "bad-request", "shares its line with other text"),
        (5, "<<cell code>>\n\n", "bad-request", "a new cell has no id"),
        (4, "<<cell code id=a>>\n\n", "bad-request", "has no ids of cells"),
        (5, "<<cell code id=a outputs=1>>\n\n", "conflict", "a cell with 1 output is to come"),
        (5, "<<cell code id=a outputs=2>>\n\n", "conflict", "a cell with 2 outputs is to come"),
        (5, "<<cell rust id=a>>\n\n", "conflict", "would not hold the cells"),
    ],
)
def test_a_text_that_no_notebook_holds_is_refused(
    minor: int, text: str, code: str, words: str
) -> None:
    with pytest.raises(Refused) as refused:
        read(without_cells(minor)).with_text(text)

    assert refused.value.refusals[0].code == code
    assert words in refused.value.refusals[0].headline


@pytest.mark.parametrize(("outputs", "comes_back"), [("", True), (" outputs=1", False)])
def test_a_cell_that_comes_back_with_other_text_has_its_metadata(
    outputs: str, *, comes_back: bool
) -> None:
    old = stored(5).replace('"outputs": []', f'"outputs": {json.dumps([TEXT] if outputs else [])}')
    before = read(old)
    mark = f"<<cell code id=c3{outputs}>>"
    at = before.text.index(mark)
    end = before.text.index("<<", at + 1)
    without = before.with_text(before.text[:at] + before.text[end:])

    back = ChangeSet.of(len(without.text), [Change(at, at, "<<cell code id=c3>>\nz = 4\n")])
    assert isinstance(back, ChangeSet)
    made = without.changed(back, before.former_cells([(at, end)]))

    cell = json.loads(made.stored)["cells"][3]
    assert cell["source"] == ["z = 4"]
    assert cell["metadata"] == ({"tags": ["t3"]} if comes_back else {})


def test_a_cell_without_an_id_is_the_one_that_is_gone() -> None:
    document = read(stored(4))
    changed = document.text.replace(
        "<<cell code>>\nz = 3\n<<cell code>>\nq = 3\n",
        "<<cell raw>>\nw\n<<cell code>>\nq = 3\n",
    )

    made = json.loads(document.with_text(changed).stored)["cells"]

    assert [cell["metadata"]["tags"] for cell in made] == [[f"t{number}"] for number in range(5)]
    assert (made[3]["cell_type"], made[3]["source"]) == ("raw", ["w"])


def test_a_text_that_is_no_notebook_becomes_one_and_says_what_is_wrong() -> None:
    broken = read("{")
    mended = broken.with_text(without_cells())

    assert broken.flaw.startswith("its JSON is broken")
    assert (mended.flaw, mended.stored) == ("", without_cells())
    assert Document("x").marks == ()
    assert Document(without_cells(), encoding="notebook").flaw == ""


def test_lines_are_counted_in_their_cells() -> None:
    document = replace(read(stored(5)))  # one that was not read from bytes

    assert document.notebook == read(stored(5)).notebook
    assert document.lines_shown((4, 4)) == (1, 1)
    assert document.lines_shown((5, 4)) == (2, 1)
