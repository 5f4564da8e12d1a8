# ruff: noqa: E501 - a row of the table is a line

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.sweep.request import Sweep
from keyhole.phrases import render
from keyhole.refusals import Refused

EDIT = {"find": "old", "content": "new"}


def refused(edit: dict[str, object], **sweep: object) -> str:
    with pytest.raises(Refused) as refused:
        Sweep.of({"glob": "*.py", "edits": [edit], **sweep})
    [refusal] = refused.value.refusals
    assert refusal.code == "bad-request"
    return render(refusal.headline)


def test_arguments_become_a_sweep() -> None:
    given = {"glob": "*.py", "path": "src", "except": "test_*", "expected_count": 3, "offset": "7"}

    sweep = Sweep.of({**given, "edits": [EDIT], "cases": True, "detail": "full"})

    edits = (Edit(find="old", content="new"),)
    expected = Sweep(edits, "*.py", "src", ("test_*",), 3, cases=True, offset=7, is_full=True)
    assert sweep == expected
    assert sweep.writes


def test_a_call_without_a_glob_is_no_sweep() -> None:
    assert Sweep.of({"path": "a.py", "edits": [EDIT], "except": "", "only": []}) is None


@pytest.mark.parametrize(
    ("edit", "sweep", "headline"),
    [
        ({**EDIT, "path": "a.py"}, {}, "`path` and `glob` do not go together"),
        ({**EDIT, "segment": "f"}, {}, "`segment` and `glob` do not go together"),
        ({"action": "append", "content": "x"}, {}, "`find` is missing: `glob` needs a place to look for"),
        ({**EDIT, "occurrence": "first"}, {}, "`occurrence` and `glob` do not go together: it means all places"),
        ({**EDIT, "action": "before"}, {}, "`action` is before; with a glob it is one of replace, delete"),
        (EDIT, {"only": ["a"], "without": ["b"]}, "`without` and `only` both choose places; give one of them"),
        (EDIT, {"boundary": "line"}, "`boundary` is 'line'; it is one of word, identifier"),
        ({**EDIT, "regex": True}, {"boundary": "word"}, "`boundary` is for `find`; an expression says \\b, a pattern needs none"),
        ({**EDIT, "content": "a b"}, {"cases": True}, "`cases` needs a name in `find`, and one in `content`"),
        (EDIT, {"glob": ""}, "`glob` is empty"),
        (EDIT, {"glob": "!*.py"}, "`glob` begins with `!`"),
        (EDIT, {"except": ["a.py", "!b.py"]}, "`except` begins with `!`"),
        (EDIT, {"expected_count": -1}, "`expected_count` is -1; it is a whole number from 0"),
    ],
)  # fmt: skip
def test_what_means_nothing_beside_a_glob_is_refused(
    edit: dict[str, object], sweep: dict[str, object], headline: str
) -> None:
    assert refused(edit, **sweep) == headline


def test_no_edits_are_no_sweep() -> None:
    with pytest.raises(Refused, match="`edits` is empty"):
        Sweep((), "*.py")


def test_a_part_needs_a_segment_which_no_sweep_has() -> None:
    edit = Edit(find="a", content="b")
    object.__setattr__(edit, "part", "body")

    with pytest.raises(Refused, match="`part` and `glob` do not go together"):
        Sweep((edit,), "*.py")


@pytest.mark.parametrize("name", ["except", "expected_count", "only", "without", "boundary"])
def test_arguments_of_a_sweep_need_a_glob(name: str) -> None:
    with pytest.raises(Refused, match=f"`{name}` needs `glob` beside it"):
        Sweep.of({"path": "a.py", "edits": [EDIT], name: "x"})
