from pathlib import Path

import pytest

from keyhole.edits.model.operations import WriteFile
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.refusals import Refused
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from tests.surfaces.mcp.host import written


def test_a_relative_path_belongs_to_the_first_root_and_an_absolute_one_to_its_own(
    workspaces: Workspaces, roots: list[Path]
) -> None:
    first, second, inner = workspaces.engines

    assert workspaces.at("a.txt") is workspaces.at() is workspaces.first is first
    assert workspaces.at(f"{roots[1]}/a.txt") is second
    assert workspaces.at(f"{roots[2]}/a.txt", str(roots[2])) is inner
    assert workspaces.at("/elsewhere/a.txt") is first


def test_one_call_for_two_roots_is_refused(workspaces: Workspaces, roots: list[Path]) -> None:
    with pytest.raises(Refused) as error:
        workspaces.at("a.txt", f"{roots[1]}/b.txt")

    assert error.value.refusals[0].help == "make one call for each root"


def test_an_undo_is_for_the_root_that_was_edited_last(workspaces: Workspaces) -> None:
    first = written(workspaces, 0, "a.txt")
    written(workspaces, 1, "b.txt", task="t")

    assert workspaces.meant(UndoRequest(), "me") is workspaces.engines[1]
    assert workspaces.meant(UndoRequest(id=first), "me") is workspaces.engines[0]
    assert workspaces.meant(UndoRequest(task="t"), "me") is workspaces.engines[1]
    assert workspaces.meant(UndoRequest(), "somebody else") is workspaces.first
    assert workspaces.knowing("unknown") is workspaces.first


def test_a_second_undo_is_for_what_still_stands_in_whatever_root(workspaces: Workspaces) -> None:
    written(workspaces, 0, "a.txt")
    written(workspaces, 1, "b.txt", task="t")
    written(workspaces, 0, "c.txt", task="t")
    for _ in range(2):
        workspaces.meant(UndoRequest(), "me").undo(UndoRequest(), Options(actor="me"))

    assert workspaces.meant(UndoRequest(), "me") is workspaces.engines[0]
    assert workspaces.meant(UndoRequest(), "me").undo(UndoRequest(), Options(actor="me")).ok


def test_what_happened_in_a_second_root_is_named_in_full(
    workspaces: Workspaces, roots: list[Path]
) -> None:
    second = workspaces.engines[1]
    name = written(workspaces, 1, "b.txt")
    second.write(WriteFile("c.txt", "x\n"), Options(propose=True))
    [offer] = second.review.proposals()

    past = workspaces.named(second, second.show(name))
    offered = workspaces.named(second, offer)
    stats = second.stats(0.0)

    assert [file.path for file in past.entry.files] == [f"{roots[1]}/b.txt"]
    assert [file.path for file in offered.proposed.plan.files] == [f"{roots[1]}/c.txt"]
    assert workspaces.named(second, stats) is stats


def test_an_undo_of_a_task_in_two_roots_is_refused(workspaces: Workspaces) -> None:
    written(workspaces, 0, "a.txt", task="t")
    written(workspaces, 1, "b.txt", task="t")

    with pytest.raises(Refused, match="task t edited several roots"):
        workspaces.meant(UndoRequest(task="t"), "me")


def test_a_root_that_stays_is_not_opened_again(workspaces: Workspaces, roots: list[Path]) -> None:
    again = Workspaces.open(roots[1:2], Allowed(), workspaces)

    assert again.engines == workspaces.engines[1:2]
    assert {place.engine for place in again.held.values()} == set(workspaces.engines)


def test_a_root_named_twice_is_one(roots: list[Path]) -> None:
    found = Workspaces.open([roots[0], roots[1] / ".." / "one"], Allowed())

    assert len(found.engines) == 1
    found.close()


def test_a_root_that_is_none_leaves_no_other_open(roots: list[Path], tmp_path: Path) -> None:
    with pytest.raises(Refused):
        Workspaces.open([roots[0], tmp_path / "nowhere"], Allowed())
