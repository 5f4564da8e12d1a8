import pytest

from keyhole.edits.by_name.beside import comma_before, is_listed, with_comma
from tests.edits.segment_calls import after, refusal, spot

OBJECT = "const o = {\n  a() {},\n  b() {} // last\n};\n"


def test_a_member_behind_a_comma_is_of_a_list() -> None:
    assert comma_before(spot("a.js", OBJECT, "o.b")) == OBJECT.index(",")
    assert is_listed(spot("a.js", OBJECT, "o.a"))
    assert not is_listed(spot("a.js", OBJECT, "o"))
    assert not is_listed(spot("a.js", "// So,\nx();\nfunction f() {}\n", "f"))
    assert not is_listed(spot("m.py", "x = 1,\ndef f(): pass\n", "f"))


def test_a_comment_behind_the_last_member_leaves_the_comma_to_the_caller() -> None:
    last = spot("a.js", OBJECT, "o.b", action="after")

    assert with_comma(last, ["c() {}"]) == (["c() {}"], None)


@pytest.mark.parametrize("action", ["before", "after"])
def test_lines_that_may_end_in_a_comment_stay_as_they_came(action: str) -> None:
    member = spot("a.js", OBJECT, "o.a", action=action)

    assert with_comma(member, ["c() {} // c"]) == (["c() {} // c"], None)
    assert with_comma(member, ["c() {", "}"]) == (["c() {", "},"], None)


def test_several_lines_stand_between_the_pieces_of_a_line() -> None:
    text = "mod m {\n    impl P { fn a() {} }\n}\n"
    new = "fn b() {\n    1\n}"

    assert after("a.rs", text, segment="m.P.a", action="after", content=new) == (
        "mod m {\n    impl P { fn a() {}\n    fn b() {\n        1\n    } }\n}\n"
    )
    assert after(
        "a.rb", "module M; def a; end; end\n", segment="a", action="after", content="x"
    ) == ("module M; def a; end;\nx end\n")


def test_what_indentation_decides_has_no_place_on_a_line() -> None:
    text = "main = do\n  let y = 1\n      z = 2\n  print y\n"

    found = refusal("A.hs", text, segment="main.y", action="after", content="x = 3")

    assert found.headline == (
        "function `main.y` shares its line; text put after it would change the rest of it"
    )
    assert found.help == "edit `main`, which holds it, or use `find`"


def test_without_one_around_it_the_line_is_edited() -> None:
    found = refusal("a.js", "f(); function g() {}\n", segment="g", action="after", content="x() //")

    assert found.help == "edit the line by `lines`, or use `find`"
