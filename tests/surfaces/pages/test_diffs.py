"""What stands in a diff beside its lines."""

import json
import re

import pytest

from keyhole.answers.side_by_side import SideBySide, sides
from keyhole.engine.history.compare import FileComparison
from keyhole.surfaces.pages.diffs import VIEWS, Shown, diff
from keyhole.text.document import Document


def shown(before: str, after: str) -> str:
    return diff(FileComparison("a.txt", sides(Document(before), Document(after))), Shown())


def test_a_file_that_cannot_be_shown_says_why() -> None:
    page = diff(FileComparison("a.txt", SideBySide((), 0, 0), note="it is <binary>"), Shown())

    assert page == '<p class="empty">it is &lt;binary&gt;</p>'


def test_a_line_says_that_its_end_is_another() -> None:
    assert 'class="eol"' in shown("a\nb\n", "a\nb\r\n")


def test_what_is_too_long_to_unfold_is_counted() -> None:
    lines = "".join(f"{number}\n" for number in range(500))

    assert '<div class="fold long">497 unchanged lines</div>' in shown(f"{lines}a\n", f"{lines}b\n")


LONG = "var a=" + ",".join(f"f{number}({number})" for number in range(4000)) + ";\n"


def seen(page: str) -> str:
    """What is shown without unfolding anything."""
    return re.sub("<summary>(.*?)</summary>.*?</details>", r"\1", page)


def test_a_very_long_line_is_cut_to_the_words_that_changed() -> None:
    page = shown(LONG, LONG.replace("f2000(2000)", "CHANGED(2000)"))

    assert re.findall("<mark>(.*?)</mark>", page) == ["f2000", "CHANGED"]
    assert seen(page).count("characters …") == 4
    assert "f1999(1999),<mark>CHANGED</mark>(2000),f2001" in page
    assert len(seen(page)) < 3_000
    # Nothing is left out: what is not shown can be unfolded.
    assert "f3999(3999);" in page


def test_changes_that_are_near_in_a_very_long_line_are_shown_together_with_its_end() -> None:
    after = LONG.replace("f2000(2000)", "CHANGED(2000)").replace("f2003(2003)", "OTHER(2003)")
    page = seen(shown(LONG, after.replace("\n", "\r\n")))

    assert "<mark>CHANGED</mark>(2000),f2001(2001),f2002(2002),<mark>OTHER</mark>(2003)" in page
    assert re.findall('class="eol">(.*?)<', page) == ["LF", "CRLF"]


def test_far_apart_changes_of_a_very_long_line_are_cut_too() -> None:
    page = shown(LONG, LONG.replace("f2000(2000)", "CHANGED(2000)").replace("f9(9)", "g9(9)"))

    assert "g9" in seen(page)
    assert len(seen(page)) < 4_000


def test_a_very_long_line_that_is_new_shows_its_beginning() -> None:
    page = shown("", LONG)

    assert "<mark>" not in page
    assert 'class="gap"><summary>… ' in page
    assert page.index("var a=f0(0)") < page.index('class="gap"')


def notebook(*sources: str) -> Document:
    cells = [
        {"cell_type": "code", "id": f"c{number}", "outputs": [1] * number, "source": source}
        for number, source in enumerate(sources)
    ]
    metadata = {"kernelspec": {"language": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return Document.from_bytes(json.dumps(whole).encode(), "notebook")


@pytest.mark.parametrize("view", VIEWS)
def test_a_notebook_is_shown_cell_by_cell_in_colours(view: str) -> None:
    both = sides(notebook("x = 1", "open = '", "pass"), notebook("x = 2", "open = '", "pass"))
    page = diff(FileComparison("a.ipynb", both), Shown(view))

    assert '<b class="cell">cell#1<small>python · id c0</small></b>' in page
    assert '<b class="cell">cell#3<small>python · id c2 · 2 outputs</small></b>' in page
    assert "&lt;&lt;cell" not in page
    assert '<span class="k">pass</span>' in page
    assert set(re.findall('data-n="(.*?)"', page)) == {"", "1"}
