"""A sweep does what a model does that shares no code with it: a loop over files and characters."""

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.sweep import places
from keyhole.engine.sweep.request import Sweep
from tests.scene import put

ME = Options(actor="me", mode="interactive")
PIECES = ("old", "older", "_old", "old_", "Old", " ", "\n", "\r\n", ".", "é", "(", "x")
RAN: Counter[str] = Counter()

texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
trees = st.dictionaries(st.sampled_from(["a.txt", "b.txt", "d/a.txt", "c.md"]), texts, min_size=1)


def is_name(character: str) -> bool:
    return character == "_" or character.isalnum()


def model(text: str, find: str, content: str, boundary: str) -> tuple[str, int]:
    """Return a text with every place changed, found from left to right, and how many there were."""
    out, at, count = "", 0, 0
    while at < len(text):
        end = at + len(find)
        fits = text[at:end] == find
        if fits and boundary:
            joins_left = at > 0 and is_name(text[at - 1]) and is_name(find[0])
            joins_right = end < len(text) and is_name(text[end]) and is_name(find[-1])
            fits = not joins_left and not joins_right
        out, at, count = (
            (out + content, end, count + 1) if fits else (out + text[at], at + 1, count)
        )
    return out, count


def sweep_and_judge(tree: Mapping[str, str], find: str, content: str, boundary: str) -> None:
    expected = {
        path: model(text, find, content, boundary) if path.endswith(".txt") else (text, 0)
        for path, text in tree.items()
    }
    count = sum(found for _, found in expected.values())
    edit = Edit(find=find, content=content)
    with tempfile.TemporaryDirectory() as base:
        root = Path(base) / "root"
        root.mkdir()
        for path, text in tree.items():
            put(root, path, text)
        engine = Engine.open(root, Path(base) / "state")
        try:
            preview = engine.refactoring.sweep(Sweep((edit,), "*.txt", boundary=boundary), ME)
            assert bool(count) == preview.ok
            if not count:
                assert preview.refusals[0].code in {"not-found", "no-file"}
                return
            RAN["carried out"] += 1
            assert preview.sweep is not None
            assert preview.sweep.count == count
            wanted = Sweep((edit,), "*.txt", boundary=boundary, expected_count=count)
            receipt = engine.refactoring.sweep(wanted, ME)
            assert receipt.ok, receipt.as_text()
            for path, (text, _) in expected.items():
                assert (root / path).read_bytes().decode() == text
            engine.undo(UndoRequest(), ME)
            for path, text in tree.items():
                assert (root / path).read_bytes().decode() == text
        finally:
            engine.close()


@settings(max_examples=40)
@given(
    tree=trees,
    find=st.sampled_from(["old", "old.", "oldold", "é", "o"]),
    content=st.sampled_from(["", "new", "old_old"]),
    boundary=st.sampled_from(["", "word", "identifier"]),
)
def test_a_sweep_changes_every_place_and_no_other(
    tree: dict[str, str], find: str, content: str, boundary: str
) -> None:
    sweep_and_judge(tree, find, content, boundary)


def test_the_law_was_more_than_refusals() -> None:
    sweep_and_judge({"a.txt": "old\n"}, "old", "new", "")

    assert RAN["carried out"] >= 1


Planted = Callable[..., bool]


@pytest.mark.parametrize(
    "fault",
    [
        lambda text, start, end, *_: True,  # noqa: ARG005 - boundaries are not looked at
        lambda text, start, end, *_: start == 0 or not text[start - 1].isalnum(),  # noqa: ARG005
        lambda text, start, end, *_: start < 8,  # noqa: ARG005 - places further on are missed
    ],
)
def test_a_planted_fault_is_seen(fault: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "stands_alone", fault)

    tree = {"a.txt": "older _old", "b.txt": "x old_ old", "c.txt": "old and then old"}
    with pytest.raises(AssertionError):
        sweep_and_judge(tree, "old", "new", "word")
