"""Every bug of the museum fails its test where it was, and the test is still there."""

from collections.abc import Callable

import pytest

from tests.museum import EXHIBITS, ROOT, Exhibit


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.mended)
def test_the_bug_is_caught_in_the_code_that_had_it(
    exhibit: Exhibit, record_property: Callable[[str, object], None]
) -> None:
    if not exhibit.is_here:
        record_property("counted", f"museum: {exhibit.mended} is not in this copy's history")
        return

    assert exhibit.fails(f"{exhibit.mended}^")


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.mended)
def test_its_test_is_still_there(exhibit: Exhibit) -> None:
    _, name = exhibit.test.split("::")
    here = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))

    assert any(f"def {name}(" in text for text in here)
