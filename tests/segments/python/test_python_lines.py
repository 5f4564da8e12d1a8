import pytest

from keyhole.segments.python.lines import Lines, join_lines, line_starts


@pytest.mark.parametrize(
    ("code", "continued"),
    [
        ("a\nb\n", set()),
        ("(\na\n)\nb\n", {1, 2}),
        ("x = '''\na\n'''\nb\n", {1, 2}),
        ("a \\\n b\nc\n", {1}),
        ("a \\\r\n b\r\nc\n", {1}),
        ("'a\\\nb'\nc\n", {1}),
        ("[('''\n''', {\n})]\nb\n", {1, 2}),
        ("# (\nb\n", set()),
        ("'('\n\"[\"\nb\n", set()),
        ("f'{x[\")\"]}'\nb\n", set()),
        ("x = f'{\n1\n}'\nb\n", {1, 2}),
    ],
)
def test_lines_join_inside_brackets_strings_and_after_backslashes(
    code: str, continued: set[int]
) -> None:
    assert join_lines(code) == Lines(frozenset(continued))


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("x = (\ndef f():\n", ((0, 0),)),
        ("x = (\n1,\n@d\n", ((0, 1),)),
        ("x = (1\n", ((0, 1),)),
        ("x)\ny\n", ((0, 0),)),
        ("x = (]\ny\n", ((0, 0),)),
        ("x = 'a\ny\n", ((0, 0),)),
        ("x = ('a\nreturn\n", ((0, 0),)),
        ("x = '''a\ny\n", ((0, 2),)),
    ],
)
def test_what_does_not_close_is_broken_up_to_a_line_that_proves_it(
    code: str, broken: tuple[tuple[int, int], ...]
) -> None:
    assert join_lines(code).broken == broken


def test_a_quote_without_a_partner_spoils_the_brackets_of_its_line_only() -> None:
    read = join_lines("f(\n  'a,\n  'b',\n)\ng\n")

    assert read == Lines(frozenset({1, 2, 3}), ((0, 1),))


def test_a_string_that_swallowed_a_definition_is_where_it_broke() -> None:
    code = 'a = """one\ndef f():\n    """two"""\n'

    assert join_lines(code).broken == ((0, 3),)


def test_lines_start_where_the_ones_before_end() -> None:
    assert line_starts("ab\n\nc\n") == [0, 3, 4, 6, 7]


def test_a_vertical_tab_is_no_line_end() -> None:
    assert join_lines(" \v\n\v").continued == frozenset()
    assert join_lines("f(\n\v1)\n").continued == {1}
