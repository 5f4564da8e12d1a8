import pytest

from keyhole.toolsets.json_texts import loaded


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ('[{"a": 1}]', [{"a": 1}]),
        ('"[1]"', [1]),
        ('{"a": "x\ty",}', {"a": "x\ty"}),
        ('[",]", 1,]', [",]", 1]),
        ("[{'a': None}]", [{"a": None}]),
        ("```json\n[1]\n```", [1]),
        ("  ```\n[1]  ```  ", [1]),
        ("```[1]```", None),
        ("```of two\n[1]\n```", None),
        ('{"a": 1, "a": 2}', None),
        ("{'a': 1, 'a': 2}", None),
        ('[{"a": 1}', None),
        ("12", None),
        ("", None),
        (None, None),
    ],
    ids=str,
)
def test_a_list_or_an_object_is_read_from_a_text(text: str | None, held: object) -> None:
    assert loaded(text) == held


@pytest.mark.parametrize(
    "text",
    [
        '["' + '\\"' * 500_000,
        "[" + '"' * 500_001,
        "[" + ", " * 500_000,
        "[," + " " * 500_000,
        "```" + "\n" * 500_000,
        "```json\n" + "\n```" * 200_000 + "x",
        "['" + "(" * 99_000,
    ],
    ids=("escaped quotes", "quotes", "commas", "blanks", "lines", "fences", "brackets"),
)
def test_what_holds_neither_is_read_in_one_go(text: str) -> None:
    assert loaded(text) is None
