import pytest

from keyhole.segments.literals import Literal, long_literals, python_literals


def literals(language: str, text: str) -> list[Literal]:
    return list(long_literals(language, text, (0, len(text))))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "const a = `\n b`;\n"),
        ("typescript", "const a = `\n${x +\n y} b`;\n"),
        ("go", "package a\n\nvar a = `\n b`\n"),
        ("rust", 'const A: &str = "\n b";\n'),
        ("cpp", 'auto a = R"(\n b)";\n'),
        ("csharp", 'class A { string a = @"\n b"; }\n'),
        ("kotlin", 'val a = """\n b"""\n'),
        ("php", "<?php\n$a = 'x\n b';\n"),
        ("bash", "a='x\n b'\n"),
        ("lua", "local a = [[\n b]]\n"),
        ("toml", 'a = """\n b"""\n'),
        ("scala", 'val a = """\n b"""\n'),
    ],
)
def test_a_value_that_spans_lines(language: str, text: str) -> None:
    ((first, last, follows),) = literals(language, text)

    assert last > first
    assert not follows


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("java", 'class A { String a = """\n b\n """; }\n'),
        ("csharp", 'class A { string a = """\n b\n """; }\n'),
        ("swift", 'let a = """\n b\n """\n'),
        ("elixir", 'a = """\nb\n"""\n'),
        ("nix", "{ a = ''\n b\n ''; }\n"),
        ("hcl", "a = <<-X\n b\n X\n"),
        ("ruby", "a = <<~X\n  b\nX\n"),
    ],
)
def test_a_value_that_does_not_depend_on_its_column(language: str, text: str) -> None:
    assert [follows for _, _, follows in literals(language, text)] == [True]


def test_a_heredoc_that_keeps_its_blanks() -> None:
    assert [follows for _, _, follows in literals("ruby", "a = <<-X\n  b\nX\n")] == [False]


def test_one_line_is_not_long_and_what_is_inside_another_is_no_other() -> None:
    text = "const a = 'x';\nconst b = `\n${'y' +\n`z\n`}`;\n"

    assert literals("javascript", text) == [(1, 4, False)]


def test_only_a_part_of_the_text_is_asked_for() -> None:
    text = "const a = `\n`;\nconst b = `\n`;\n"

    assert long_literals("javascript", text, (15, len(text))) == (Literal(0, 1, follows=False),)


def test_a_language_without_such_literals() -> None:
    assert literals("json", '{"a": 1}') == []


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
