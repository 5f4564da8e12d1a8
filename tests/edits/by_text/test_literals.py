import pytest

from keyhole.edits.by_text.literals import python_literals
from keyhole.segments.code.literals import Literal


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('x = """a\nb"""', [(0, 1, False)]),
        ('"""a\nb"""', [(0, 1, True)]),
        ('r"""a\nb"""  # why', [(0, 1, True)]),
        ('f"""a\nb"""', [(0, 1, False)]),
        ('b"""a\nb"""', [(0, 1, False)]),
        ('"""a\nb""".strip()', [(0, 1, False)]),
        ('call(\n"""a\nb"""\n)', [(1, 2, False)]),
        ('x = "a\\\nb"', [(0, 1, False)]),
        ('x = """a\n""", """\nb"""', [(0, 1, False), (1, 2, False)]),
        ('x = """a"""', []),
        ('# it\'s """\nx = 1', []),
        ("x = 1", []),
        ("x = it's\ny = '''a\nb'''", [(1, 2, False)]),
        ("x = 'never\\\n", []),
        ('x = """never', []),
        ("x = it's \\", []),
    ],
)
def test_strings_that_span_lines(code: str, found: list[tuple[int, int, bool]]) -> None:
    assert python_literals(code) == tuple(Literal(*each) for each in found)


def test_the_lines_inside_begin_below_the_first() -> None:
    assert list(Literal(2, 5, follows=True).inside) == [3, 4, 5]
