from keyhole.edits.checks.syntax.jinja import jinja_problems


def test_tags_come_in_pairs() -> None:
    assert jinja_problems("{% block a %}{% macro b() %}{% endmacro %}{% endblock a %}\n") == ()


def test_a_tag_without_its_other_half_is_a_problem() -> None:
    opened = jinja_problems("{% block a %}\n")
    closed = jinja_problems("{% macro a() %}{% endblock %}{% endmacro %}")

    assert [each.message for each in opened] == ["`{% block a %}` lacks its other half"]
    assert [each.start for each in closed] == [15]
