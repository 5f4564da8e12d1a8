"""What a linter finds on lines that an edit does not touch is never new."""

from hypothesis import given
from hypothesis import strategies as st

from keyhole.linters.base import Finding
from keyhole.linters.check import new_findings

lines = st.lists(st.sampled_from(["a", "b", "bad 1", "bad 2", "worse", ""]), max_size=12)


def look(text: list[str]) -> list[Finding]:
    """A linter: says one thing about each line that holds a complaint."""
    return [
        Finding("tool", "X", "error", f"`{line}`", number)
        for number, line in enumerate(text, 1)
        if line.startswith(("bad", "worse"))
    ]


def text_of(text: list[str]) -> str:
    return "".join(f"{line}\n" for line in text)


@given(lines)
def test_nothing_is_new_where_nothing_changed(text: list[str]) -> None:
    assert new_findings(look(text), look(text), text_of(text), text_of(text)) == ()


@given(lines, lines, lines)
def test_harmless_lines_anywhere_make_nothing_new(
    head: list[str], tail: list[str], between: list[str]
) -> None:
    harmless = [line for line in between if line in {"a", "b", ""}]
    old, new = head + tail, head + harmless + tail

    assert new_findings(look(old), look(new), text_of(old), text_of(new)) == ()


@given(lines, lines)
def test_no_more_is_old_than_there_was(old: list[str], new: list[str]) -> None:
    before, after = look(old), look(new)

    fresh = new_findings(before, after, text_of(old), text_of(new))

    assert len(after) - len(fresh) <= len(before)
    assert set(fresh) <= set(after)


@given(lines, lines)
def test_what_is_put_in_is_found(head: list[str], tail: list[str]) -> None:
    old, new = head + tail, [*head, "worse still", *tail]

    fresh = new_findings(look(old), look(new), text_of(old), text_of(new))

    assert [finding.message for finding in fresh] == ["`worse still`"]
