import pytest

from keyhole.edits.checks.syntax import table
from keyhole.edits.checks.syntax.table import checker_of, problems
from keyhole.segments.languages.table import LANGUAGES


@pytest.mark.parametrize("syntax", sorted({*LANGUAGES, *table._OWN}))
def test_every_syntax_has_a_checker(syntax: str) -> None:
    assert tuple(checker_of(syntax)("")) == ()
    assert tuple(checker_of(syntax)("\n")) == ()


def test_the_same_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"asked": "twice",}'
    first = problems("json", text)
    monkeypatch.setattr(table, "checker_of", lambda _: pytest.fail("it was read again"))

    assert problems("json", text) == first != ()


@pytest.mark.parametrize(
    ("syntax", "most"),
    [("python", 5_000_000), ("json", 5_000_000), ("yaml", 500_000), ("go", 500_000)],
)
def test_a_huge_text_is_not_read(syntax: str, most: int) -> None:
    assert problems(syntax, "[" + " " * most) == ()
    assert problems(syntax, "[" + " " * 9) != ()
