import pytest
from jinja2 import Environment, nodes

from keyhole.templates.chain import constants


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('"a"', ["a"]),
        ("1", []),
        ('["a", "b"]', ["a", "b"]),
        ('["a", x]', ["a"]),
        ('("a", "b" if x else "c")', ["a", "b", "c"]),
        ('"a" if x', ["a"]),
        ("x", []),
    ],
)
def test_the_names_that_an_expression_can_have(expression: str, names: list[str]) -> None:
    (included,) = Environment().parse(f"{{% include {expression} %}}").find_all(nodes.Include)

    assert list(constants(included.template)) == names
