import pytest

from keyhole.matching.rewrite import keep_typography


@pytest.mark.parametrize(
    ("was", "stands", "wanted", "written"),
    [
        (
            'It\'s a "test"',
            "It\u2019s a \u201ctest\u201d",
            'It\'s a "best"',
            "It\u2019s a \u201cbest\u201d",
        ),
        ("a - b", "a \u2013 b  ", "a - c", "a \u2013 c"),
        ("same", "same", "other", "other"),
        ("plain", "plain  ", "other", "other"),
        ("a...", "a\u2026", "b...", "b..."),
        ("\u201ca\u201d", '"a"', "\u201cb\u201d", '"b"'),
    ],
)
def test_typography_stays_where_the_new_text_repeats_it(
    was: str, stands: str, wanted: str, written: str
) -> None:
    assert keep_typography(was, stands, wanted) == written
