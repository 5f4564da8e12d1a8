import json

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.sweep.places import places_in
from keyhole.engine.sweep.request import Sweep
from keyhole.phrases import render
from keyhole.refusals import Refused
from keyhole.text.document import Document


def sweep(*edits: Edit, **more: object) -> Sweep:
    return Sweep(edits, "*.py", **more)  # type: ignore[arg-type]


def ids(text: str, of: Sweep, path: str = "a.py") -> list[str]:
    return [place.id for place in places_in(of, path, Document.from_bytes(text.encode()))]


OLD = sweep(Edit(find="old", content="new"))


def test_places_that_stay_as_they_are_are_none() -> None:
    assert ids("old = 1\n", sweep(Edit(find="old", content="old"))) == []


def test_an_id_names_a_place_by_the_lines_around_it() -> None:
    [first, second] = ids("a\nold\nb\nold\nc\n", OLD)

    assert ids("more\na\nold\nb\nchanged\n", OLD) == [first]
    assert ids("a\nold\nB\nold\nc\n", OLD) != [first, second]


def test_places_with_equal_lines_around_are_bound_to_the_version() -> None:
    text = "a\nold\na\n" * 2
    [first, second] = ids(text, OLD)

    assert first != second
    assert not {first, second} & {*ids(text + "end\n", OLD)}


def test_two_files_have_no_id_in_common() -> None:
    assert not {*ids("old\n", OLD)} & {*ids("old\n", OLD, "b.py")}


def test_the_longest_spelling_is_meant() -> None:
    places = places_in(
        sweep(Edit(find="old_name", content="n"), cases=True),
        "a.py",
        Document("OldName OLD_NAME\n"),
    )

    assert [change.text for place in places for change in place.changes] == ["N", "N"]


def test_a_place_within_a_longer_word_is_passed_over() -> None:
    word = sweep(Edit(find="aa", content="b"), boundary="word")

    assert [(p.start, p.end) for p in places_in(word, "a.py", Document("aaa aa\n"))] == [(4, 6)]


def test_two_edits_of_one_place_are_refused() -> None:
    both = sweep(Edit(find="old name", content="x"), Edit(find="name", content="y"))

    with pytest.raises(Refused) as refused:
        places_in(both, "a.py", Document("1\nold name\n"))
    [refusal] = refused.value.refusals
    assert refusal.code == "overlapping-edits"
    assert render(refusal.headline) == "edits 0 and 1 both find line 2 of a.py"


def test_two_edits_of_different_places_are_in_order() -> None:
    both = sweep(Edit(find="b", content="x"), Edit(find="a", content="y"))

    assert [place.edit for place in places_in(both, "a.py", Document("a b a\n"))] == [1, 0, 1]


def test_line_ends_are_those_of_the_file() -> None:
    lines = sweep(Edit(find="a\nb", content="1\n2\n3"))
    [place] = places_in(lines, "a.txt", Document("a\r\nb\r\n"))

    assert [(each.start, each.end, each.text) for each in place.changes] == [(0, 4, "1\r\n2\r\n3")]


def notebook(*sources: str, language: str = "python", prose: str = "") -> Document:
    cells = [{"cell_type": "code", "outputs": [1], "source": source} for source in sources]
    written = [{"cell_type": "markdown", "source": prose}] if prose else []
    metadata = {"kernelspec": {"language": language}}
    whole = {"cells": [*written, *cells], "metadata": metadata, "nbformat": 4}
    return Document.from_bytes(json.dumps(whole).encode(), "notebook")


def changed(of: Sweep, document: Document) -> list[str]:
    return [
        document.line(document.line_at(place.start)) for place in places_in(of, "a.ipynb", document)
    ]


def test_lines_that_tell_of_cells_hold_no_places() -> None:
    document = notebook("outputs = python", "cell")

    for word, line in (
        ("python", "outputs = python"),
        ("outputs", "outputs = python"),
        ("cell", "cell"),
    ):
        assert changed(sweep(Edit(find=word, content="x")), document) == [line]
    lines = sweep(Edit(find=r"[a-z ]+\n?", content="x", regex=True))
    assert changed(lines, document) == ["outputs = python"]


def test_a_pattern_is_looked_for_in_each_cell() -> None:
    code = ("import a", "%%bash\nload(x", "!ls\nb = load(1)", "load(2)")
    document = notebook(*code, prose="load(0)")

    assert changed(sweep(Edit(pattern="load($X)", content="read($X)")), document) == [
        "b = load(1)",
        "load(2)",
    ]
    with pytest.raises(Refused, match="no syntax tree"):
        changed(sweep(Edit(pattern="load($X)", content="x")), notebook("load(1)", language="r"))
