"""The page of the Python library is made of the docstrings, and names every public name."""

import keyhole
from tests.library_page import PAGE, page


def test_the_page_is_up_to_date() -> None:
    text = page()

    assert PAGE.read_text(encoding="utf-8") == text, "run `make manual`"
    assert [name for name in keyhole.__all__ if f"## `{name}`" not in text] == ["__version__"]
