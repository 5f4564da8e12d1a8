"""TOML is read at a cost that grows with its length, keys of many parts included."""

import tomllib

import pytest

from keyhole.text.toml import MOST_PARTS, LongKeyError, read_toml

PARTS = ["a", "'a'", '"a"', '"\\""']


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("around", ["{} = 1\n", "[{}]\n", "[[{}]]\n", "x = {{ {} = 1 }}\n"])
@pytest.mark.parametrize("dot", [".", " . ", "\t."])
def test_a_key_of_more_parts_than_anybody_writes_is_not_read(
    part: str, around: str, dot: str
) -> None:
    most, more = (around.format(dot.join([part] * n)) for n in (MOST_PARTS, MOST_PARTS + 1))

    assert read_toml(most) == tomllib.loads(most)
    with pytest.raises(LongKeyError, match=f"more than {MOST_PARTS} parts"):
        read_toml(more)


@pytest.mark.parametrize(
    "text", ["a = 1\n", "[a.b]\nc.d = [1.5, 2.5]\n", "# a . b\n", "a = '''\n'''"]
)
def test_other_texts_are_read_as_the_standard_library_reads_them(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


def test_floats_are_read_as_the_caller_says() -> None:
    assert read_toml("a = 1.25", parse_float=len) == {"a": 4}
