import pytest

from keyhole.edits.model.operations import Edit
from keyhole.refusals import Refused
from keyhole.toolsets.text.requests import of_any_level, patch, ranges, replacement

GIVEN = {"filePath": "a.md", "oldText": "a", "newText": "b"}


def patched(operation: str, target: object) -> Edit:
    return patch(
        {"filePath": "a.md", "operation": operation, "target": target, "content": "x"}
    ).edit


@pytest.mark.parametrize(
    ("said", "meant"),
    [(None, "first"), ("first", "first"), ("last", "last"), ("all", "all"), ("3", 3), (3, 3)],
)
def test_an_occurrence_is_a_word_or_a_number(said: object, meant: object) -> None:
    assert replacement({**GIVEN, "occurrence": said}).edit.occurrence == meant


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ({"lines": {"start": 3}}, Edit(lines=(3, 3), action="after", content="x")),
        (
            {"beforeHeading": "# A"},
            Edit(
                segment="# A",
                action="before",
                content="x",
                kinds=("section",),
                language="markdown",
            ),
        ),
        (
            {"codeBlock": {"index": 1}},
            Edit(
                segment="code#2",
                part="body",
                action="append",
                content="x",
                kinds=("code_block",),
                language="markdown",
            ),
        ),
    ],
    ids=str,
)
def test_a_target_becomes_a_place_of_the_engine(target: object, wanted: Edit) -> None:
    edit = patched("insert", target)

    assert edit == Edit(**{**_fields(wanted), "path": "a.md"})  # type: ignore[arg-type]


def _fields(edit: Edit) -> dict[str, object]:
    names = ("segment", "lines", "part", "action", "content", "kinds", "language")
    return {name: getattr(edit, name) for name in names}


def test_a_heading_is_looked_for_by_its_text_only_if_it_has_marks() -> None:
    marked = patch(
        {"filePath": "a", "operation": "delete", "target": {"heading": "### Set up ###"}}
    )
    plain = patch({"filePath": "a", "operation": "delete", "target": {"heading": "Set up"}})
    block = patch({"filePath": "a", "operation": "delete", "target": {"codeBlock": {"index": 0}}})

    other = of_any_level(marked)
    assert other is not None
    assert (other.edit.segment, len(other.notes)) == ("Set up ###", 1)
    assert of_any_level(plain) is None
    assert of_any_level(block) is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("5", [(5, 5)]),
        (" 2 - 4 ,9-", [(2, 4), (9, 10)]),
        ("0-99", [(1, 10)]),
        ("11-", []),
    ],
)
def test_ranges_are_cut_to_the_file(query: str, found: list[tuple[int, int]]) -> None:
    assert ranges(query, 10) == found


@pytest.mark.parametrize("query", ["x", "3-1", "", "1,,2", "-3"])
def test_what_is_no_range_is_refused(query: str) -> None:
    with pytest.raises(Refused):
        ranges(query, 10)
