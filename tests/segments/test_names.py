import pytest

from keyhole.segments.names import name_parts, nearest_names, tag_name, words_of


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("run", ("run",)),
        ("'quoted-name'", ("quoted-name",)),
        ("ns::Shape<T>::run", ("ns", "Shape", "run")),
        ("M:method", ("M", "method")),
        ("App.Worker", ("App", "Worker")),
        ("module.exports.run", ("run",)),
        ("Foo.prototype.go", ("Foo", "go")),
        ("(*pointer(int a))", ("pointer",)),
        ("operator==", ("operator==",)),
        ("~Shape", ("~Shape",)),
        ("[Symbol.iterator]", ("[Symbol.iterator]",)),
        ("", ()),
        ("x" * 300, ()),
    ],
)
def test_a_name_has_the_parts_that_code_gives_it(written: str, parts: tuple[str, ...]) -> None:
    assert name_parts(written, splits=True) == parts


def test_names_of_keys_are_not_split() -> None:
    assert name_parts('"a.b"', splits=False) == ("a.b",)
    assert name_parts("", splits=False) == ()


def test_the_words_of_a_header_are_its_labels() -> None:
    assert words_of('resource "aws_instance" "web" {') == ("resource", "aws_instance", "web")


def test_an_element_is_called_by_its_id_or_by_a_tag_that_stands_out() -> None:
    assert tag_name('<div class="x" id="main">') == ("#main",)
    assert tag_name("<BODY>") == ("body",)
    assert tag_name("<p>") == ()


def test_near_names_come_nearest_first_and_far_ones_not_at_all() -> None:
    names = ["process", "processed", "zebra", "proces", "process"]

    assert nearest_names("proces", names, 2) == ("proces", "process")
    assert nearest_names("qqq", names, 5) == ()
