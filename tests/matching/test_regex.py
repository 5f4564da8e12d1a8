import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.matching.regex import RegexMatch, Template, expand_all, hits, starts
from keyhole.refusals import Refused


def found(pattern: str, text: str) -> list[tuple[int, int]]:
    return [(hit.start, hit.end) for hit in hits(pattern, text, 0, len(text))]


@given(
    st.sampled_from((r"a+", r"^b", r"a$", r"(a)(b)?", r"[^a]", r"é.", r"\n", r"(?i)A", r"a*")),
    st.text("abé\n😀", max_size=12),
)
def test_matches_are_those_of_any_regex(pattern: str, text: str) -> None:
    matches = re.finditer(pattern, text, re.MULTILINE)

    assert found(pattern, text) == [
        match.span() for match in matches if match.end() > match.start()
    ]


@given(st.sampled_from((r"a+", r"(a)(b)?", r"é.", r"a*", r"(?P<x>.)b")), st.text("abé\udcff\n"))
def test_matches_begin_where_hits_do(pattern: str, text: str) -> None:
    assert list(starts(pattern, text)) == [start for start, _ in found(pattern, text)]


def test_a_thousand_groups_are_searched_for_and_not_filled_in() -> None:
    pattern = "(" * 1000 + "a" + ")" * 1000

    with pytest.raises(Refused) as refused:
        list(hits(pattern, "a", 0, 1))
    assert list(starts(pattern, "aba")) == [0, 2]
    assert refused.value.refusals[0].headline.endswith("it has 1000 groups; the most is 99")


def test_a_hit_has_its_groups() -> None:
    (hit,) = hits(r"(.+)=(?P<value>\w+)?", "é=", 0, 2)

    assert hit == RegexMatch(0, 2, ["é=", "é", ""], {"value": ""})


def test_only_the_scope_is_searched() -> None:
    assert [hit.start for hit in hits("a", "aaaa", 1, 3)] == [1, 2]


def test_bytes_that_are_no_characters_can_be_matched_past() -> None:
    (hit,) = hits("b.c", "ab\udcffc", 0, 4)

    assert hit.groups == ["b\udcffc"]


@pytest.mark.parametrize("pattern", ["(a", "a(?=b)", r"(a)\1", "[", "a{1001}{1001}", "b" * 10_001])
def test_what_re2_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(Refused) as refused:
        list(hits(pattern, "a", 0, 1))

    (refusal,) = refused.value.refusals
    assert refusal.code == "bad-regex"
    assert refusal.where == f"pattern: {pattern[:200]}"
    assert refusal.headline.startswith("the pattern is not a regular expression of RE2: ")
    assert "(?m)" not in refusal.headline


HIT = RegexMatch(0, 3, ["a=b", "a", "b"], {"value": "b"})


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (r"\2=\1", "b=a"),
        (r"\g<value>\g<1>\0", "baa=b"),
        (r"\\1 \\g<1> \\ \n $1 $& \x", r"\1 \g<1> \\ \n $1 $& \x"),
        ("plain", "plain"),
    ],
)
def test_groups_fill_the_new_text(template: str, text: str) -> None:
    assert Template.of(template).expand(HIT) == text


@pytest.mark.parametrize(
    ("template", "key", "groups", "have"),
    [
        (r"\3", "3", HIT, r"\1, \2, \g<value>"),
        (r"\g<name>", "name", HIT, r"\1, \2, \g<value>"),
        (r"\1", "1", RegexMatch(0, 1, ["a"], {}), "none"),
    ],
)
def test_a_group_that_is_not_there_is_refused(
    template: str, key: str, groups: RegexMatch, have: str
) -> None:
    with pytest.raises(Refused) as refused:
        Template.of(template).expand(groups)

    (refusal,) = refused.value.refusals
    assert refusal.headline == f"`content` names group {key}, which the pattern does not have"
    assert refusal.help == f"the pattern's groups are {have}; write \\\\{key} for a plain backslash"


def test_new_text_that_would_be_too_long_is_refused_before_it_is_made() -> None:
    found = list(hits("a+", "aaaa " * 1000, 0, 5000))

    assert len(list(expand_all(Template.of(r"\0" * 10), found, 40_000))) == 1000
    with pytest.raises(Refused) as caught:
        expand_all(Template.of(r"\0" * 1_000_000), found, 40_000)
    assert caught.value.refusals[0].code == "too-large"
