"""The page of the Python library is made of the docstrings, and names every public name."""

import doctest
from pathlib import Path

import pytest

import keyhole
from tests.library_page import EXAMPLES, PAGE, page


def test_the_page_is_up_to_date() -> None:
    text = page()

    assert PAGE.read_text(encoding="utf-8") == text, "run `make manual`"
    assert [name for name in keyhole.__all__ if f"## `{name}`" not in text] == ["__version__"]


def test_the_examples_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root").mkdir()
    monkeypatch.chdir(tmp_path / "root")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    text = "\n".join(line for line in EXAMPLES.split("\n") if not line.startswith("```"))
    examples = doctest.DocTestParser().get_doctest(text, {}, "library", None, 0)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    said: list[str] = []

    ran = doctest.DocTestRunner(optionflags=flags).run(examples, out=said.append)

    assert (ran.failed, ran.attempted) == (0, 32), "".join(said)
