"""Cells of scripts: `# %%` begins one, and they are edited as those of notebooks are."""

import pytest

from keyhole.edits.checks.syntax.table import problems
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.segments.registry import outline
from keyhole.text.document import Document

PATH = "work/a.py"
SCRIPT = '''\
# ---
# jupyter:
#   kernelspec: python3
# ---

first = 0

# %% [markdown] id="intro"
# # Load
#
# Some text.

# %% tags=["a"]
import os

def load(path):
    """
# %%
    """
    return path
# %%time

# %% id="3f2a"
def load(path):
    return 2
'''


def edited(text: str = SCRIPT, path: str = PATH, /, **fields: object) -> str:
    edit = Edit(path=path, **fields)  # type: ignore[arg-type] # what a test says
    (plan,) = resolve([edit], Snapshot({path: Document(text)})).files
    assert plan.after is not None
    return plan.after.text


def refused(**fields: object) -> str:
    with pytest.raises(Refused) as caught:
        edited(**fields)
    return str(caught.value)


def lines_of(address: str, text: str = SCRIPT) -> tuple[int, int]:
    document = Document(text)
    found = outline(PATH, document)
    return document.lines_of(found.by_address[found.canonical(address)].span)


def test_cells_are_those_of_jupytext() -> None:
    found = outline(PATH, Document(SCRIPT))

    kinds = ["code_cell", "markdown_cell", "code_cell", "code_cell"]
    assert [cell.kind for cell in found.cells] == kinds
    assert [lines_of(cell.address) for cell in found.cells] == [(6, 6), (8, 11), (13, 21), (23, 25)]


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("3f2a", (23, 25)),
        ("intro", (8, 11)),
        ("Load/cell#2", (23, 25)),
        ("cell#3/load", (16, 20)),
        ("3f2a/load", (24, 25)),
        ("load#2", (24, 25)),
    ],
)
def test_addresses_are_those_of_a_notebook(address: str, lines: tuple[int, int]) -> None:
    assert lines_of(address) == lines


def test_the_outline_lists_segments_below_their_cells() -> None:
    rows = [(each.address, each.parent) for each in outline(PATH, Document(SCRIPT)).listed]

    assert rows[:3] == [("cell#1", ""), ("first", "cell#1"), ("cell#2", "")]
    assert rows[-2:] == [("cell#4", ""), ("load#2", "cell#4")]


def test_a_place_outside_of_all_segments_is_in_its_cell() -> None:
    segment = outline(PATH, Document(SCRIPT)).enclosing(SCRIPT.index("Some text"))

    assert segment is not None
    assert segment.address == "cell#2"


def test_a_new_source_leaves_the_marker() -> None:
    after = edited(segment="cell#4", content="x = 1\n")

    assert after == SCRIPT[: SCRIPT.rindex("def load")] + "x = 1\n"


def test_markdown_becomes_comments() -> None:
    after = edited(segment="intro", content="# Load\n\nMore.")

    assert after == SCRIPT.replace("# Some text.", "# More.").replace(
        "# # Load\n#\n", "# # Load\n#\n"
    )


def test_a_cell_in_quotes_stays_in_them() -> None:
    text = '# %% [markdown]\n"""\n# Title\n"""\n\n# %%\nx = 1\n'

    assert edited(text, segment="cell#1", content="# New") == text.replace("Title", "New")


@pytest.mark.parametrize(
    ("fields", "cells"),
    [
        ({"segment": "cell#1", "action": "move", "to": "end"}, "bca"),
        ({"segment": "cell#3", "action": "move", "to": "before cell#1"}, "cab"),
        ({"segment": "cell#3", "action": "move", "to": "cell#2"}, "acb"),
        ({"segment": "cell#2", "action": "delete"}, "ac"),
        ({"segment": "cell#3", "action": "delete"}, "ab"),
        ({"segment": "cell#1", "action": "after", "content": "d = 4"}, "adbc"),
        ({"action": "append", "content": "d = 4", "cell_type": "code"}, "abcd"),
        ({"action": "prepend", "content": "d = 4", "cell_type": "code"}, "dabc"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_cells_come_go_and_move(fields: dict[str, object], cells: str, newline: str) -> None:
    def script(names: str) -> str:
        blocks = (f"# %%\n{name} = {ord(name) - 96}\n" for name in names)
        return "\n".join(blocks).replace("\n", newline)

    assert edited(script("abc"), **fields) == script(cells)


@pytest.mark.parametrize(
    ("cell", "to", "number"), [(1, "end", 3), (1, "before cell#3", 2), (3, "after cell#1", 2)]
)
def test_a_cell_that_moved_is_named_anew(cell: int, to: str, number: int) -> None:
    text = "# %%\na = 1\n\n# %%\nb = 2\n\n# %%\nc = 3\n"
    edit = Edit(path=PATH, segment=f"cell#{cell}", action="move", to=to)

    (plan,) = resolve([edit], Snapshot({PATH: Document(text)})).files

    assert plan.edits[0].notes == (f"`cell#{cell}` is `cell#{number}` now",)


def test_a_cell_without_a_marker_gets_one_where_it_would_lose_itself() -> None:
    text = "a = 1\n\n# %%\nb = 2\n"

    assert edited(text, segment="cell#2", action="move", to="start") == (
        "# %%\nb = 2\n\n# %%\na = 1\n"
    )


def test_a_type_changes_with_its_comments() -> None:
    text = "# %% Title tags=[1]\n# one\nx = 1\n"
    prose = "# %% Title [markdown] tags=[1]\n# # one\n# x = 1\n"

    assert edited(text, segment="cell#1", cell_type="markdown") == prose
    assert edited(prose, segment="cell#1", cell_type="code") == text


@pytest.mark.parametrize(
    ("text", "fields", "after"),
    [
        (
            "# %%\na = 1\n",
            {"segment": "cell#1", "action": "append", "content": "b = 2"},
            "# %%\na = 1\nb = 2\n",
        ),
        (
            "# %%\na = 1\n",
            {"action": "append", "content": "b", "cell_type": "code"},
            "# %%\na = 1\n\n# %%\nb\n",
        ),
        (
            "# %% [markdown]\n# A\n# B\n",
            {"segment": "cell#1", "content": "# C\n# D"},
            "# %% [markdown]\n# C\n# D\n",
        ),
        (
            '# %% [markdown]\n"""\nA\n"""\n',
            {"segment": "cell#1", "content": '"""\nB\n"""'},
            '# %% [markdown]\n"""\nB\n"""\n',
        ),
        (
            "# %%\na = 1\n",
            {"segment": "cell#1", "content": "# %% [markdown]\n# A"},
            "# %% [markdown]\n# A\n",
        ),
        (
            "# %%\na = 1\n\n# %%\nb = 2\n",
            {"segment": "cell#1", "action": "after", "content": '# %% tags=["x"]\nc = 3'},
            '# %%\na = 1\n\n# %% tags=["x"]\nc = 3\n\n# %%\nb = 2\n',
        ),
    ],
)
def test_new_text_may_bring_its_marks(text: str, fields: dict[str, object], after: str) -> None:
    assert edited(text, **fields) == after


@pytest.mark.parametrize("fields", [{"cell_type": "code"}, {"action": "move", "to": "start"}])
def test_what_a_cell_is_already_changes_nothing(fields: dict[str, object]) -> None:
    text = "# %%\na = 1\n\n# %%\nb = 2\n"

    assert edited(text, segment="cell#1", **fields) == text


def test_other_languages_have_cells_too() -> None:
    text = "// %%\nlet a = 1;\n\n// %% [markdown]\n// Text\n"

    after = edited(text, "a.js", segment="cell#2", content="- one\n- two")

    assert after == text.replace("// Text", "// - one\n// - two")
    found = outline("a.jl", Document("# %%\nx = 1\n"))
    assert [cell.address for cell in found.cells] == ["cell#1"]


def test_magics_are_no_mistakes_in_a_script_of_cells() -> None:
    text = "# %%\n%matplotlib inline\nx = 1\n\n# %%\nfiles = !ls\n"

    assert problems("python", text) == ()
    assert problems("python", text.replace("x = 1", "x = ("))
    assert problems("python", text.replace("# %%", "#"))
    found = outline(PATH, Document(text))
    assert ([each.address for each in found.segments], found.unreadable) == (["x", "files"], ())


@pytest.mark.parametrize(
    "fields",
    [
        {"segment": "load#1", "cell_type": "markdown"},
        {"segment": "load#1", "action": "move", "to": "end"},
        {"segment": "cell#1", "clear_outputs": True},
        {"segment": "cell#1", "part": "doc", "content": "x"},
        {"segment": "cell#1", "lines": 1, "content": "x"},
        {"segment": "cell#9", "content": "x"},
    ],
)
def test_what_a_cell_of_a_script_has_not_is_refused(fields: dict[str, object]) -> None:
    assert refused(**fields)


QUOTED = '# %% [markdown]\n"""\n# T\n\nx\n"""\n\n# %%\nx = 1\n'
SHELL = '# %% language="bash"\n# ls\n\n# %%\nx = 1\n'


@pytest.mark.parametrize("opening", ['"""', "'''", 'r"""'])
def test_text_that_is_added_to_a_long_string_goes_into_it(opening: str) -> None:
    text = QUOTED.replace('"""', opening, 1).replace('"""\n\n#', f"{opening[-3:]}\n\n#")

    new = edited(text, segment="cell#1", action="append", content="## U\n\ny")
    above = edited(text, segment="cell#1", action="prepend", content="y")

    assert new == text.replace("\nx\n", "\nx\n## U\n\ny\n", 1)
    assert above == text.replace("# T", "y\n# T", 1)


def test_text_with_the_quotes_of_its_cell_is_written_as_comments() -> None:
    new = edited(QUOTED, segment="cell#1", content='say """x"""')

    assert new == '# %% [markdown]\n# say """x"""\n\n# %%\nx = 1\n'


def test_a_long_string_is_markdown_in_python_alone() -> None:
    new = edited(QUOTED, "work/a.jl", segment="cell#1", content="# New")
    more = edited(QUOTED, "work/a.jl", segment="cell#1", action="append", content="## U")

    assert new == "# %% [markdown]\n# # New\n\n# %%\nx = 1\n"
    assert more == QUOTED.replace('x\n"""\n', 'x\n"""\n# ## U\n', 1)


def test_code_of_another_language_is_in_no_long_string() -> None:
    text = QUOTED.replace("[markdown]", 'language="bash"')

    new = edited(text, segment="cell#1", content="ls")
    more = edited(text, segment="cell#1", action="append", content="cd x")

    assert new == '# %% language="bash"\n# ls\n\n# %%\nx = 1\n'
    assert more == text.replace('x\n"""\n', 'x\n"""\n# cd x\n', 1)


def test_another_type_of_text_leaves_the_lines_as_they_are() -> None:
    assert edited(QUOTED, segment="cell#1", cell_type="raw") == QUOTED.replace("markdown", "raw")


@pytest.mark.parametrize(
    "metadata",
    [
        'language="bash"',
        'active="ipynb"',
        'tags=["active-ipynb"]',
        'run_control={"frozen": true}',
        'language="R"',
    ],
)
def test_code_that_does_not_run_with_the_script_stays_comments(metadata: str) -> None:
    text = SHELL.replace('language="bash"', metadata)

    new = edited(text, segment="cell#1", content="cd x\n\nls -l")
    more = edited(text, segment="cell#1", action="append", content="cd x")
    as_it_stands = edited(text, segment="cell#1", content="# cd x")
    other = edited(text, segment="cell#1", cell_type="markdown")

    assert new == text.replace("# ls", "# cd x\n#\n# ls -l")
    assert more == text.replace("# ls", "# ls\n# cd x")
    assert as_it_stands == text.replace("# ls", "# cd x")
    assert other == text.replace("# %%", "# %% [markdown]", 1)
    assert edited(other, segment="cell#1", cell_type="code") == text


@pytest.mark.parametrize("source", ["# a\n# b", '"""doc"""'])
def test_code_keeps_what_it_says_as_markdown(source: str) -> None:
    text = f"# %%\n{source}\n"

    new = edited(text, segment="cell#1", cell_type="markdown")

    assert new == "# %% [markdown]\n# " + source.replace("\n", "\n# ") + "\n"
    assert edited(new, segment="cell#1", cell_type="code") == text


def test_lines_of_a_text_that_are_no_comments_stay_as_they_are() -> None:
    text = "# %% [markdown]\n# f:\n  x\n"

    assert edited(text, segment="cell#1", cell_type="code") == "# %%\nf:\n  x\n"


@pytest.mark.parametrize("metadata", ['language="python"', 'active="py"', 'tags=["active-py"]'])
def test_code_that_runs_with_the_script_is_no_comment(metadata: str) -> None:
    text = SHELL.replace('language="bash"', metadata).replace("# ls", "y = 2")

    assert edited(text, segment="cell#1", content="z = 3") == text.replace("y = 2", "z = 3")


def test_the_magic_that_the_marker_tells_is_not_written_twice() -> None:
    text = SHELL.replace("language", 'magic_args="-e" language')

    new = edited(text, segment="cell#1", content="%%bash -e\ncd x")

    assert new == text.replace("ls", "cd x")
    assert "the marker of the cell" in refused_in(text, content="%%R\nx <- 1")
    assert "the marker of the cell" in refused_in(text, content="%%bash\nls")


def refused_in(text: str, **fields: object) -> str:
    with pytest.raises(Refused) as caught:
        edited(text, segment="cell#1", **fields)
    return str(caught.value)


def test_a_cell_gets_another_type_and_another_source_at_once() -> None:
    found = edited(segment="cell#4", cell_type="markdown", content="# Read\n\nAll of it.\n")

    assert found.endswith('# %% [markdown] id="3f2a"\n# # Read\n#\n# All of it.\n')
