import pytest

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.refusals import Refused
from keyhole.storage.paths.access import TASK_MODES, check_access, check_mode, narrower
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from tests.edits.planned import created, replaced

MADE = created("new.py", "x = 1\n")
CHANGED = replaced("old.py", "x = 1\n", ("1", "2"))
SAME = replaced("same.py", "x = 1\n", ("1", "1"))
GONE = FilePlan("gone.py", Document("x").with_text("x"), None, ChangeSet(1))


def is_allowed(file: FilePlan, mode: str) -> bool:
    try:
        check_access(Plan((file,)), mode)
    except Refused as refused:
        return [each.code for each in refused.refusals] != ["read-only"]
    return True


def allowed(mode: str) -> list[str]:
    plans = {"create": MADE, "change": CHANGED, "delete": GONE, "leave": SAME}
    return [name for name, file in plans.items() if is_allowed(file, mode)]


@pytest.mark.parametrize(
    ("mode", "may"),
    [
        ("", ["create", "change", "delete", "leave"]),
        ("execute", ["create", "change", "delete", "leave"]),
        ("generate", ["create", "leave"]),
        ("modify", ["change", "leave"]),
        ("research", ["leave"]),
        ("analyze", ["leave"]),
    ],
)
def test_a_task_mode_decides_what_may_be_written(mode: str, may: list[str]) -> None:
    assert allowed(mode) == may


def test_the_refusal_says_what_the_mode_is_for() -> None:
    with pytest.raises(Refused) as caught:
        check_access(Plan((MADE,)), "modify")

    (refusal,) = caught.value.refusals
    assert refusal.headline == "task mode modify edits files that exist, and would create new.py"
    assert refusal.help == "edit a file that is there, or ask the user for another task mode"


@pytest.mark.parametrize("one", ["", *TASK_MODES])
@pytest.mark.parametrize("other", ["", *TASK_MODES])
def test_two_modes_together_allow_no_more_than_each(one: str, other: str) -> None:
    both = narrower(one, other)

    assert set(allowed(both)) == set(allowed(one)) & set(allowed(other))


def test_a_mode_that_there_is_not_is_refused() -> None:
    check_mode("modify", "the caller sets it")
    with pytest.raises(Refused) as caught:
        check_mode("destroy", "the caller sets it")

    assert caught.value.refusals[0].headline == (
        "the caller sets it to 'destroy'; it is one of research, generate, modify, execute, analyze"
    )
