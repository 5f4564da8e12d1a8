import pytest

from keyhole.refusals import Refusal, Refused
from keyhole.templates.library import Library
from keyhole.templates.render import RenderRequest, scaffold
from tests.templates.corpus import Shelf

MOMENT = "2026-03-01T12:00:00Z"


def made(text: str, /, path: str = "a.txt", **variables: object) -> str:
    library = Library((Shelf({"x.txt.j2": text}),))
    return scaffold(library, RenderRequest("x", path, variables, MOMENT))


def refusal(text: str, **variables: object) -> Refusal:
    with pytest.raises(Refused) as refused:
        made(text, "a.txt", **variables)
    [found] = refused.value.refusals
    return found


def test_a_file_begins_with_its_header() -> None:
    lines = made("Hello {{ name }}\n", name="you").split("\n")

    assert lines[0] == "# a.txt"
    assert lines[1].startswith("# template=x version=")
    assert lines[1].endswith(f" created={MOMENT} updated=")
    assert lines[2:] == ["Hello you", ""]


def test_a_header_goes_behind_a_shebang_and_a_coding_line() -> None:
    text = made("#!/bin/sh\n# -*- coding: utf-8 -*-\necho {{ x }}\n", path="a.sh", x=1)

    assert text.split("\n")[:3] == ["#!/bin/sh", "# -*- coding: utf-8 -*-", "# a.sh"]


def test_a_header_goes_behind_front_matter() -> None:
    text = made("---\ntitle: {{ x }}\n---\n\nBody\n", path="a.md", x=1)

    assert text.split("\n")[:4] == ["---", "title: 1", "---", "<!-- a.md -->"]


def test_a_file_type_without_comments_has_no_header() -> None:
    assert made('{"a": {{ x }}}\n', path="a.json", x=1) == '{"a": 1}\n'


def test_a_header_that_the_template_writes_is_not_written_twice() -> None:
    text = made("{{ scaffold_header }}\nBody\n")

    assert text.count("template=x") == 1


def test_missing_unknown_and_mistyped_variables_are_one_refusal() -> None:
    text = "{{ a }}{{ b.c }}{% for i in items %}{{ i }}{% endfor %}"

    found = refusal(text, items="text", other=1)

    assert found.code == "template-variables"
    assert found.headline == (
        "template `x`: missing a, b; unknown other; `items` is text, not list"
    )
    assert found.data["artifact_type"] == "x"
    assert found.data["schema"] == {"required": ["a", "b"], "optional": ["items"]}
    assert found.data["validation"] == {
        "missing": ["a", "b"],
        "provided": ["items", "other"],
        "unknown": ["other"],
        "mistyped": {"items": "text, not list"},
    }


def test_a_variable_that_another_one_asks_for_is_a_refusal_too() -> None:
    found = refusal("{% if queue %}{{ size }}{% endif %}", queue="q")

    assert found.code == "template-variables"
    assert found.headline == ("template `x`, with what is given, also needs: 'size' is undefined")
    assert found.data["validation"] == {
        "missing": [],
        "provided": ["queue"],
        "unknown": [],
        "mistyped": {},
        "needed": ["size"],
    }


def test_bug_33_a_list_is_never_written_as_python_would_show_it() -> None:
    found = refusal("Scope: {{ scope }}", scope=["a", "b"])

    assert found.headline == "template `x`: `scope` is list, not text"


def test_a_part_that_is_missing_is_named() -> None:
    found = refusal("{{ user.name }}", user={"mail": "x"})

    assert found.headline.endswith("'dict object' has no attribute 'name'")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ (1).__class__.__bases__[0].__subclasses__() }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ x.__init__.__globals__ }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    ],
)
def test_a_template_cannot_leave_the_sandbox(text: str) -> None:
    assert refusal(text, **({"x": "y"} if "{{ x" in text else {})).code in {
        "bad-request",
        "template-variables",
    }


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 1000000000 }}",
        "{{ 10 ** 100000000 }}",
        "{{ 'x'.center(1000000000) }}",
        "{{ '{:>1000000000}'.format(1) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ 'x' | indent(1000000000, true) }}",
        "{% set x = 'x' * 1000 %}" + "{% set x = x ~ x %}" * 40 + "{{ x }}",
        (
            "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}"
            "{{ m(40) }}"
        ),
        "{% set d = dict(a=1) %}" + "{% for a in range(9000) %}" * 3 + "x" + "{% endfor %}" * 3,
        "{% for a in range(99999) %}{{ 'x' * 99 }}{% endfor %}",
    ],
)
def test_a_template_that_never_ends_or_fills_the_memory_is_stopped(text: str) -> None:
    assert refusal(text).code == "too-large"


def test_a_template_that_includes_itself_is_refused() -> None:
    found = refusal("{% include 'x.txt.j2' %}")

    assert (found.code, found.headline) == (
        "template-unknown",
        "template `x` cannot be used: it never ends",
    )


def test_a_template_that_jinja_cannot_read_says_where() -> None:
    found = refusal("ok\n{% if %}\n")

    assert found.code == "template-unknown"
    assert found.headline.startswith("template `x` cannot be used: x.txt.j2, line 2: ")


def test_what_a_template_needs_and_has_not_is_said() -> None:
    assert refusal("{% include 'gone.j2' %}").headline == (
        "template `x` cannot be used: it needs gone.j2, which is not there"
    )


def test_a_mistake_of_the_template_is_a_refusal() -> None:
    assert refusal("{{ 1 // 0 }}").code == "template-unknown"


def test_a_line_that_holds_only_a_tag_leaves_no_line() -> None:
    text = "a\n{% for x in xs %}\n- {{ x }}\n{% endfor %}\nb\n"

    assert made(text, "a.json", xs=[1, 2]) == "a\n- 1\n- 2\nb\n"


def test_a_template_that_says_where_lines_end_is_read_as_jinja_reads_it() -> None:
    text = "a\n{%- for x in xs %}\n- {{ x }}\n{%- endfor %}\nb\n"

    assert made(text, "a.json", xs=[1, 2]) == "a\n- 1\n- 2\nb\n"


@pytest.mark.parametrize(("trim", "lines"), [("true", "ab\n"), ("false", "a\n\nb\n")])
def test_the_metadata_decides_about_lines(trim: str, lines: str) -> None:
    text = f"{{# template\ntrim = {trim}\n#}}\na\n{{%- if true %}}\n{{% endif %}}\nb\n"

    assert made(text, "a.json") == lines


def test_defaults_of_the_metadata_are_filled_in() -> None:
    text = "{# template\n[variables.who]\ndefault = 'world'\n#}\nHello {{ who }}\n"

    assert made(text).endswith("\nHello world\n")
    assert made(text, who="you").endswith("\nHello you\n")


def test_the_version_is_that_of_the_whole_chain() -> None:
    def version(base: str) -> str:
        texts = {"x.txt.j2": "{% extends 'b.j2' %}", "b.j2": base}
        text = scaffold(Library((Shelf(texts),)), RenderRequest("x", "a.txt", {}, MOMENT))
        return text.partition("version=")[2].partition(" ")[0]

    assert version("one") != version("two")
    assert len(version("one")) == 8
    assert int(version("one"), 16) >= 0
