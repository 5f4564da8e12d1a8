import pytest

from keyhole.templates.header import TemplateMetadata, VariableMetadata, merged, read_metadata


def test_the_leading_comment_is_read() -> None:
    source = """\
{#- template
id = "note"
version = "2.1"
purpose = "A note"
tier = 4
hints = ["Keep it short."]

[variables.title]
type = "text"
description = "the heading"
default = "Note"
-#}
text
"""

    assert read_metadata(source) == TemplateMetadata(
        "note",
        "2.1",
        "A note",
        4,
        ("Keep it short.",),
        {"title": VariableMetadata("text", "the heading", "Note", has_default=True)},
    )


def test_an_ordinary_comment_says_nothing() -> None:
    assert read_metadata("{# a template for notes #}\n") == TemplateMetadata()


def test_a_damaged_comment_says_what_is_wrong_and_fails_nothing() -> None:
    found = read_metadata("{# template\nid = \n#}\n")

    assert (found.id, found.problem != "") == ("", True)


@pytest.mark.parametrize("said", [".".join(["a"] * 40_000) + " = 1", "a = " + "[" * 100_000])
def test_a_comment_made_to_hurt_says_what_is_wrong_and_fails_nothing(said: str) -> None:
    found = read_metadata(f"{{# template\n{said}\n#}}\n")

    assert found.problem != ""


def test_a_variable_may_be_a_sentence_and_a_wrong_type_is_none() -> None:
    found = read_metadata(
        '{# template\n[variables]\na = "what it is"\n[variables.b]\ntype = "colour"\n#}\n'
    )

    assert found.variables == {
        "a": VariableMetadata(description="what it is"),
        "b": VariableMetadata(),
    }


def test_the_template_speaks_before_its_tiers() -> None:
    own = TemplateMetadata(
        "x", hints=("own",), variables={"a": VariableMetadata("", "", "mine", has_default=True)}
    )
    tier = TemplateMetadata(
        "t",
        hints=("tier",),
        variables={"a": VariableMetadata("text", "about a"), "b": VariableMetadata("list")},
        problem="odd",
    )

    found = merged([own, tier])

    assert found.id == "x"
    assert found.hints == ("tier", "own")
    assert found.variables == {
        "a": VariableMetadata("text", "about a", "mine", has_default=True),
        "b": VariableMetadata("list"),
    }
    assert found.problem == "odd"
