import pytest
from jinja2 import UndefinedError

from keyhole.templates.chain import names_in, parents_of
from keyhole.templates.environment import MeteredEnvironment, parse
from keyhole.templates.introspect import SYSTEM, schema_of
from keyhole.templates.library import Library
from tests.templates.corpus import Case, Shelf, cases

CORPUS = cases()
LEAST = 80


def rendered(case: Case, variables: dict[str, object]) -> str:
    """Render without any check beforehand: an absent variable fails where it is used."""
    bench = MeteredEnvironment(case.library.source)
    told = schema_of(case.library, case.listed).variables
    defaults = {name: each.default for name, each in told.items() if each.has_default}
    system = dict.fromkeys(SYSTEM, "system")
    return bench.get_template(case.name).render({**system, **defaults, **variables})


def misjudged(case: Case) -> list[str]:
    """Return the variables that introspection takes for something else than they are."""
    schema = schema_of(case.library, case.listed)
    found = {**dict.fromkeys(schema.required, True), **dict.fromkeys(schema.optional, False)}
    truth = {**dict.fromkeys(case.required, True), **dict.fromkeys(case.optional, False)}
    return sorted(name for name in found | truth if found.get(name) is not truth.get(name))


def test_the_corpus_is_large_and_has_every_category() -> None:
    assert len(CORPUS) >= LEAST
    assert {case.file[0] for case in CORPUS} == set("abcdefgh")
    assert len({case.title for case in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case.file} {case.title}")
def test_no_variable_is_misjudged(case: Case) -> None:
    assert misjudged(case) == []


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case.file} {case.title}")
def test_a_template_renders_with_its_required_variables_and_without_none_of_them(
    case: Case,
) -> None:
    rendered(case, case.values)
    for name in case.required:
        fewer = {key: value for key, value in case.values.items() if key != name}
        if case.static:
            rendered(case, fewer)
        else:
            with pytest.raises(UndefinedError):
                rendered(case, fewer)


def test_a_wrong_truth_is_caught() -> None:
    case = next(case for case in CORPUS if case.required and case.optional)
    swapped = Case(
        case.file, case.title, case.name, case.texts, case.optional, case.required, case.given
    )

    assert misjudged(swapped) == sorted({*case.required, *case.optional})


def test_the_parts_that_are_asked_for_are_known() -> None:
    text = "{{ a.b.c }} {{ a['k'] }} {% for f in fields %}{{ f.name }}{% endfor %} {{ a[n] }}"
    library = Library((Shelf({"x.md.j2": text}),))

    schema = schema_of(library, library.find("x"))

    assert schema.variables["a"].parts == ("b", "b.c", "k")
    assert schema.variables["fields"].parts == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{{ x }}", "text"),
        ("{% for i in x %}{{ i }}{% endfor %}", "list"),
        ("{{ x.y }}", "object"),
        ("{% if x %}a{% endif %}", "flag"),
        ("{{ x | default('a') }}", "text"),
        ("{{ x | default([]) | join }}", "list"),
        ("{{ 1 if x == 2 }}", "any"),
        ("{# template\n[variables.x]\ntype = 'number'\n#}{{ x }}", "number"),
    ],
)
def test_the_type_of_a_variable_is_told_or_follows_from_its_uses(text: str, kind: str) -> None:
    library = Library((Shelf({"x.md.j2": text}),))

    assert schema_of(library, library.find("x")).variables["x"].type == kind


def test_the_same_text_is_read_once() -> None:
    library = Library()
    listed = library.find("design")

    assert schema_of(library, listed).variables is schema_of(library, listed).variables


def test_a_circle_of_tiers_ends() -> None:
    texts = {"a.md.j2": "{% extends 'b.j2' %}", "b.j2": "{% extends 'a.md.j2' %}{{ x }}"}
    library = Library((Shelf(texts),))

    assert schema_of(library, library.find("a")).required == ()


def test_what_a_template_names_is_found_however_deeply_it_is_nested() -> None:
    tree = parse("{{ " + "1 + " * 5000 + "1 }}{% extends 'a' %}{% include ['b', 'c'] %}")

    assert names_in(tree) == ["a", "b", "c"]
    assert parents_of(tree) == ["a"]
