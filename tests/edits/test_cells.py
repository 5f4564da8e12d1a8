"""Edits of notebooks: of cells as such, and of what stands in one."""

import json
from typing import Any

import pytest

from keyhole.edits.checks.syntax.table import problems
from keyhole.edits.model.hunk import ADD, KEEP, REMOVE, Hunk
from keyhole.edits.model.operations import Edit, Operation
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.text.document import Document

OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["hi\n"]}
LOAD = "%matplotlib inline\ndef load(path):\n    return read(path)"
CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Load\n", "it"]},
    {
        "cell_type": "code",
        "execution_count": 3,
        "id": "aaa1",
        "metadata": {},
        "outputs": [OUTPUT],
        "source": LOAD.splitlines(keepends=True),
    },
    {
        "cell_type": "code",
        "execution_count": None,
        "id": "bbb2",
        "metadata": {},
        "outputs": [],
        "source": "x = 1\nprint(x)",
    },
]


def notebook(minor: int = 5) -> Document:
    metadata = {"kernelspec": {"language": "python"}}
    cells = [{k: v for k, v in cell.items() if k != "id" or minor >= 5} for cell in CELLS]
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}
    return Document.from_bytes(f"{json.dumps(made, indent=1)}\n".encode(), "notebook")


def plan(*operations: Operation, document: Document | None = None) -> FilePlan:
    (made,) = resolve(operations, Snapshot({"a.ipynb": document or notebook()})).files
    return made


def cells(made: FilePlan) -> list[tuple[str, str]]:
    assert made.after is not None
    found = json.loads(made.after.to_bytes())["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in found]


def edit(**fields: Any) -> FilePlan:  # noqa: ANN401 - as `Edit` takes them
    return plan(Edit(path="a.ipynb", **fields))


def refusal(**fields: Any) -> Refused:  # noqa: ANN401 - as `Edit` takes them
    with pytest.raises(Refused) as refused:
        edit(**fields)
    return refused.value


def test_a_quote_of_code_lands_and_the_outputs_are_said_to_be_stale() -> None:
    made = edit(find="return read(path)", content='return read(path, "é")')

    assert cells(made)[1][1].endswith('read(path, "é")')
    assert made.edits[0].segment == "cell#2"
    assert "outputs" in str(made.edits[0].notes)


def test_the_json_of_a_source_is_quoted_in_a_notebook_only() -> None:
    quoted, new = '    "    return read(path)"', '    "    return read(\\"é\\")"'
    made = edit(find=quoted, content=new)

    assert cells(made)[1][1] == LOAD.replace("read(path)", 'read("é")')
    assert made.edits[0].matched == "transport"
    with pytest.raises(Refused, match="not-found"):
        resolve([Edit(path="a.py", find=quoted, content=new)], Snapshot({"a.py": Document(LOAD)}))


def test_a_hunk_of_the_json_of_a_source_is_one_of_its_lines() -> None:
    lines = (
        (KEEP, '    "def load(path):\\n",'),
        (REMOVE, '    "    return read(path)"'),
        (ADD, '    "    return read(\\"é\\")\\n",'),
        (ADD, '    "load(1)"'),
    )
    made = plan(Hunk("a.ipynb", lines, line=24))

    assert cells(made)[1][1] == LOAD.replace("read(path)", 'read("é")\nload(1)')
    for other in ((ADD, "load(1)"), (KEEP, '   "load(1)\\n",')):
        with pytest.raises(Refused, match="not-found"):
            plan(Hunk("a.ipynb", (*lines, other)))


def test_a_hunk_may_have_lines_that_look_like_marks_as_they_are() -> None:
    lines = ((KEEP, "s = '''"), (KEEP, "<<cell x>>"), (REMOVE, "deep"), (ADD, "sea"))
    made = plan(Hunk("a.ipynb", lines), document=code("s = '''\n<<cell x>>\ndeep\n'''", "b"))

    assert [text for _, text in cells(made)] == ["s = '''\n<<cell x>>\nsea\n'''", "b"]
    with pytest.raises(Refused, match="not-found"):
        plan(Hunk("a.ipynb", (*lines, (ADD, "<<cell y>>"))), document=code("<<cell x>>\ndeep", "b"))


def test_outputs_are_cleared_if_that_is_asked_for() -> None:
    made = edit(segment="aaa1", clear_outputs=True)

    assert made.after is not None
    cell = json.loads(made.after.to_bytes())["cells"][1]
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert not made.edits[0].notes


@pytest.mark.parametrize("address", ["load", "cell#2/load", "aaa1/load"])
def test_a_function_of_a_cell_is_replaced_by_its_name(address: str) -> None:
    made = edit(segment=address, content="def load(path):\n    return None")

    assert cells(made)[1][1] == "%matplotlib inline\ndef load(path):\n    return None"


def test_lines_count_in_the_named_cell() -> None:
    assert cells(edit(segment="cell#3", lines="1", content="x = 2"))[2][1] == "x = 2\nprint(x)"
    assert "cell#3" in str(refusal(lines="1", content="x = 2").refusals[0].where)


def test_cells_come_below_a_heading_or_at_the_end_with_ids() -> None:
    made = edit(segment="Load/cell#1", action="before", content="## New", cell_type="markdown")
    last = edit(action="append", content="```python\nlast()\n```")

    assert cells(made)[1] == ("markdown", "## New")
    assert cells(last)[-1] == ("code", "last()")
    assert last.after is not None
    assert last.after.notebook is not None
    assert last.after.notebook.cells[-1].id


def test_a_notebook_of_an_older_format_gets_no_ids() -> None:
    new = Edit(path="a.ipynb", action="append", content="last()")
    made = plan(new, document=notebook(4))

    assert made.after is not None
    assert b'"id"' not in made.after.to_bytes()


@pytest.mark.parametrize(
    ("to", "order", "notes"),
    [
        ("start", "312", ("`cell#3` is `cell#1` now",)),
        ("end", "123", ()),
        ("before bbb2", "123", ()),
        ("cell#1", "312", ("`cell#3` is `cell#1` now",)),
        ("after cell#1", "132", ("`cell#3` is `cell#2` now",)),
    ],
)
def test_a_cell_moves(to: str, order: str, notes: tuple[str, ...]) -> None:
    made = edit(segment="cell#3", action="move", to=to)

    was = [(cell["cell_type"], "".join(cell["source"])) for cell in CELLS]
    assert cells(made) == [was[int(number) - 1] for number in order]
    assert made.edits[0].notes == notes
    starts = [change.start for change in made.edits[0].changes]
    assert starts == sorted(starts), "a receipt shows what lies between the first and the last"


def test_a_cell_moves_behind_another_with_its_outputs() -> None:
    made = edit(segment="cell#2", action="move", to="after cell#3")

    assert made.after is not None
    assert json.loads(made.after.to_bytes())["cells"][2]["outputs"] == [OUTPUT]


def test_a_cell_changes_its_type_and_back() -> None:
    made = edit(segment="aaa1", cell_type="markdown")

    assert made.after is not None
    cell = json.loads(made.after.to_bytes())["cells"][1]
    assert {*cell} == {"cell_type", "id", "metadata", "source"}
    back = plan(Edit(path="a.ipynb", segment="aaa1", cell_type="code"), document=made.after)
    assert cells(back) == cells(edit(segment="aaa1", clear_outputs=True))


def test_a_pattern_and_a_word_are_looked_for_cell_by_cell() -> None:
    assert cells(edit(pattern="print($X)", content="show($X)"))[2][1] == "x = 1\nshow(x)"
    assert cells(edit(find=r"pri\w+", regex=True, content="show"))[2][1] == "x = 1\nshow(x)"
    every = edit(find=r"\bpath\b", regex=True, content="name", occurrence="all")
    assert every.edits[0].replaced == 2
    assert refusal(find="python", content="x").refusals[0].code == "not-found"
    assert refusal(find=r"[a-z]+\(", regex=True, content="x(").refusals[0].code == "ambiguous"


def test_an_edit_never_runs_from_one_cell_into_another() -> None:
    assert refusal(find="it", until="print(x)", content="y").refusals[0].code == "not-found"


def test_a_patch_has_lines_of_sources() -> None:
    lines = ((KEEP, "x = 1"), (REMOVE, "print(x)"), (ADD, "print(x + 1)"))
    made = plan(Hunk("a.ipynb", lines))

    assert cells(made)[2][1] == "x = 1\nprint(x + 1)"


def test_all_lines_of_a_cell_may_go() -> None:
    assert cells(edit(find="x = 1\nprint(x)", content=""))[2][1] == ""


def test_a_source_that_looks_like_a_mark_stays_a_source() -> None:
    made = edit(segment="bbb2", content="<<cell raw>>")

    assert cells(made)[2][1] == "<<cell raw>>"
    assert len(cells(made)) == 3


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"cells": [,', "broken at line 1"),
        (b'{"cells": "a\tb"}', "column 13: Invalid control character$"),
        (b'{"cells": "a', "column 11: Unterminated string$"),
        (b'{"worksheets": [], "nbformat": 3}', "nbformat 3"),
        (b'{"cells": 1, "nbformat": 4}', "no list of cells"),
        (b'{"cells": [{"cell_type": "heading"}], "nbformat": 4}', "'heading'"),
        (b'{"cells": [{"cell_type": "raw"}], "nbformat": 4}', "neither text nor"),
    ],
)
def test_what_is_no_notebook_is_refused_with_what_is_wrong(data: bytes, why: str) -> None:
    with pytest.raises(Refused, match=why):
        plan(
            Edit(path="a.ipynb", find="x", content="y"),
            document=Document.from_bytes(data, "notebook"),
        )


@pytest.mark.parametrize("fields", [{"cell_type": "raw"}, {"clear_outputs": True}])
def test_only_notebooks_have_cells(fields: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="notebook"):
        resolve(
            [Edit(path="a.py", find="x", content="y", **fields)],
            Snapshot({"a.py": Document("x\n")}),
        )


def test_a_segment_and_lines_name_one_place_only_in_a_notebook() -> None:
    with pytest.raises(Refused, match="both name the place"):
        resolve(
            [Edit(path="a.py", segment="f", lines=1, content="y")],
            Snapshot({"a.py": Document("def f():\n    pass\n")}),
        )
    with pytest.raises(Refused, match="both name the place"):
        edit(segment="cell#3", lines=1, find="x", content="y")


@pytest.mark.parametrize(
    "fields", [{"action": "move"}, {"to": "end"}, {"action": "move", "to": "end", "find": "x"}]
)
def test_a_move_names_a_cell_and_a_place(fields: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        Edit(path="a.ipynb", segment="cell#1", **fields)


@pytest.mark.parametrize(
    ("source", "find", "content", "left"),
    [
        ("a\n<<cell x 6>>", "<<cell x 6>>", "new", "a\nnew"),
        ("a\n<<cell x 6>>", "\\<<cell x 6>>", "new", "a\nnew"),
        ("a\n\\<<cell code>>", "\\<<cell code>>", "new", "a\nnew"),
        ("a\n<<cell x 6>>", "<<cell x 6>>", "<<cell y 7>>", "a\n<<cell y 7>>"),
        ("a\n<<cell x 6>>", "x 6", "y 7", "a\n<<cell y 7>>"),
        ("a = 1\nb", "a = 1", "a = 2 <<cell y>>", "a = 2 <<cell y>>\nb"),
        ("y <<cell x>>\nb", "y <<cell", "<<cell", "<<cell x>>\nb"),
        ("a = 1\nb", "a = 1", "<<cell code>>", "<<cell code>>\nb"),
    ],
)
def test_a_line_that_looks_like_a_mark_is_quoted_in_either_form(
    source: str, find: str, content: str, left: str
) -> None:
    cell = {**CELLS[2], "source": source}
    made = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    document = Document.from_bytes(json.dumps(made).encode(), "notebook")

    edited = plan(Edit(path="a.ipynb", find=find, content=content), document=document)

    assert cells(edited) == [("code", left)]


def test_what_is_said_of_lines_counts_in_their_cell() -> None:
    near = refusal(find="retrun read(path)", content="x").refusals[0]
    several = edit(find="path", content="name", occurrence=2).edits[0].notes[0]
    lines = ((KEEP, "def load(path):"), (REMOVE, "    return read(path)"), (ADD, "    pass"))
    (moved,) = plan(Hunk("a.ipynb", lines, 9)).edits

    assert near.where == "the nearest place is at lines 3-3 of `cell#2`"
    assert near.candidates[0].differs.startswith("line 3 of `cell#2` is")
    assert str(several) == "`find` also stands at line 2 of `cell#2`"
    assert moved.notes[0] == "the hunk is for line 9, and stands at line 2 of `cell#2`"


def test_what_is_refused_inside_a_cell_names_the_notebook_and_counts_in_the_cell() -> None:
    beyond = refusal(segment="cell#2", lines=9, content="x").refusals[0]
    shapes = refusal(segment="aaa1", pattern="f($X)", content="x").refusals[0]
    document = code("y = 1", "x = 1\nprint(x)\nprint(x)")
    with pytest.raises(Refused) as several:
        plan(
            Edit(path="a.ipynb", segment="cell#2", pattern="print($X)", content="x"),
            document=document,
        )
    found = several.value.refusals[0]

    assert str(beyond.headline) == "line 9 is out of bounds (`cell#2` of a.ipynb has 3 lines)"
    assert str(shapes.headline) == "nothing in `cell#2` of a.ipynb has the shape `f($X)`"
    assert str(found.headline) == "`pattern` stands at 2 places in `cell#2` of a.ipynb"
    assert (found.where, found.data["lines"]) == ("lines 2, 3", [2, 3])
    assert [each.lines for each in found.candidates] == [(2, 2), (3, 3)]
    assert all(each.accept for each in found.candidates)


def code(*sources: str | list[str], language: str = "python") -> Document:
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{number}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(sources, 1)
    ]
    metadata = {"kernelspec": {"language": language}}
    whole = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return Document.from_bytes(json.dumps(whole).encode(), "notebook")


THREE = ("x = 1\ny = 1", "y = 1\ny = 1", "z")


@pytest.mark.parametrize(
    ("fields", "sources"),
    [
        ({"occurrence": "first"}, ("x = 2\ny = 1", *THREE[1:])),
        ({"occurrence": 3}, (THREE[0], "y = 2\ny = 1", "z")),
        ({"occurrence": "last"}, (THREE[0], "y = 1\ny = 2", "z")),
        ({"occurrence": "all"}, ("x = 2\ny = 2", "y = 2\ny = 2", "z")),
    ],
)
def test_places_of_a_pattern_are_counted_over_the_cells(
    fields: dict[str, Any], sources: tuple[str, ...]
) -> None:
    one = Edit(path="a.ipynb", pattern="$A = 1", content="$A = 2", **fields)

    assert tuple(text for _, text in cells(plan(one, document=code(*THREE)))) == sources


@pytest.mark.parametrize(
    ("fields", "third"),
    [
        ({"find": "z", "content": "w"}, "w"),
        ({"action": "append", "content": "w"}, "z\nw"),
        ({"action": "prepend", "content": "w"}, "w\nz"),
    ],
)
def test_a_named_cell_is_edited_inside(fields: dict[str, Any], third: str) -> None:
    one = Edit(path="a.ipynb", segment="cell#3", **fields)

    assert cells(plan(one, document=code(*THREE)))[2] == ("code", third)


@pytest.mark.parametrize(
    ("fields", "code_", "words"),
    [
        ({"pattern": "f((", "content": "x"}, "bad-request", "is not python code"),
        (
            {"pattern": "$A = 1", "content": "x", "occurrence": 9},
            "ambiguous",
            "`cell#1`, 2 places\n`cell#2`, 2 places",
        ),
        ({"segment": "cell#3", "part": "doc", "content": "x"}, "wrong-segment-kind", "has no doc"),
        ({"find": "y = 1\ny = 1", "until": "z", "content": "x"}, "bad-request", "into another"),
        ({"find": "z\n", "match": "exact", "content": "x"}, "bad-request", "into another"),
        ({"find": "y = 1\ny = 1\n", "match": "exact", "content": "x"}, "bad-request", "another"),
    ],
)
def test_what_fits_no_cell_is_refused(fields: dict[str, Any], code_: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(Edit(path="a.ipynb", **fields), document=code(*THREE))

    found = refused.value.refusals[0]
    assert found.code == code_
    assert words in f"{found.headline}\n{found.where}"


def test_a_patch_adds_a_cell_by_its_mark_which_gets_language_and_id() -> None:
    lines = (
        (KEEP, "y = 1"),
        (ADD, "<<cell python>>"),
        (ADD, "new()"),
        (ADD, "<<cell markdown id=m>>"),
    )
    hunk = Hunk("a.ipynb", (*lines, (ADD, "# More"), (KEEP, "<<cell python id=c3>>")))

    made = plan(hunk, document=code(*THREE))

    assert cells(made)[2:4] == [("code", "new()"), ("markdown", "# More")]
    assert made.after is not None
    assert made.after.notebook is not None
    assert len({cell.id for cell in made.after.notebook.cells} - {""}) == 5


def test_text_goes_before_the_next_cell_and_not_onto_its_mark() -> None:
    quote: dict[str, Any] = {"find": "b\n\n", "match": "exact"}
    one = Edit(path="a.ipynb", action="after", content="c", **quote)
    gone = Edit(path="a.ipynb", content="", **quote)

    mark = Edit(path="a.ipynb", find="<<cell python id=c2>>", action="before", content="c")

    assert cells(plan(one, document=code("a\nb\n", "z")))[0] == ("code", "a\nb\n\nc")
    assert cells(plan(mark, document=code("a", "z")))[0] == ("code", "a\nc")
    assert cells(plan(gone, document=code("a\nb\n", "z")))[0] == ("code", "a")


def test_a_cell_without_outputs_has_none_to_clear() -> None:
    one = Edit(path="a.ipynb", segment="c1", find="a", content="b", clear_outputs=True)

    assert cells(plan(one, document=code("a", "z")))[0] == ("code", "b")


def test_an_empty_cell_is_filled_in_the_form_that_it_has() -> None:
    made = plan(Edit(path="a.ipynb", segment="c1", content="a\nb"), document=code([], "x"))

    assert made.after is not None
    assert json.loads(made.after.to_bytes())["cells"][0]["source"] == ["a\n", "b"]


@pytest.mark.parametrize(
    ("language", "source", "is_sound"),
    [
        ("python", "x = await fetch()\nasync with a as b:\n    pass", True),
        ("python", "x = await\n", False),
        ("python", "%time x = (1\n", True),
        ("python", "def f(:\n", False),
        ("javascript", "let a = ;", False),
        ("cobol", "let a = ;", True),
    ],
)
def test_a_cell_is_checked_in_its_language(language: str, source: str, *, is_sound: bool) -> None:
    text = code(source, language=language).text

    assert (not problems("notebook", text)) == is_sound


RETURNS = "a = 1\r\ndef f():\r\n    return 1\r\nc = 3"


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"lines": "3-4", "content": "    return 2"}, "a = 1\r\ndef f():\r\n    return 2"),
        ({"lines": 4, "content": "d = 4\ne = 5"}, RETURNS.replace("c = 3", "d = 4\r\ne = 5")),
        ({"lines": 4, "action": "delete"}, RETURNS.removesuffix("\r\nc = 3")),
        ({"find": "c = 3", "action": "after", "content": "d"}, f"{RETURNS}\r\nd"),
        ({"find": "a = 1", "content": "a = 2"}, RETURNS.replace("a = 1", "a = 2")),
        ({"content": "a\nb"}, "a\r\nb"),
    ],
)
def test_the_lines_of_a_cell_end_as_they_did(fields: dict[str, Any], source: str) -> None:
    one = Edit(path="a.ipynb", segment="cell#2", **fields)
    left = ("x = 1\ny = 2\r", RETURNS, "z")

    made = plan(one, document=code(*left))
    alone = plan(Edit(path="a.ipynb", segment="cell#1", lines=2, content="y"), document=code(*left))

    assert [text for _, text in cells(made)] == [left[0], source, left[2]]
    assert cells(alone)[0][1] == "x = 1\ny\r", "that is no line end of the cell's"


def test_a_mixed_cell_gets_no_line_end_of_another_at_its_end() -> None:
    one = Edit(path="a.ipynb", segment="cell#1", lines="2-3", content="w")

    assert cells(plan(one, document=code("x\ny\r\nz")))[0][1] == "x\nw"

    one = Edit(path="a.ipynb", segment="cell#1", lines=2, content="w")

    assert cells(plan(one, document=code("x\r\ny\r")))[0][1] == "x\r\nw\r"
