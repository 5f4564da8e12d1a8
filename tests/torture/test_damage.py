"""A damaged journal never puts a wrong byte into a file."""

import pytest

from tests.torture.start import counts

pytestmark = pytest.mark.torture


def test_whatever_is_done_to_the_journal_no_file_gets_wrong_bytes() -> None:
    found = counts("damage")

    assert found["runs"] >= 2000
    assert found["open refused journal"] > 0
    assert min(found["undo done"], found["older undo done"]) > 0
    assert found["edit done"] > 0
    assert (found["wrong bytes"], found["crashed"]) == (0, 0)


def test_images_that_nobody_checks_are_caught() -> None:
    assert counts("damage", "unchecked images")["wrong bytes"] > 0
