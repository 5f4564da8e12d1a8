import json

import pytest

from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.text.notebook import NotANotebookError, read_notebook, shown_source

EMPTY = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


@pytest.mark.parametrize("tail", ["x", "{}", " \n]", EMPTY])
def test_what_stands_behind_a_notebook_breaks_it(tail: str) -> None:
    assert not read_notebook(f"{EMPTY} \r\n\t").cells

    with pytest.raises(NotANotebookError, match="nothing was expected behind the notebook"):
        read_notebook(EMPTY + tail)


def stored(names: str, kernel: str = "python") -> str:
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [name * 300], "source": name}
        for name in names
    ]
    metadata = {"kernelspec": {"language": kernel}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize(
    "names", ["abcdef", "abXcdef", "acdef", "fabcde", "aXYZef", "cab", "", "XY"]
)
@pytest.mark.parametrize("kernel", ["python", "r"])
def test_cells_of_a_former_version_are_those_that_are_read(names: str, kernel: str) -> None:
    text = stored(names, kernel)

    assert read_notebook(text, read_notebook(stored("abcdef"))) == read_notebook(text)


def test_a_known_version_is_returned_where_it_is_what_would_be_read() -> None:
    data = stored("éb").encode()
    known = Document.from_bytes(data, "notebook")

    assert Document.from_bytes(data, "notebook", known) is known
    for other in (Document(known.text), Document.from_bytes(stored("èb").encode(), "notebook")):
        assert Document.from_bytes(data, "notebook", other).to_bytes() == data


def test_a_former_version_hides_no_broken_json() -> None:
    text = stored("abXdef")
    text = text.replace('"source": "X"}', '"source": "X"')

    with pytest.raises(NotANotebookError, match="JSON is broken"):
        read_notebook(text, read_notebook(stored("abcdef")))


@pytest.mark.parametrize(("old", "new"), [("a", "ä"), ("b", "bb"), ("f", ""), ("a", "a\n<<cell ")])
def test_a_notebook_that_was_changed_is_what_its_bytes_read_as(old: str, new: str) -> None:
    before = Document.from_bytes(stored("abcdef").encode(), "notebook")
    at = before.text.index(f"\n{old}\n") + 1

    made = before.changed(changed(before, at, at + 1, shown_source(new)))

    read = Document.from_bytes(made.to_bytes(), "notebook")
    assert (made, made.hash, made.notebook) == (read, read.hash, read.notebook)


def test_an_ascii_notebook_escapes_what_is_new_as_it_did() -> None:
    before = Document.from_bytes(stored("éb").encode(), "notebook")
    at = before.text.index("\nb\n") + 1

    made = before.changed(changed(before, at, at + 1, "ü"))

    assert before.stored.isascii()
    assert made.stored == before.stored.replace('"source": "b"', '"source": "\\u00fc"')


def changed(document: Document, start: int, end: int, text: str) -> ChangeSet:
    return ChangeSet(len(document.text), (Change(start, end, text),))


def test_a_number_of_thousands_of_digits_is_no_crash() -> None:
    text = f'{{"cells": [], "metadata": {{"big": {"9" * 5000}}}, "nbformat": 4}}'

    assert read_notebook(text).has_ids is False


def test_a_key_that_stands_twice_is_nobodys_form() -> None:
    cell = '{"source": "old" , "we\\"ird": 1, "source": "x", "cell_type": "raw", "metadata": {}}'
    before = Document.from_bytes(f'{{"cells": [{cell}], "nbformat": 4}}'.encode(), "notebook")

    made = before.changed(changed(before, 0, 0, "<<cell raw>>\ny\n"))

    new = '{"source": "y", "cell_type": "raw", "metadata": {}}'
    assert made.stored == f'{{"cells": [{new}, {cell}], "nbformat": 4}}'


BROKEN = {
    '{"cells" [1]}': "column 10: a colon was expected",
    '{"cells": [1]}': "column 12: an object was expected",
    '{"cells": [{"source": ""} {"source": ""}]}': "a comma or the end of the cells was expected",
    '{"cells": [{"source": ""},]}': "a cell was expected",
    '{"cells": [{"source": "" 1}]}': "a comma or the end of the object was expected",
    '{"cells": [],}': "a key was expected",
    f'{{"x": {"[" * 100_000}': "it is nested too deeply",
    '{"cells": [], "nbformat": "4"}': "it does not say its nbformat",
    '{"cells": [], "nbformat": 3}': "it is in nbformat 3",
    '{"cells": {}, "nbformat": 4}': "it has no list of cells",
}


@pytest.mark.parametrize(("text", "why"), BROKEN.items(), ids=range(len(BROKEN)))
def test_what_is_no_notebook_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(NotANotebookError, match=why):
        read_notebook(text)
