"""All that changes in a tree is in one history, with who did it, and can be gone back."""

import pytest

from tests.torture.changes_lines import PersonsLines
from tests.torture.start import PERCENT, counts, figure, stride

pytestmark = pytest.mark.torture
_FAULTS = (
    "unexplained",
    "gaps",
    "wrong actor",
    "wrong prompt",
    "bystanders",
    "not exact",
    "person's lines lost",
    "refused and changed",
    "changed without a word",
    "not undone",
)
_STEPS = 300 if PERCENT else 40


@pytest.mark.parametrize(
    ("mood", "seed"),
    [
        *(("mixed", seed) for seed in range(figure(1, 20))),
        *(("calm", seed) for seed in range(figure(1, 10))),
        *(("killed", seed) for seed in range(figure(1, 20))),
    ],
)
def test_every_change_has_its_maker_and_every_prompt_can_be_gone_back_to(
    mood: str, seed: int
) -> None:
    found = counts("changes", _STEPS, seed, mood)

    assert found["steps"] == _STEPS
    assert found["observed"] >= _STEPS // 2
    assert mood == "killed" or found["attributed"] >= _STEPS // 4
    assert found["exact"] == found["prompts"] > 0
    assert found["ways"] >= (12 if mood == "mixed" and PERCENT else 8)
    assert (found["killed"] > 0) == (mood == "killed")
    for fault in _FAULTS:
        assert found[fault] == 0, fault


@pytest.mark.parametrize(
    ("planted", "mood", "fault"),
    [
        ("what is put back is not seen", "mixed", "unexplained"),
        ("tools may write anything", "calm", "wrong actor"),
        ("the tree is kept before the history", "killed", "unexplained"),
        ("what people did goes too", "mixed", "person's lines lost"),
    ],
)
def test_a_look_that_leaves_something_out_and_a_rewind_that_takes_too_much_are_caught(
    planted: str, mood: str, fault: str
) -> None:
    found = counts("changes", 50, 0, mood, planted)

    assert found[fault] > 0


_KILLED = ("mixed", "leftovers", "unexplained", "not exact", "not undone")


@pytest.mark.parametrize(
    ("work", "steps"), [("look", 4), ("hook", 4), ("first", 4), ("exact", 40), ("rewind", 40)]
)
def test_what_is_killed_at_any_step_is_repaired_by_the_next_look(work: str, steps: int) -> None:
    found = counts("changes_kills", work, stride(5) if steps > 4 else 1)

    assert found["killed"] == found["runs"] >= steps // (stride(5) if steps > 4 else 1)
    assert found["looks killed after it"] > 0
    for fault in _KILLED:
        assert found[fault] == 0, fault


@pytest.mark.parametrize("work", ["look", *(["hook", "first", "exact", "rewind"] * bool(PERCENT))])
def test_so_is_what_is_killed_at_a_system_call_of_its_own_or_of_git(work: str) -> None:
    found = counts("changes_kills", work, 1, "calls" if PERCENT else "renames")

    assert found["runs"] >= (400 if PERCENT else 3)
    assert found["calls left out"] == 0
    for fault in _KILLED:
        assert found[fault] == 0, fault


def test_a_kill_that_loses_something_is_caught() -> None:
    found = counts("changes_kills", "look", 1, "failpoints", "the tree is kept before the history")

    assert found["unexplained"] > 0


_BEFORE, _HERE = 0, 1  # or after the prompt


@pytest.mark.parametrize(
    ("stood", "moments", "owed"),
    [
        (0, [(_HERE, "own", 1)], 0),
        (0, [(_HERE, "", 1)], 1),
        (0, [(_HERE, "other", 1)], 1),
        (0, [(_HERE, "own", 1), (_HERE, "own", -1), (_HERE, "", 1)], 1),
        (0, [(_HERE, "own", 1), (_HERE, "", -1), (_HERE, "own", 1)], 0),
        (0, [(_HERE, "own", 1), (_HERE, "", -1), (_HERE, "", 1)], 1),
        (0, [(_BEFORE, "", 1), (_BEFORE, "own", -1), (_HERE, "own", 1)], 0),
        (0, [(_HERE, "", 1), (_HERE, "own", -1), (_HERE, "other", 1), (_HERE, "own", -1)], 1),
        (0, [(_HERE, "", 1), (_HERE, "own", -1), (_HERE, "other", 1), (_HERE, "other", -1)], 0),
        (1, [], 1),
        (1, [(_HERE, "own", -1), (_HERE, "own", 1)], 1),
        (1, [(_HERE, "own", -1), (_HERE, "", 1)], 1),
        (1, [(_HERE, "", -1), (_HERE, "own", 1)], 0),
    ],
)
def test_a_line_is_owed_that_would_stand_without_the_session(
    stood: int, moments: list[tuple[int, str, int]], owed: int
) -> None:
    line = {"a.txt": (b"P-1\n", False)}
    lines = PersonsLines()
    for prompts, who, by in moments:
        lines.note(line if by < 0 else {}, line if by > 0 else {}, who, prompts)

    assert lines.owed(line, line if stood else {}, "own", 0)["P-1"] == owed
