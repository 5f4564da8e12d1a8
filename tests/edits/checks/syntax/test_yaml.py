import pytest

from keyhole.edits.checks.syntax.config import yaml_problems


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        "a: 1\nb: [x, {y: z}]\n",
        "a: &x 1\nb: *x\n",
        "a: 1\n---\na: 2\n",
        "<<: *x\n<<: *y\n".replace("*x", "{a: 1}").replace("*y", "{b: 2}"),
        "- a: 1\n- a: 2\n",
        "a: '*no'\n",
        "a: 1\r\nb: 2\r\n",
        "run: |\n  \ttab\n  *x\n",
    ],
)
def test_sound_yaml_has_no_problems(text: str) -> None:
    assert yaml_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", 10, "the key `a` is there twice"),
        ("\"a\": 1\n'a': 2\n", 7, "the key `a` is there twice"),
        ("x: {a: 1, a: 2}\n", 10, "the key `a` is there twice"),
        ("b: *x\na: &x 1\n", 4, "no anchor `x` above this alias"),
        ("a: &x 1\n---\nb: *x\n", 16, "no anchor `x` above this alias"),
    ],
)
def test_names_that_clash_or_mean_nothing_are_told(text: str, start: int, message: str) -> None:
    assert [(each.start, each.message) for each in yaml_problems(text)] == [(start, message)]


@pytest.mark.parametrize(
    "text", ["a: [1\n", "a: b: c\n", "a:\n\tb: 1\n", "a: 'x\n", "a:\n    b: 1\n  c: 2\n"]
)
def test_what_the_grammar_does_not_fit_is_told(text: str) -> None:
    assert len(yaml_problems(text)) == 1
