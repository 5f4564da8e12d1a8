import pytest

from keyhole.segments.language import Language, Node

ROW = Language(
    "toy",
    "toy",
    {
        "function": "defun",
        "method": "meth@:id/block^receiver.type",
        "struct": "record!",
        "keyword": "form@=word",
        "assigned": "pair@key/value",
    },
    values={"lambda": "function"},
    keywords={"module": "module"},
    wrappers="export",
    attributes="decorator unary=@doc",
    scopes="block",
)


def test_a_spec_left_short_takes_the_fields_name_and_body() -> None:
    assert ROW.specs["defun"] == Node("function", "name", "body", "", asks_body=False)


def test_a_full_spec_has_name_body_and_owner() -> None:
    assert ROW.specs["meth"] == Node("method", ":id", "block", "receiver.type", asks_body=False)
    assert ROW.specs["form"].name == "=word"


def test_an_exclamation_mark_asks_for_a_body() -> None:
    assert ROW.specs["record"].asks_body


def test_kinds_are_ours_and_leave_out_what_only_steers() -> None:
    assert ROW.kinds == ("function", "method", "struct", "module")


def test_roles_may_ask_for_a_text() -> None:
    assert ROW.roles == {
        "export": ("wrapper", ""),
        "decorator": ("attribute", ""),
        "unary": ("attribute", "@doc"),
        "comment": ("comment", ""),
        "block": ("scope", ""),
    }


def test_a_spec_that_is_none_is_a_bug_in_the_table() -> None:
    row = Language("toy", "toy", {"function": "def un@"})

    with pytest.raises(AssertionError, match="BUG: un@ is not how a node is written"):
        assert row.specs
