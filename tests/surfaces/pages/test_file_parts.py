"""What stands above a diff, and what is left out of it."""

from keyhole.surfaces.pages.file_parts import diagnostics, listed, rung


def test_what_is_not_known_is_not_drawn() -> None:
    assert rung("") is None
    assert diagnostics([]) is None
    assert listed("as an older version wrote it") == []


def test_a_finding_that_stood_there_before_says_so() -> None:
    found = {"severity": "error", "line": 3, "message": "no `x`", "code": "F821"}

    assert "as before" not in str(diagnostics([found]))
    assert "as before" in str(diagnostics([{**found, "new": False}]))


def test_a_finding_in_a_notebook_names_the_cell() -> None:
    found = {"severity": "error", "line": 3, "message": "no `x`", "code": "F821"}

    assert "line 3 of cell#2: " in str(diagnostics([{**found, "segment": "cell#2"}]))
    assert "line 3: " in str(diagnostics([found]))
