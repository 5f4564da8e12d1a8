import json

import pytest

from tests.toolsets.test_healing import CLEAN, EDIT, JSON, A, B, healed


@pytest.mark.parametrize(
    "given",
    [
        {"a.py": [EDIT], "b.py": EDIT},
        json.dumps({"a.py": [EDIT], "b.py": [EDIT]}),
        [{"a.py": EDIT}, {"b.py": JSON}],
        {"a.py": [json.dumps(EDIT)], "b.py": [[EDIT]]},
        [{"path": "a.py", "edits": EDIT}, B],
        [{"file": "a.py", "changes": JSON}, {"path": "b.py", "edits": [EDIT]}],
        [{"path": "a.py", "edits": [A]}, {"path": "b.py", "edit": EDIT}],
    ],
    ids=str,
)
def test_edits_may_come_file_by_file(given: object) -> None:
    found = healed("edit", {"edits": given})

    assert found.arguments == {"edits": [A, B]}
    assert "`edits` stood in groups" in found.healed
    assert (found.doubts, found.stray) == ((), ())


@pytest.mark.parametrize(
    "given",
    [
        {"arguments": {"params": {"name": "edit", "arguments": CLEAN}}},
        {"Params": {"arguments": json.dumps(CLEAN)}},
    ],
    ids=str,
)
def test_a_call_may_be_wrapped_more_than_once(given: dict[str, object]) -> None:
    assert healed("edit", given).arguments == CLEAN


@pytest.mark.parametrize(
    ("given", "headline"),
    [
        (
            {"path": "b.py", "edits": {"a.py": [EDIT]}},
            "`path` of the call is for none of its edits: each in `edits` has another one",
        ),
        (
            {"edits": [{"path": "a.py", "edits": [B]}]},
            "`path` of a group differs from the one inside of it",
        ),
        (
            {"edits": [{"path": "a.py", "reason": "r", "edits": [{**EDIT, "reason": "s"}]}]},
            "`reason` of a group differs from the one inside of it",
        ),
    ],
    ids=str,
)
def test_a_path_that_stands_around_edits_is_not_lost(
    given: dict[str, object], headline: str
) -> None:
    [doubt] = healed("edit", given).doubts

    assert doubt.refusal.headline == headline


@pytest.mark.parametrize(
    ("given", "stray"),
    [
        ({"path": "b.py", "a.py": EDIT}, [("a.py",)]),
        ({"path": "a.py", "edits": [{"edits": 5}]}, [("edits", 0, "edits")]),
        ({"edits": [{"path": "a.py", "edits": [5]}]}, [("edits", 0, "edits")]),
        ({"edits": [{"a.py": [5]}]}, [("edits", 0, "edits")]),
        ({"path": "a.py", "edits": [{**EDIT, "edits": []}]}, []),
    ],
    ids=str,
)
def test_what_wraps_no_edits_is_left_alone(
    given: dict[str, object], stray: list[tuple[str | int, ...]]
) -> None:
    assert list(healed("edit", given).stray) == stray
