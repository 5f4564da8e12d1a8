from pathlib import Path
from unittest.mock import Mock

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.options import Options
from keyhole.engine.reading import (
    ReadRequest,
    Search,
    Shape,
    elsewhere,
    outline,
    outline_tree,
    read,
    search,
)
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.scene import engine_at, put


@pytest.mark.parametrize(
    ("text", "lines", "headline", "help_line"),
    [
        (
            "a\nb\n",
            "0",
            "`lines` is 0, a place beside the lines: there is nothing to read",
            "read lines from 1 to 2",
        ),
        (
            "a\nb\n",
            "-1",
            "`lines` is -1, a place beside the lines: there is nothing to read",
            "read lines from 1 to 2",
        ),
        ("a\nb\n", "3", "line 3 is out of bounds (a.txt has 2 lines)", "read lines from 1 to 2"),
        ("", "1", "line 1 is out of bounds (a.txt has 0 lines)", "the file is empty"),
    ],
)
def test_lines_that_are_not_there_cannot_be_read(
    text: str, lines: str, headline: str, help_line: str
) -> None:
    with pytest.raises(Refused) as refused:
        read(Document(text), "a.txt", ReadRequest(lines=lines))

    [told] = refused.value.refusals
    assert (told.headline, told.help) == (headline, help_line)


def test_a_directory_without_segments_says_so(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="x\n", b_py="def f(): pass\n") as engine:
        found = outline_tree(engine._tree, ".", Shape(query="nobody"))
        some = outline_tree(engine._tree, ".", Shape(query="f"))

    assert found.as_text() == "no such segments below ."
    assert some.as_text().split("\n")[1:] == ["  f  function 1-1"]


def test_a_query_finds_a_segment_in_any_file_of_a_large_tree(tmp_path: Path) -> None:
    with engine_at(tmp_path) as engine:
        for number in range(600):
            put(tmp_path / "root", f"a/file{number:03}.py", f"def f{number}(): pass\n")
        put(tmp_path / "root", "z/last.py", "class Needle:\n    pass\n")
        found = outline_tree(engine._tree, ".", Shape(query="needle"))

    assert [file.path for file in found.files] == ["z/last.py"]
    assert found.total == 1


def test_an_outline_of_a_tree_counts_the_files_that_it_does_not_show(tmp_path: Path) -> None:
    with engine_at(tmp_path) as engine:
        for number in range(520):
            put(tmp_path / "root", f"file{number:03}.py", f"def f{number}(): pass\n")
        every = outline_tree(engine._tree, ".", Shape())
        found = outline_tree(engine._tree, ".", Shape(query="f"))

    assert (len(every.files), every.total) == (len(found.files), found.total) == (500, 520)
    assert every.as_text().endswith("(20 more files: name a directory or a longer query)")


def test_a_filter_that_leaves_no_segment_is_told_what_there_is() -> None:
    document = Document("class A:\n    def f(self): pass\n")
    none, some = (
        outline(document, "a.py", Shape(kinds=kinds)).as_text()
        for kinds in (("bogus",), ("class",))
    )

    assert none.split("\n")[1:] == ["  no such segments: it has class, method"]
    assert some.split("\n")[1:] == ["  A  class 1-2"]


def test_quotes_that_stand_in_other_files_are_found_with_one_look_at_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "the first of all\nthe second of all\n"
    files = {"a_txt": "a\n", "b_txt": text, "c_txt": f"c\n{text}", "d_py": text}
    quotes = [("a.txt", "the second of all"), ("b.txt", "the first of all\n"), ("a.txt", "short")]
    with engine_at(tmp_path, **files) as engine:
        reading = Mock(wraps=engine._tree.read)
        monkeypatch.setattr(engine._tree, "read", reading)
        found = elsewhere(engine._tree, quotes)

    assert found == {quotes[0]: ("b.txt:2", "c.txt:3"), quotes[1]: ("c.txt:2",)}
    assert [call.args for call in reading.mock_calls] == [("a.txt",), ("b.txt",), ("c.txt",)]


@pytest.mark.parametrize(
    ("wanted", "field", "said"),
    [
        (ReadRequest(part="body"), "part", "`part` needs `segment` beside it"),
        (ReadRequest("f", "tail"), "part", "`part` is 'tail'; it is one of whole, body, "),
        (ReadRequest("f", lines=1), "lines", "`lines` and `segment` both name the place; "),
        (ReadRequest(lines="x"), "lines", "`lines` is 'x'; it is 12, 12-20, "),
        (ReadRequest(lines=[2, 1]), "lines", "`lines` is [2, 1]; it is 12, "),
        (ReadRequest("\ud800"), "segment", "`segment` holds half of a surrogate pair, "),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(wanted: ReadRequest, field: str, said: str) -> None:
    document = Document.from_bytes(b"def f():\n    pass\n")

    with pytest.raises(Refused) as error:
        read(document, "a.py", wanted)

    [refusal] = error.value.refusals
    assert (refusal.code, refusal.data["field"]) == ("bad-request", field)
    assert refusal.headline.startswith(said)
    assert (refusal.path, refusal.hash_current) == ("a.py", document.hash)


def test_to_read_makes_no_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Edit) -> None:
        pytest.fail("an edit was made")

    monkeypatch.setattr(Edit, "__post_init__", fail)
    document = Document.from_bytes(b"def f():\n    pass\n\nx = 1\n")

    assert read(document, "a.py", ReadRequest("f", "body")).rows == ("    pass",)
    assert read(document, "a.py", ReadRequest(lines="4-")).rows == ("x = 1",)
    assert read(document, "a.py", ReadRequest()).first == 1


OLD_NOTEBOOK = b'{"worksheets": [], "nbformat": 3}'
NOTEBOOK = b"""{"cells": [
 {"cell_type": "code", "source": ["use = 'code'\\n", "b = 1 |||| 2"]},
 {"cell_type": "code", "source": "code()"}], "nbformat": 4}"""


@pytest.mark.parametrize("wanted", [Search("code"), Search(r"co\w+", regex=True)])
def test_lines_that_tell_of_cells_are_not_searched(tmp_path: Path, wanted: Search) -> None:
    with engine_at(tmp_path) as engine:
        (tmp_path / "root" / "a.ipynb").write_bytes(NOTEBOOK)
        found = search(engine._tree, wanted)

        twice = search(engine._tree, Search("||"))

    assert [(hit.line, hit.text) for hit in found.hits] == [(1, "use = 'code'"), (1, "code()")]
    assert found.total == 2
    assert twice.total == 2


def test_lines_of_a_notebook_are_those_of_a_cell() -> None:
    document = Document.from_bytes(NOTEBOOK, "notebook")

    whole = read(document, "a.ipynb", ReadRequest("cell#1"))
    line = read(document, "a.ipynb", ReadRequest("cell#1", lines=2))

    assert (whole.first, whole.rows, whole.total_lines) == (1, ("use = 'code'", "b = 1 |||| 2"), 2)
    assert (line.first, line.rows, line.total_lines, line.cell) == (
        2,
        ("b = 1 |||| 2",),
        2,
        "cell#1",
    )


def test_a_notebook_as_a_whole_is_numbered_as_edits_count() -> None:
    document = Document.from_bytes(NOTEBOOK.replace(b"use", b"\\n" * 9 + b"use"), "notebook")

    whole = read(document, "a.ipynb", ReadRequest())
    some = read(document, "a.ipynb", ReadRequest(lines="11-13"))

    numbers = [number for number, _ in whole.numbered_rows]
    assert numbers == [*range(12), 0, 1]
    assert whole.text.startswith(" 0| <<cell code>>\n 1| \n")
    assert some.text == "10| use = 'code'\n11| b = 1 |||| 2\n 0| <<cell code>>"
    assert " lines 11-13 of 14 in all cells, each numbered by itself\n" in some.as_text()
    assert some.as_data()["numbered"] == "in each cell"
    assert some.as_data()["lines"] == [11, 13]


def test_a_notebook_whose_cells_cannot_be_read_says_why() -> None:
    document = Document.from_bytes(OLD_NOTEBOOK, "notebook")
    why = "cells cannot be read: it is in nbformat 3, and cells are read of nbformat 4 only"

    outlined = outline(document, "a.ipynb", Shape())
    assert (outlined.as_data()["editable"], why in outlined.as_text()) == ([], True)
    assert why in read(document, "a.ipynb", ReadRequest()).as_text()
    with pytest.raises(Refused, match=r"unparsable: .*nbformat 3"):
        read(document, "a.ipynb", ReadRequest(segment="cell#1"))


def test_what_is_said_of_a_notebook_counts_in_its_cells(tmp_path: Path) -> None:
    with engine_at(tmp_path) as engine:
        (tmp_path / "root" / "a.ipynb").write_bytes(NOTEBOOK)
        (tmp_path / "root" / "b.ipynb").write_bytes(NOTEBOOK.replace(b"use", b"let"))
        with pytest.raises(Refused) as unknown:
            engine.read("a.ipynb", ReadRequest(segment="cell#3"))
        missing = engine.edit([Edit(find="use = 'code'", content="x")], Options(), "b.ipynb")

    assert [each.lines for each in unknown.value.refusals[0].candidates] == [(1, 2), (1, 1)]
    assert missing.refusals[0].suggestions == ("a.ipynb:1 of `cell#1`",)
