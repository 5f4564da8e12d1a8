from keyhole.edits.by_name.trailing_lines import place_of, tail_end
from tests.edits.segment_calls import spot

BLOCK = "class A:\n    def f(self):\n        return 1\n\n        # f\n    # A\n\nx = 1\n"
ARRAY = "[[a]]\nk = 1\n\n# Inside.\n[a.b]\nk = 2\n[[a.c]]\n\n[d]\n"


def test_comments_belong_to_the_block_they_are_indented_for() -> None:
    assert BLOCK[: tail_end(spot("m.py", BLOCK, "A.f"))].endswith("# f\n")
    assert BLOCK[: tail_end(spot("m.py", BLOCK, "A"))].endswith("# A\n")
    assert tail_end(spot("m.py", BLOCK, "x")) == len(BLOCK)


def test_text_that_ends_in_the_comments_replaces_them() -> None:
    method = spot("m.py", BLOCK, "A.f")

    assert place_of(method, ["def f(self):", "    pass"]) == method.span
    assert place_of(method, ["def f(self):", "    # f", ""])[1] == tail_end(method)


def test_a_table_of_an_array_ends_with_those_inside_it() -> None:
    assert ARRAY[: tail_end(spot("a.toml", ARRAY, "a.0"))].endswith("[[a.c]]\n")
    assert ARRAY[: tail_end(spot("a.toml", ARRAY, "a.0.b"))].endswith("k = 2\n")
    assert place_of(spot("a.toml", ARRAY, "a.0"), ["[[a]]", "[[a.c]]"]) == (0, 12)
