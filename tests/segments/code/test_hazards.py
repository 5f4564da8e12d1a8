import pytest

from keyhole.segments.code.parser import is_beyond_parsing, is_hazard
from tests.segments.reading import read

DEEP = {
    "a.yaml": "".join(" " * depth + "a:\n" for depth in range(300)),
    "b.yaml": "- " * 300 + "a\n",
    "a.kt": "val x = " + '"${' * 600,
    "b.kt": "val x = " + '"""${' * 600,
    "a.swift": "/*" * 300,
}
# What takes a grammar minutes: each is a text of one kind in a file of another.
SLOW = {
    "a.css": "a:" * 50_000,
    "a.sh": ")(" * 50_000,
    "a.lua": '{"a": 1, "b": [1, "2"]},\n' * 5_000,
}
SLOW_PARSERS = {"a.css": "css", "a.sh": "bash", "a.lua": "lua"}
FLAT = {
    "a.yaml": "a:\n" + "".join(f"  b{number}: 1\n" for number in range(300)),
    "a.kt": 'val x = "${y}"\n' * 600,
    "b.kt": "fun f() {}\n" * 10 + 'val x = "$y {"\n' * 600,
    "a.swift": "/* a */ func f() {}\n" * 300,
}


@pytest.mark.parametrize("path", DEEP)
def test_a_text_that_would_kill_the_parser_is_unreadable_and_harmless(path: str) -> None:
    text = DEEP[path]

    outline = read(path, text)

    assert outline.segments == ()
    assert outline.unreadable == ((1, text.count("\n") or 1),)


@pytest.mark.parametrize("path", SLOW)
def test_a_text_that_would_keep_the_parser_busy_is_unreadable(path: str) -> None:
    text = SLOW[path]

    outline = read(path, text)

    assert is_beyond_parsing(SLOW_PARSERS[path], text)
    assert outline.segments == ()
    assert outline.unreadable == ((1, text.count("\n") or 1),)


@pytest.mark.parametrize("path", FLAT)
def test_a_long_text_is_no_hazard(path: str) -> None:
    assert len(read(path, FLAT[path]).segments) >= 100


def test_other_languages_know_no_hazard() -> None:
    assert not is_hazard("json", "[" * 10_000)
    assert read("a.json", "[" * 10_000).unreadable == ((1, 1),)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "function f(){}" * 3_000),
        ("a.json", "{" + ",".join('"a":1' for _ in range(3_000)) + "}"),
        ("a.toml", "a = {" + ",".join(f"b{number} = 1" for number in range(3_000)) + "}"),
    ],
)
def test_a_line_of_thousands_of_segments_is_read(path: str, text: str) -> None:
    assert len(read(path, text).segments) >= 3_000
