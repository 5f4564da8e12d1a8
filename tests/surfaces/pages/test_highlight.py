import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.surfaces.pages.highlight import coloured, coloured_cells

NAMES = ["a.py", "b.js", "c.md", "d.html", "e.json", "f.rs", "g.unknown", "h.yaml"]


def test_a_python_line_is_coloured_by_what_its_parts_are() -> None:
    [line] = coloured("app/load.py", ["def load(x): return 'a'  # why"])

    assert [piece for piece in line if piece[0]] == [
        ("k", "def"),
        ("f", "load"),
        ("k", "return"),
        ("s", "'"),
        ("s", "a"),
        ("s", "'"),
        ("c", "# why"),
    ]


def test_a_string_over_many_lines_is_a_string_on_each() -> None:
    first, second = coloured("a.py", ['x = """one', 'two"""'])

    assert first[-1] == ("s", "one")
    assert second[0][0] == "s"


def test_what_nobody_knows_or_takes_long_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "if slow: return 1"

    assert list(coloured_cells([("klingon", [line])])) == [((("", line),),)]
    monkeypatch.setattr("keyhole.surfaces.pages.highlight._SECONDS", 0.0)
    assert coloured("a.py", [line]) == ((("k", "if"), ("", line[2:])),)


@given(
    st.sampled_from(NAMES),
    st.lists(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])), max_size=12
    ),
)
def test_the_pieces_of_a_line_spell_the_line(name: str, lines: list[str]) -> None:
    found = coloured(name, lines)

    assert ["".join(text for _, text in line) for line in found] == lines


def test_a_line_no_person_wrote_costs_nothing() -> None:
    coloured("a.js", ["("])  # the first call loads what knows the language
    start = time.process_time()

    [line] = coloured("a.js", ["(" * 100_000])

    assert line == (("", "(" * 100_000),)
    assert time.process_time() - start < 1
