"""What the page of a transaction leaves out, and what it makes of details that are not ours."""

from keyhole.surfaces.web.html import join
from keyhole.surfaces.web.page_frame import PageFrame
from keyhole.surfaces.web.pages.transaction import _conflict, _diagnostic, rung, unified


def test_what_is_not_known_of_an_edit_is_not_drawn() -> None:
    assert unified("") is None
    assert rung("") is None
    assert _conflict(PageFrame("shop"), "a conflict as an older version wrote it") is None


def test_a_finding_that_stood_there_before_says_so() -> None:
    found = {"severity": "error", "line": 3, "message": "no `x`", "code": "F821"}

    assert "as before" not in join(_diagnostic(found))
    assert "as before" in join(_diagnostic({**found, "new": False}))
