"""Introspection agrees with the rendering, on templates that nobody wrote.

Conditions are about some variables and what is printed about others, so that no branch depends on
what a required variable says: then the required set is exact, and rendering can prove it.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from keyhole.templates.chain import Chain, UnreadableError
from keyhole.templates.environment import MeteredEnvironment
from keyhole.templates.files import examine
from keyhole.templates.introspect import introspect
from keyhole.templates.library import Library
from keyhole.templates.skeleton import skeleton_of
from keyhole.text.document import Document
from tests.templates.corpus import Shelf, cases

ASKED = st.sampled_from(["a", "b", "c"])
SHOWN = st.sampled_from(["x", "y", "z", "w"])

tests = st.recursive(
    st.one_of(
        ASKED,
        ASKED.map("{} is defined".format),
        ASKED.map("{} is not defined".format),
        ASKED.map("{} == 1".format),
        ASKED.map("{} != 1".format),
        ASKED.map("{} | length > 0".format),
        ASKED.map("'k' in {}".format),
        ASKED.map("{} | default(false)".format),
        ASKED.map("{} | default(true)".format),
    ),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map(lambda pair: "({}) and ({})".format(*pair)),
        st.tuples(inner, inner).map(lambda pair: "({}) or ({})".format(*pair)),
    ),
    max_leaves=3,
)
printed = st.one_of(
    SHOWN.map("{{{{ {} }}}}".format),
    SHOWN.map("{{{{ {}.part }}}}".format),
    SHOWN.map("{{{{ {} | default('d') }}}}".format),
    SHOWN.map("{{{{ {} | upper | d('d') }}}}".format),
    SHOWN.map("{{{{ {} or 'd' }}}}".format),
    SHOWN.map("{{{{ 'k' ~ {} }}}}".format),
    SHOWN.map("{{% set s = {} %}}".format),
    st.just("{{ s | default('d') }}"),
    st.tuples(SHOWN, tests, SHOWN).map(lambda t: "{{{{ {} if {} else {} }}}}".format(*t)),
    st.tuples(SHOWN, tests).map(lambda t: "{{{{ {} if {} }}}}".format(*t)),
)


def _branches(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(tests, inner).map(lambda t: "{{% if {} %}}{}{{% endif %}}".format(*t)),
        st.tuples(tests, inner, inner).map(
            lambda t: "{{% if {} %}}{}{{% else %}}{}{{% endif %}}".format(*t)
        ),
        st.tuples(tests, inner, tests, inner).map(
            lambda t: "{{% if {} %}}{}{{% elif {} %}}{}{{% endif %}}".format(*t)
        ),
        st.tuples(ASKED, inner, inner).map(
            lambda t: "{{% for i in {} %}}{}{{% else %}}{}{{% endfor %}}".format(*t)
        ),
        inner.map("{{% for i in [1] %}}{}{{% endfor %}}".format),
        st.tuples(inner, SHOWN).map(
            lambda t: "{{% macro m(x) %}}{}{{% endmacro %}}{{{{ m({}) }}}}".format(*t)
        ),
        st.tuples(inner, inner).map("".join),
    )


templates = st.recursive(printed, _branches, max_leaves=8)


class Word(str):
    """A text that can be looked into."""

    part = "p"
    __slots__ = ()


def renders(text: str, names: set[str]) -> bool:
    bench = MeteredEnvironment({"t.j2": text}.get)
    try:
        bench.get_template("t.j2").render(dict.fromkeys(names, Word("v")))
    except UndefinedError:
        return False
    return True


@settings(max_examples=400)
@given(templates)
def test_a_template_renders_with_the_required_set_and_with_nothing_less(text: str) -> None:
    schema = introspect(Chain("t.j2", (("t.j2", text),)))
    required = set(schema.required)

    assert renders(text, required)
    assert [name for name in required if renders(text, required - {name})] == []


def test_a_wrong_set_would_be_caught() -> None:
    assert not renders("{{ x }}{% if a %}{{ y }}{% endif %}", set())
    assert renders("{{ x }}{% if a %}{{ y }}{% endif %}", {"x"})


SOURCES = [text for case in cases() for text in case.texts.values()]


@settings(max_examples=200)
@given(st.sampled_from(SOURCES), st.integers(0, 400), st.integers(0, 12), st.text(max_size=4))
def test_a_damaged_template_is_read_or_said_to_be_unreadable(
    text: str, at: int, cut: int, put: str
) -> None:
    damaged = text[:at] + put + text[at + cut :]
    chain = Chain("t.j2", (("t.j2", damaged),))
    try:
        introspect(chain)
        skeleton_of(chain)
    except UnreadableError:
        with pytest.raises(UnreadableError):
            introspect(chain)


@settings(max_examples=200)
@given(
    st.sampled_from(["design", "worker", "own", "gone", "No!"]),
    st.text("abcdef01 =\n#<!->template\"'", max_size=60),
    st.text(max_size=80),
)
def test_no_file_makes_the_detection_fail(template: str, fields: str, rest: str) -> None:
    library = Library((Shelf({"own.md.j2": "{% block a %}\n{{ x }}\n{% endblock %}\n"}),))
    text = f"<!-- template={template} {fields} -->\n{rest}"

    for path in ("a.md", "a.py", "a.unknown"):
        found = examine(library, path, Document(text))
        assert found is None or found.header is not None
