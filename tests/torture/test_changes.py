"""All that changes in a tree is in one history, with who did it, and can be gone back."""

import pytest

from tests.torture.start import PERCENT, counts, figure

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
    ],
)
def test_a_look_that_leaves_something_out_is_caught(planted: str, mood: str, fault: str) -> None:
    found = counts("changes", 50, 0, mood, planted)

    assert found[fault] > 0
