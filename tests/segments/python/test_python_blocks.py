from keyhole.segments.python.lines import read_blocks


def spans(code: str) -> list[str]:
    return [code[block.first : block.end] for block in read_blocks(code).definitions]


def test_a_definition_ends_before_the_next_line_that_is_no_deeper() -> None:
    code = "def f():\n    if x:\n        pass\n\n    y\n# z\nz\n"

    assert spans(code) == ["def f():\n    if x:\n        pass\n\n    y\n"]


def test_a_line_inside_a_string_or_bracket_ends_nothing() -> None:
    code = "def f():\n    x = '''\nflush\n'''\n    y = (\n0)\nz\n"

    assert spans(code) == [code[:-2]]


def test_a_backslash_before_nothing_adds_no_line() -> None:
    assert spans("def f():\n    return 1 \\\n    # why\n\nx\n") == ["def f():\n    return 1 \\\n"]
    assert spans("def f():\n    return 1 \\\n\nx\n") == ["def f():\n    return 1 \\\n"]
    assert spans("def f():\n    return '''\\\n# x'''\nx\n") == [
        "def f():\n    return '''\\\n# x'''\n"
    ]


def test_a_decorator_at_another_depth_decorates_nothing() -> None:
    assert spans("@a\nx = 1\ndef f(): pass\n") == ["def f(): pass\n"]


def test_outermost_statements_are_those_without_indent() -> None:
    code = "import a\nif x:\n    y = 1\nz = (\n1)\n"

    assert [code[at] for at in read_blocks(code).statements] == ["i", "i", "z"]
