from keyhole.segments.code.outline import ParseErrors

TEXT = "f {\n  a b\n}\ng {\n  c\n}\n"
F, G = (0, 12), (12, 22)


def test_without_errors_everything_is_certain() -> None:
    errors = ParseErrors(TEXT, [])

    assert errors.leave(F, 0)
    assert not errors.precede(F)
    assert not errors.follow(F)
    assert errors.lines([F, G], []) == ()


def test_an_error_inside_is_borne_out_by_the_indentation() -> None:
    assert ParseErrors(TEXT, [(6, 7)]).leave(F, 0)
    assert not ParseErrors(TEXT, [(6, 7)]).leave((0, 22), 0)


def test_the_indentation_is_judged_from_the_head_on() -> None:
    text = "// F.\nf {\n  a b\n}\n"

    assert ParseErrors(text, [(12, 13)]).leave((0, len(text)), 6)
    assert not ParseErrors(text, [(12, 13)]).leave((0, len(text)), 0)


def test_an_error_beside_on_the_first_or_last_line_is_doubt() -> None:
    assert not ParseErrors(TEXT, [(0, 1)]).leave((2, 12), 2)
    assert not ParseErrors(TEXT, [(8, 9)]).leave((6, 7), 6)


def test_an_error_on_the_line_above_that_ends_with_a_word_may_begin_it() -> None:
    text = "LIB_API int LIB_CALL\nrun(int a);\n"

    assert not ParseErrors(text, [(8, 20)]).leave((21, 33), 21)
    assert ParseErrors(text.replace("L\n", ";\n"), [(8, 20)]).leave((21, 33), 21)
    assert ParseErrors(text.replace("L\n", "\n\n"), [(8, 19)]).leave((21, 33), 21)


def test_an_error_elsewhere_is_none_of_its_business() -> None:
    assert ParseErrors(TEXT, [(6, 7)]).leave(G, 12)
    assert ParseErrors(TEXT, [(6, 7)]).precede(G)
    assert not ParseErrors(TEXT, [(6, 7)]).follow(G)
    assert ParseErrors(TEXT, [(18, 19)]).follow(F)
    assert not ParseErrors(TEXT, [(18, 19)]).precede(F)


def test_lines_leave_out_the_sound_declarations_an_error_stretches_over() -> None:
    assert ParseErrors(TEXT, [(0, 22)]).lines([G], []) == ((1, 3),)
    assert ParseErrors(TEXT, [(18, 18)]).lines([], [(0, 4)]) == ((1, 1), (5, 5))
