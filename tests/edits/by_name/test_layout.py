from keyhole.edits.by_name.layout import column_of, is_closer, layout_of


def test_statements_carry_the_structure_of_python() -> None:
    lines = [
        "def f(a,",
        "      b):",
        "    # why",
        "",
        "    x = {1: 2}",
        "    if x:  # so:",
        "        y",
    ]

    layout = layout_of(lines, "python", ())

    assert layout is not None
    assert layout.heads == (0, 4, 5, 6)
    assert layout.columns == (0, 4, 4, 8)
    assert layout.opens == {0, 5}
    assert layout.continues == {1: 0}
    assert layout.steps == {4}


def test_a_string_behind_the_colon_opens_nothing() -> None:
    layout = layout_of(["def f(): 'doc:'", "x = ':'"], "python", ())

    assert layout is not None
    assert layout.opens == frozenset()


def test_broken_python_has_no_layout() -> None:
    assert layout_of(["x = (", "def f():"], "python", ()) is None


def test_elsewhere_every_line_outside_a_literal_counts() -> None:
    layout = layout_of(["f() {", "  x = `", "y", "  `;", "}"], "javascript", {2, 3})

    assert layout is not None
    assert layout.heads == (0, 1, 4)
    assert layout.steps == {2}


def test_braces_show_the_step_better_than_brackets() -> None:
    lines = ["f(", "        a) {", "    x(", "            y)", "}"]
    layout = layout_of(lines, "java", ())

    assert layout is not None
    assert layout.opens == {1}


def test_comments_have_no_column_where_columns_matter() -> None:
    layout = layout_of(["a:", "# flush", "  b: 1"], "yaml", ())

    assert layout is not None
    assert layout.heads == (0, 2)


def test_columns_and_closers() -> None:
    assert column_of("\t  x") == 6
    assert is_closer("  });")
    assert is_closer("end")
    assert not is_closer("ending")
