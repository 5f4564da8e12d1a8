"""Markdown's headings are CommonMark's: the same as a reference implementation finds."""

from hypothesis import given
from hypothesis import strategies as st

from bench.corpus import headings, reference_headings

# Left out are three corners where the implementations differ: HTML blocks closed by the tag of
# another, link definitions before an underline, and tables whose header looks like a delimiter.
_LINES = st.sampled_from(
    """# A|## B ##|###|#no|Title|===|---|--- |- item|  - nested|* # h|1. one|10) x|> quote|> # q|>
```|```py|~~~|````|    # code|\t# tab|   ## three|    indented|<div>|</div>|<!--|-->|<?php|?>|<b>x
||  |text|*emph|`code|code`|\\|***|___|+ p|-|  text|      deep|&amp;|é|# é|<script>|</script>|# [x]
Foo\\|#\tt|##  |# #|# \\#|![a](b)|<a href='x'>|1986. A year|\u00a0# nbsp""".replace(
        "\n", "|"
    ).split("|")
)


@given(st.lists(_LINES, min_size=1, max_size=9), st.sampled_from(["\n", "\r\n"]))
def test_headings_agree_with_a_reference_implementation(lines: list[str], end: str) -> None:
    text = end.join(lines)

    assert headings(text) == reference_headings(text)


def test_the_comparison_sees_a_difference() -> None:
    assert reference_headings("# A\n\nB\n---\n") == [(1, 0, 1), (2, 2, 4)]
    assert headings("# A\n\nB\n---\n") != reference_headings("# A\n\nB\n\n---\n")
