import json

import pytest

from keyhole.text.notebook import NotANotebookError, read_notebook

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


def test_a_former_version_hides_no_broken_json() -> None:
    text = stored("abXdef")
    text = text.replace('"source": "X"}', '"source": "X"')

    with pytest.raises(NotANotebookError, match="JSON is broken"):
        read_notebook(text, read_notebook(stored("abcdef")))
