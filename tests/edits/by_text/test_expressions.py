import pytest

from keyhole.edits.by_text import spans
from tests.edits.calls import after, placed, refusal

TEXT = "call(one)  \ncall(two)\n"


def test_groups_fill_the_content() -> None:
    edit = {"find": r"call\((\w+)\)", "content": r"\1()", "regex": True, "occurrence": "all"}

    assert after(TEXT, edit) == "one()  \ntwo()\n"
    assert after(TEXT, {**edit, "content": "none"}) == "none  \nnone\n"


def test_a_pattern_means_exactly_what_it_matches() -> None:
    assert after(TEXT, {"find": "^call.one.", "content": "x", "regex": True}) == "x  \ncall(two)\n"
    assert after("a\nb\n", {"find": r"\nb", "content": "b", "regex": True}) == "ab\n"
    assert after("  a\n", {"find": "a", "content": "x\ny", "regex": True}) == "  x\ny\n"


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ({"action": "delete"}, "call(one)  \n"),
        ({"action": "after", "content": r"\0!"}, f"{TEXT}call(two)!\n"),
        ({"action": "append", "content": "!"}, "call(one)  \ncall(two)!\n"),
        ({"content": "x", "lines": "2"}, "call(one)  \nx\n"),
    ],
)
def test_every_action_takes_a_pattern(edit: dict[str, object], text: str) -> None:
    assert after(TEXT, {"find": r"call\(two\)", "regex": True, **edit}) == text


@pytest.mark.parametrize(
    ("find", "text"),
    [
        (r"wipe\(\)\n", "# deploy()\nrun()\n"),
        (r"wipe\(\)\ndep", "# loy()\nrun()\n"),
        (r"(?m)^.*wipe\(\)\n", "deploy()\nrun()\n"),
        (r"(?m)^run\(\)$", "# wipe()\ndeploy()\n\n"),
    ],
)
def test_a_pattern_says_itself_where_lines_begin_and_end(find: str, text: str) -> None:
    edit = {"find": find, "regex": True, "content": ""}

    assert after("# wipe()\ndeploy()\nrun()\n", edit) == text


def test_a_pattern_with_several_matches_needs_an_occurrence() -> None:
    assert refusal(TEXT, find="call", content="x", regex=True).code == "ambiguous"
    found = placed(TEXT, find="call", content="x", regex=True, occurrence="last")
    assert (found.found, found.replaced) == (2, 1)


def test_line_ends_match_as_plain_ones() -> None:
    edit = {"find": r"a\nb", "content": "a\nx\nb", "regex": True}

    assert after("a\r\nb\r\n", edit) == "a\r\nx\r\nb\r\n"


@pytest.mark.parametrize(
    ("find", "content", "code", "headline"),
    [
        ("nothing", "x", "not-found", "the pattern `nothing` matches nothing in file.txt"),
        ("a\nb", "x", "not-found", "the pattern `a\\nb` matches nothing in file.txt"),
        ("x*", "x", "not-found", "the pattern `x*` matches nothing in file.txt"),
        ("call", r"\1", "bad-regex", "`content` names group 1, which the pattern does not have"),
    ],
)
def test_what_does_not_match_is_refused(find: str, content: str, code: str, headline: str) -> None:
    found = refusal(TEXT, find=find, content=content, regex=True)

    assert (found.code, found.headline) == (code, headline)


def test_a_pattern_that_re2_does_not_run_is_refused() -> None:
    assert refusal(TEXT, find="(?<=a)b", content="x", regex=True).code == "bad-regex"


def test_too_many_matches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST_SITES", 3)
    found = refusal("a" * 9, find="a", content="b", regex=True, occurrence="all")

    assert found.headline == "`find` stands at more than 3 places in file.txt"
