import pytest

from keyhole.text.notebook import NotANotebookError, read_notebook

EMPTY = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


@pytest.mark.parametrize("tail", ["x", "{}", " \n]", EMPTY])
def test_what_stands_behind_a_notebook_breaks_it(tail: str) -> None:
    assert not read_notebook(f"{EMPTY} \r\n\t").cells

    with pytest.raises(NotANotebookError, match="nothing was expected behind the notebook"):
        read_notebook(EMPTY + tail)
