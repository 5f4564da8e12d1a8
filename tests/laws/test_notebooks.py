"""A notebook is edited to the byte: only what is named changes, as its writer would write it."""

import json

from keyhole.edits.model.operations import Edit
from keyhole.text.document import Document
from tests.laws.notebooks import WRITERS, edited, judged
from tests.torture.start import figure

NOTEBOOKS, EDITS = figure(300, 1500), 20


def test_every_edit_leaves_what_the_writer_would_write() -> None:
    found = judged(NOTEBOOKS, EDITS, "notebooks")

    assert len(WRITERS) >= 5
    assert found["notebooks"] == NOTEBOOKS
    kinds = ("quote", "lines", "source", "delete", "move", "insert")
    assert sum(found[kind] for kind in kinds) == NOTEBOOKS * EDITS
    assert (found["wrong"], found["invalid"]) == (0, 0)
    assert found["quote refused"] <= found["quote"] * 0.005
    assert all(not found[f"{kind} refused"] for kind in kinds[1:])


def test_a_writer_that_makes_its_own_form_of_a_file_is_caught() -> None:
    def careless(document: Document, edit: Edit) -> bytes:
        return json.dumps(json.loads(edited(document, edit)), indent=1).encode()

    assert judged(16, 5, "careless", careless)["wrong"] > 40


def test_a_lost_output_is_caught() -> None:
    def lossy(document: Document, edit: Edit) -> bytes:
        return edited(document, edit).replace(b"iVBOiVBO", b"iVBO", 1)

    assert judged(16, 5, "lossy", lossy)["wrong"] > 20
