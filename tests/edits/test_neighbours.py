from itertools import combinations, permutations

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import FilePlan
from keyhole.refusals import Refused
from tests.edits.planned import planned

PYTHON = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"
METHODS = (
    "class K:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n\nx = 1\n"
)
TEXTS = {
    "f.py": PYTHON,
    "crlf.py": PYTHON.replace("\n", "\r\n"),
    "f.md": "# T\n\nintro\n\n## a\n\nx\n\n## b\n\ny\n\n## c\n\nz\n",
    "f.js": "function a() {\n}\n\nfunction b() {\n}\n\nfunction c() {\n}\n",
    "f.json": '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n',
    "line.json": '{"a": 1, "b": 2, "c": 3}\n',
    "f.yaml": "a: 1\n\nb: 2\n\nc: 3\n",
    "f.toml": "[a]\nx = 1\n\n[b]\ny = 2\n\n[c]\nz = 3\n",
}


def removing(path: str, before: str, *names: str) -> FilePlan:
    edits = [Edit(path=path, segment=name, action="delete") for name in names]
    return planned(before, *edits).files[0]


def text_of(plan: FilePlan) -> str:
    assert plan.after is not None
    return plan.after.text


@pytest.mark.parametrize("path", TEXTS)
def test_neighbours_are_deleted_in_one_call_as_they_are_one_by_one(path: str) -> None:
    for names in [each for count in (2, 3) for each in combinations("abc", count)]:
        alone = TEXTS[path]
        for name in reversed(names):
            alone = text_of(removing(path, alone, name))

        for order in permutations(names):
            plan = removing(path, TEXTS[path], *order)

            assert text_of(plan) == alone
            assert all(edit.changes for edit in plan.edits)


def test_a_block_whose_statements_all_go_keeps_one() -> None:
    plan = removing("k.py", METHODS, "K.b", "K.a")

    assert text_of(plan) == "class K:\n    pass\n\nx = 1\n"


def test_a_member_is_added_behind_the_one_before_the_last_which_goes() -> None:
    add = Edit(path="f.json", segment="b", action="after", content='"n": 9')
    gone = Edit(path="f.json", segment="c", action="delete")

    plan = planned(TEXTS["f.json"], gone, add).files[0]

    assert text_of(plan) == '{\n  "a": 1,\n  "b": 2,\n  "n": 9\n}\n'


def test_parts_that_go_are_no_neighbours() -> None:
    edits = [
        Edit(path="k.py", segment="K.a", part="body", content="pass"),
        Edit(path="k.py", segment="K.b", action="delete"),
    ]

    assert text_of(planned(METHODS, *edits).files[0]) == (
        "class K:\n    def a(self):\n        pass\n\nx = 1\n"
    )


@pytest.mark.parametrize("names", [("K", "K.b"), ("K.b", "K")])
def test_a_segment_inside_of_another_that_goes_is_refused(names: tuple[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        removing("k.py", METHODS, *names)

    assert [each.code for each in refused.value.refusals] == ["overlapping-edits"]
