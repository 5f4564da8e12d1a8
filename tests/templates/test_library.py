import pytest

from keyhole.refusals import Refused
from keyhole.templates.chain import chain_of
from keyhole.templates.library import Library
from tests.templates.corpus import Shelf

CONCRETE = ["adr", "dataclass", "design", "module", "plan", "readme", "research", "test", "worker"]


def test_the_built_in_set_has_five_documents_and_four_kinds_of_code() -> None:
    assert [each.id for each in Library().listed()] == CONCRETE


@pytest.mark.parametrize("template", CONCRETE)
def test_bug_81_every_built_in_template_has_all_its_tiers(template: str) -> None:
    library = Library()
    lineage = chain_of(library, library.find(template).name).lineage

    assert [name.partition("/")[0] for name in lineage[1:]] == ["tier2", "tier1", "tier0"]


def test_bug_81_a_chain_is_found_whatever_the_spelling_of_extends() -> None:
    for spelling in ("{% extends 'b.j2' %}", "{%- extends 'b.j2' -%}", '{%+ extends "b.j2" +%}'):
        library = Library((Shelf({"a.md.j2": spelling, "b.j2": "x"}),))

        assert chain_of(library, "a.md.j2").lineage == ("a.md.j2", "b.j2")


def test_a_users_template_hides_the_built_in_of_its_id_and_a_tier_can_be_hidden_too() -> None:
    own = Library((Shelf({"mine/design.md.j2": "own", "tier0/lifecycle.jinja2": "bare"}),))

    assert own.find("design").name == "mine/design.md.j2"
    assert own.source("tier0/lifecycle.jinja2") == "bare"


def test_tiers_and_names_with_an_underscore_make_no_files() -> None:
    texts = {"_part.j2": "", "a/_b.j2": "", "tier.j2": "{# template\ntier = 2\n#}\n", "ok.j2": ""}
    ids = [each.id for each in Library((Shelf(texts),)).listed()]

    assert ids == sorted([*CONCRETE, "ok"])


def test_an_id_is_made_of_what_a_header_can_hold() -> None:
    library = Library((Shelf({"My Note!.md.j2": ""}),))

    assert library.find("my-note-").name == "My Note!.md.j2"


def test_an_unknown_template_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused) as refused:
        Library().find("desing")

    [found] = refused.value.refusals
    assert (found.code, found.headline) == ("template-unknown", "there is no template `desing`")
    assert found.help == "name one of these; `scaffold` without `template` explains them"
    assert found.suggestions[0] == "design"
