"""SEARCH/REPLACE blocks with markers of every length that the page names."""

from pathlib import Path

import pytest

from keyhole import Workspace
from keyhole.edits.model.operations import Edit
from keyhole.patches.detect import parse
from keyhole.refusals import Refused


def block(search: int, divider: int, replace: int) -> str:
    return f"a.txt\n{'<' * search} SEARCH\na\n{'=' * divider}\nb\n{'>' * replace} REPLACE\n"


@pytest.mark.parametrize("size", range(5, 10))
def test_markers_of_five_to_nine_characters_make_a_block(size: int) -> None:
    assert parse(block(size, size, size)) == (Edit(path="a.txt", find="a\n", content="b\n"),)


@pytest.mark.parametrize("sizes", [(5, 7, 5), (6, 7, 7), (5, 7, 9)])
def test_a_divider_may_have_its_usual_length(sizes: tuple[int, int, int]) -> None:
    assert parse(block(*sizes)) == (Edit(path="a.txt", find="a\n", content="b\n"),)


@pytest.mark.parametrize("sizes", [(7, 5, 7), (7, 6, 7), (8, 7, 8), (10, 10, 10)])
def test_a_heading_s_underline_is_no_divider(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(Refused):
        parse(block(*sizes))


def test_an_empty_search_fills_an_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("", encoding="utf-8")
    patch = "a.txt\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE\n"
    with Workspace(root) as workspace:
        first, second = workspace.patch(patch), workspace.patch(patch)

    assert (root / "a.txt").read_text(encoding="utf-8") == "hello\n"
    assert first.ok
    assert [refusal.code for refusal in second.refusals] == ["file-exists"]
