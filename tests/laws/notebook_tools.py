"""Tools that write notebooks: each makes a file of a notebook as its users would have it made."""

from __future__ import annotations

import io
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]

with warnings.catch_warnings():  # the tools warn about their own dependencies
    warnings.simplefilter("ignore")
    import jupytext
    import nbformat
    import papermill
    from nbconvert.exporters.notebook import NotebookExporter


def _by_nbformat(notebook: Notebook) -> str:
    file = io.StringIO()
    nbformat.write(nbformat.from_dict(notebook), file)
    return file.getvalue()


def _by_jupytext(notebook: Notebook) -> str:
    """Make the notebook of a script that was made of one: outputs are not in it."""
    script = jupytext.writes(nbformat.from_dict(notebook), "py:percent")
    made = jupytext.reads(script, "py:percent")
    for cell, known in zip(made.cells, notebook["cells"], strict=False):
        cell["id"] = known["id"]  # it has no other than a random one
    return str(jupytext.writes(made, "ipynb"))


def _by_nbconvert(notebook: Notebook) -> str:
    made, _ = NotebookExporter().from_notebook_node(nbformat.from_dict(notebook))
    return str(made)


def _by_papermill(notebook: Notebook) -> str:
    """Prepare a run: a cell with its parameters comes first, and metadata to every cell."""
    with tempfile.TemporaryDirectory() as directory:
        source, made = Path(directory, "in.ipynb"), Path(directory, "out.ipynb")
        source.write_text(_by_nbformat(notebook), encoding="utf-8")
        papermill.execute_notebook(
            str(source), str(made), {"alpha": 0.6}, prepare_only=True, progress_bar=False
        )
        return made.read_text(encoding="utf-8")


_TOOLS: Mapping[str, Callable[[Notebook], str]] = {
    "jupytext": _by_jupytext,
    "nbconvert": _by_nbconvert,
    "nbformat": _by_nbformat,
    "papermill": _by_papermill,
}


def written_by(tool: str, notebook: Notebook) -> bytes:
    """Return the file that a tool makes of a notebook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _TOOLS[tool](notebook).encode()


def is_valid(notebook: Notebook) -> bool:
    """Tell whether nbformat takes a notebook as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it would mend what it warns of
        try:
            nbformat.validate(nbformat.from_dict(notebook))
        except (nbformat.ValidationError, Warning):
            return False
    return True
