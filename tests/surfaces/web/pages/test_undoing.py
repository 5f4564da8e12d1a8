"""What a reader without JavaScript is told to type undoes what the page shows."""

import re
from html import unescape

import pytest

from keyhole.receipts import Receipt
from keyhole.surfaces.web.frame import Frame
from keyhole.surfaces.web.pages.undoing import undoing
from keyhole.walks.recalling import Wish


@pytest.mark.parametrize(
    ("wish", "command"),
    [
        (Wish(id="3"), "keyhole undo 3"),
        (Wish(id="3", edit=0), "keyhole undo 3 --edit 0"),
        (Wish(id="3", path="docs/a b.md"), "keyhole undo 3 --path 'docs/a b.md'"),
        (Wish(task="log in"), "keyhole undo --task 'log in'"),
        (Wish(id="3", redo=True), "keyhole redo 3"),
    ],
    ids=str,
)
def test_the_command_names_what_the_button_would_take_back(wish: Wish, command: str) -> None:
    page = undoing(Frame("shop"), wish, Receipt("verified", dry_run=True), "split")

    [said] = re.findall(r"<noscript>.*?<code>(.*?)</code>", page)
    assert unescape(said) == command
