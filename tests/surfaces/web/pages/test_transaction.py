"""What the page of a transaction leaves out, and what it makes of details that are not ours."""

from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.web.pages.transaction import _conflict, unified


def test_what_is_not_known_of_an_edit_is_not_drawn() -> None:
    assert unified("") is None
    assert _conflict(PageFrame("shop"), "a conflict as an older version wrote it") is None
