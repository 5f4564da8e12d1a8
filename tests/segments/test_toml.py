import tomllib
from collections.abc import Iterator

import pytest

from tests.segments.reading import (
    addresses,
    assert_lawful,
    lines,
    part,
    read,
    refusal,
    segment,
    whole,
)

EVERYTHING = """\
bare = 1
"quoted key" = 'a = b'
dotted.key . deep = true
when = 1979-05-27 07:32:00Z
float = +1.5e3
text = \"\"\"
[not.a.table]
x = 1 # no comment\"\"\"
raw = '''
''two quotes''
'''
array = [ 1, [2, 3], # comment ]
  "]", ]
[table] # comment
inline = { a = 1, b = { c = "}" }, d = [{ e = 1 }, { f = 2 }] }
empty = {}
[ spaced . "quoted.name" ]
[[things]]
name = "one"
[things.sub]
x = 1
[[things.parts]]
y = 1
[[things]]
name = "two"
"""


def paths(data: object, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path that the standard library's reader knows."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*above, key)
            yield from paths(value, (*above, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            if isinstance(value, dict | list):
                yield (*above, str(number))
                yield from paths(value, (*above, str(number)))


def test_every_path_the_standard_reader_knows_is_found() -> None:
    outline = read("a.toml", EVERYTHING)
    ours = {one.path[:depth] for one in outline.segments for depth in range(1, len(one.path) + 1)}

    assert ours == set(paths(tomllib.loads(EVERYTHING)))
    assert outline.unreadable == ()
    assert_lawful(outline, EVERYTHING)


def test_the_body_of_a_key_is_its_value() -> None:
    assert part("a.toml", EVERYTHING, "when", "body") == "1979-05-27 07:32:00Z"
    assert part("a.toml", EVERYTHING, "array", "body").endswith('"]", ]')
    assert part("a.toml", EVERYTHING, "table.inline.b.c", "body") == '"}"'


def test_a_table_reaches_from_its_header_to_its_last_key() -> None:
    text = "# about a\n[a]\nx = 1\n\ny = 2 # two\n\n# about b\n[b]\n\n[c]\n"

    assert whole("a.toml", text, "a") == "[a]\nx = 1\n\ny = 2 # two\n"
    assert part("a.toml", text, "a", "heading") == "[a]\n"
    assert part("a.toml", text, "a", "body") == "x = 1\n\ny = 2 # two\n"
    assert segment("a.toml", text, "b").parts["body"] == (text.index("[b]") + 4,) * 2


@pytest.mark.parametrize(
    "broken",
    ["x = = 1", "x =", "= 1", "x = [1,", "x = {a = 1", 'x = """', "x = 'a", "x 1"],
)
def test_a_broken_line_hides_no_other(broken: str) -> None:
    text = f"before = 1\n{broken}\nafter = 2\n"

    assert {"before", "after"} <= set(addresses("a.toml", text))
    assert read("a.toml", text).unreadable == ((2, 2),)


@pytest.mark.parametrize("header", ["[b", "b]", "[b]]x", "[[b.c"])
def test_below_a_broken_header_no_key_is_certain(header: str) -> None:
    text = f"[a]\nx = 1\n{header}\ny = 2\n\n[c]\nz = 3\n"

    assert addresses("a.toml", text) == ["a", "a.x", "c", "c.z"]
    assert read("a.toml", text).unreadable == ((3, 4),)


def test_a_key_in_a_broken_line_is_unparsable() -> None:
    assert refusal("a.toml", "a = 1\nname = = 2\n", "name").code == "unparsable"


def test_arrays_that_never_close_take_no_time() -> None:
    text = "a = [\n" * 3_000

    assert addresses("a.toml", text) == []


def test_arrays_nested_without_end_are_one_value() -> None:
    text = "a = " + "[" * 3_000 + "]" * 3_000 + "\n"

    assert lines("a.toml", text)["a"] == (1, 1)


def test_the_last_line_may_lack_its_end() -> None:
    assert whole("a.toml", "[a]\nx = 1", "a") == "[a]\nx = 1"
