"""What a reader without JavaScript is told to type undoes what the page shows."""

import re
from html import unescape

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.engine.history.recall import UndoRequest
from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.web.pages.undoing import undoing


@pytest.mark.parametrize(
    ("wish", "command"),
    [
        (UndoRequest(id="3"), "keyhole undo 3"),
        (UndoRequest(id="3", edit=0), "keyhole undo 3 --edit 0"),
        (UndoRequest(id="3", path="docs/a b.md"), "keyhole undo 3 --path 'docs/a b.md'"),
        (UndoRequest(task="log in"), "keyhole undo --task 'log in'"),
        (UndoRequest(id="3", redo=True), "keyhole redo 3"),
    ],
    ids=str,
)
def test_the_command_names_what_the_button_would_take_back(wish: UndoRequest, command: str) -> None:
    page = undoing(PageFrame("shop"), wish, Receipt("verified", dry_run=True), "split")

    [said] = re.findall(r"<noscript>.*?<code>(.*?)</code>", page)
    assert unescape(said) == command
