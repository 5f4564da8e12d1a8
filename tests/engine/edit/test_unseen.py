"""Lines counted in a file that others changed since the caller was shown it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest
from tests.scene import engine_at

TEXT = "".join(f"line {number}\n" for number in range(1, 9))
ME, OTHER = Options(actor="me"), Options(actor="other")
BY_LINE = Edit(lines="5", content="changed")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        yield engine


def look(engine: Engine) -> str:
    return engine.read("a.txt", ReadRequest(), "me").hash


def above(engine: Engine, who: Options) -> Receipt:
    return engine.edit([Edit(find="line 1\n", content="line 0\nline 1\n")], who, "a.txt")


def warnings(receipt: Receipt) -> list[str]:
    assert receipt.ok, receipt.as_text()
    [file] = receipt.files
    return [each for each in file.plan.warnings if "since you were shown it" in each]


def test_lines_moved_by_others_are_warned_of(engine: Engine) -> None:
    look(engine)
    above(engine, OTHER)

    receipt = engine.edit([BY_LINE], ME, "a.txt")

    assert len(warnings(receipt)) == 1
    assert "others changed the file" in receipt.as_text()


def test_lines_moved_by_another_program_are_warned_of(engine: Engine) -> None:
    look(engine)
    Path(engine.root, "a.txt").write_text(f"above\n{TEXT}", encoding="utf-8")

    assert warnings(engine.edit([BY_LINE], ME, "a.txt"))


def test_what_others_did_before_ones_own_edit_is_warned_of_too(engine: Engine) -> None:
    look(engine)
    above(engine, OTHER)
    engine.edit([Edit(find="line 8", content="line eight")], ME, "a.txt")

    assert warnings(engine.edit([BY_LINE], ME, "a.txt"))


@pytest.mark.parametrize("own", [0, 1, 3, 25])
def test_ones_own_edits_are_no_news(engine: Engine, own: int) -> None:
    look(engine)
    for _ in range(own):
        above(engine, ME)

    assert not warnings(engine.edit([BY_LINE], ME, "a.txt"))


def test_who_looked_again_knows(engine: Engine) -> None:
    look(engine)
    above(engine, OTHER)
    look(engine)

    assert not warnings(engine.edit([BY_LINE], ME, "a.txt"))


def test_who_was_never_shown_the_file_may_have_the_lines_from_elsewhere(engine: Engine) -> None:
    above(engine, OTHER)

    assert not warnings(engine.edit([BY_LINE], ME, "a.txt"))


@pytest.mark.parametrize(
    "edit",
    [
        Edit(find="line 5", content="changed"),
        Edit(find="line 5", lines="1-8", content="changed"),
        Edit(lines="-1", action="after", content="line 9"),
    ],
)
def test_where_text_or_an_end_says_the_place_no_line_can_be_wrong(
    engine: Engine, edit: Edit
) -> None:
    look(engine)
    above(engine, OTHER)

    assert not warnings(engine.edit([edit], ME, "a.txt"))


def test_lines_of_an_expected_version_are_carried_over_and_need_no_warning(engine: Engine) -> None:
    hash_ = look(engine)
    above(engine, OTHER)

    receipt = engine.edit([BY_LINE], Options(actor="me", expected_hash=hash_), "a.txt")

    assert not warnings(receipt)
    assert engine._tree.read("a.txt").line(6) == "changed"
