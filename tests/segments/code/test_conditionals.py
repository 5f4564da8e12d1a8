from keyhole.segments.code.outline import Conditionals
from keyhole.segments.code.parser import FoundNode

TEXT = "#if A\nf {\n#else\ng {\n#endif\n}\nh {\n#ifdef B\n b\n#elif C\n c\n# endif\n}\n"


def test_a_declaration_with_the_whole_of_a_conditional_is_whole() -> None:
    conditionals = Conditionals(TEXT, [])

    assert conditionals.leave_whole((TEXT.index("h"), len(TEXT)))
    assert conditionals.leave_whole((0, TEXT.index("h")))
    assert conditionals.leave_whole((0, 0))


def test_one_with_a_piece_of_it_is_not() -> None:
    conditionals = Conditionals(TEXT, [])

    assert not conditionals.leave_whole((TEXT.index("f {"), TEXT.index("g {")))
    assert not conditionals.leave_whole((TEXT.index("g {"), TEXT.index("h")))
    assert not conditionals.leave_whole((0, TEXT.index("g {")))


def test_what_a_comment_says_is_no_directive() -> None:
    text = "/*\n#if A\n*/ f {}\n#if B\n"
    comment = FoundNode("comment", "comment", (), 0, text.index(" f"))

    assert Conditionals(text, [comment]).leave_whole((0, text.index("\n#if B") + 1))
    assert not Conditionals(text, [comment]).leave_whole((0, len(text)))
    assert not Conditionals(text, []).leave_whole((0, text.index("#if B")))
