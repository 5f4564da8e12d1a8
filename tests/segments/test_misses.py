from keyhole.refusals import Candidate, Refusal
from tests.segments.reading import refusal

PARSER = """\
class Parser:
    def feed_all(self): pass
    def close(self): pass


@cache
def run(): pass
"""


def test_an_unknown_name_is_told_what_its_owner_has_and_what_is_near() -> None:
    assert refusal("a.py", PARSER, "Parser.feed") == Refusal(
        "unknown-segment",
        "no segment `Parser.feed`; class `Parser` has feed_all, close",
        where="nearest: Parser.feed_all\nthere are 4: Parser, Parser.feed_all, Parser.close, run",
        help="check spelling and capitalization, or ask for the outline",
        candidates=(
            Candidate(
                (2, 2),
                "    def feed_all(self): pass",
                "its address is `Parser.feed_all`",
                8 / 14,
                segment="Parser.feed_all",
            ),
        ),
        suggestions=("Parser.feed_all", "Parser", "Parser.close", "run"),
    )


def test_of_equal_names_those_in_a_like_place_are_nearer() -> None:
    text = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n"

    said = refusal("a.py", text, "B.runs")

    assert [each.segment for each in said.candidates] == ["B.run", "A.run"]


def test_a_name_with_the_same_letters_is_nearest() -> None:
    said = refusal("a.py", "def _x_(): pass\ndef xs(): pass\n", "x")

    assert [each.segment for each in said.candidates] == ["_x_", "xs"]


def test_a_name_like_none_is_told_what_there_is() -> None:
    said = refusal("a.py", PARSER, "zzz")

    assert said.headline == "no segment `zzz`"
    assert said.where == "there are 4: Parser, Parser.feed_all, Parser.close, run"
    assert said.suggestions == ("Parser", "Parser.feed_all", "Parser.close", "run")


def test_a_long_list_is_cut_and_counted() -> None:
    text = "".join(f"def f{number}(): pass\n" for number in range(100))

    said = refusal("a.py", text, "zzz")

    assert said.where.startswith("there are 100: f0, f1, f2,")
    assert said.where.endswith("f38, f39 and 60 more")
    assert len(said.suggestions) == 40


def test_a_file_without_segments_says_so() -> None:
    assert refusal("a.txt", "text\n", "f") == Refusal(
        "unknown-segment",
        "no segment `f`: this text file has no segments",
        help="edit by `find` or `lines`",
    )


def test_an_owner_without_children_is_said_to_have_nothing() -> None:
    said = refusal("a.py", "class A:\n    pass\n", "A.m")

    assert said.headline == "no segment `A.m`; class `A` has nothing in it"


def test_an_ambiguous_name_lists_every_address_with_its_lines() -> None:
    text = "class A:\n    @x\n    def m(self):\n        pass\nclass B:\n    def m(self): pass\n"

    assert refusal("a.py", text, "m") == Refusal(
        "ambiguous",
        "`m` fits 2 segments",
        where="`A.m` method, lines 2-4\n`B.m` method, line 6",
        help="name one of these addresses, or add a line: name@line",
        candidates=(
            Candidate((2, 4), "    def m(self):", segment="A.m"),
            Candidate((6, 6), "    def m(self): pass", segment="B.m"),
        ),
        suggestions=("A.m", "B.m"),
    )


def test_a_name_that_fits_hundreds_lists_a_hundred_and_counts_the_rest() -> None:
    text = "def f(): pass\n" * 250

    said = refusal("a.py", text, "f")

    assert said.headline == "`f` fits 250 segments"
    assert said.where.endswith("`f#100` function, line 100\nand 150 more")
    assert len(said.suggestions) == len(said.candidates) == 100


def test_a_name_in_lines_that_cannot_be_read_is_unparsable() -> None:
    text = "def sound():\n    pass\n\ndef broken(:\n    pass\n"

    assert refusal("a.py", text, "broken") == Refusal(
        "unparsable",
        "`broken` is named in line 4, which cannot be read",
        where="line 4",
        help="edit these lines by `find` or `lines`; segments elsewhere in the file work",
    )
    assert refusal("a.py", text, "brok").code == "unknown-segment"


def test_a_headline_stays_on_one_line() -> None:
    assert refusal("a.py", PARSER, "a\nb").headline == "no segment `a b`"
