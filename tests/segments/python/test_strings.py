import re

import pytest

from keyhole.segments.python.strings import QUOTE, STRING, string_end

OPENING = re.compile(QUOTE)


def end(code: str) -> int:
    opening = OPENING.match(code)
    assert opening
    return string_end(code, opening)


@pytest.mark.parametrize(
    "literal",
    [
        "''",
        "'a'",
        r"'a\'b'",
        '"""a"b"""',
        "'''a\nb'''",
        "b'x'",
        "f'{x}'",
        "f'{x!r:>{width}}'",
        "f'{{not a field}}'",
        "f'{d[\"k\"]}'",
        "f'{d['k']}'",
        "f'{f\"{f'{1}'}\"}'",
        "f'''{\nx\n}'''",
        "f'{x:%Y-%m}'",
        "f'{ {1: 2}[1] }'",
        "f'\\N{DASH}'",
        "rf'\\{x}'",
        "f'{(lambda: 1)()}'",
        "t'{x}'",
        "f'{x:{'a'}}'",
        "f'{x # why\n}'",
    ],
)
def test_a_literal_ends_with_its_own_quote(literal: str) -> None:
    assert end(f"{literal} + 'more'") == len(literal)


def test_a_raw_string_may_end_in_an_escaped_quote() -> None:
    assert end(r"r'\'' + 1") == 5


@pytest.mark.parametrize("literal", ["'a", "'a\nb'", "'''a", "f'{", "f'a\n'", "f'{x", 'f"""{x'])
def test_what_has_no_end_has_none(literal: str) -> None:
    assert end(literal) == -1


def test_a_field_that_never_closes_is_not_followed_for_ever() -> None:
    assert end("f'{" + "(" * 10_000) == -1
    assert end("f'{" + "(" * 10_000 + "'") == 10_004


def test_the_pattern_of_a_literal_is_that_of_older_versions() -> None:
    found = re.compile(STRING).match("'{a['")

    assert found
    assert found.group() == "'{a['"
