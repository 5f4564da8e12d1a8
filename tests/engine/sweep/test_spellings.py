import pytest

from keyhole.engine.sweep.spellings import is_name, spellings, stands_alone


@pytest.mark.parametrize("old", ["old_name", "oldName", "OldName", "OLD_NAME", "old-name"])
def test_a_name_in_any_spelling_changes_in_every_spelling(old: str) -> None:
    known = spellings(old, "FreshName")

    assert known[old] == "FreshName"
    assert {spelt: known[spelt] for spelt in known if spelt != old} == {
        spelt: new
        for spelt, new in {
            "old_name": "fresh_name",
            "oldName": "freshName",
            "OldName": "FreshName",
            "OLD_NAME": "FRESH_NAME",
            "old-name": "fresh-name",
            "OLD-NAME": "FRESH-NAME",
        }.items()
        if spelt != old
    }


def test_the_spelling_that_is_given_wins() -> None:
    assert spellings("load", "readAll") == {
        "load": "readAll",
        "Load": "ReadAll",
        "LOAD": "READ_ALL",
    }


def test_words_are_told_by_capitals_and_digits() -> None:
    known = spellings("HTTPServer2", "web_host")

    assert (known["http_server2"], known["httpServer2"]) == ("web_host", "webHost")


def test_underscores_around_a_name_stay() -> None:
    assert spellings("_old_name", "_fresh")["_OldName"] == "_Fresh"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("old_name", True),
        ("größe", True),
        ("a-b", True),
        ("2a", False),
        ("_", False),
        ("a b", False),
    ],
)
def test_a_name_is_one_word_or_several(text: str, *, expected: bool) -> None:
    assert is_name(text) is expected


@pytest.mark.parametrize(
    ("text", "boundary", "path", "expected"),
    [
        ("get name()", "word", "a.py", True),
        ("my_name", "word", "a.py", False),
        ("names", "word", "a.py", False),
        ("$name", "word", "a.js", True),
        ("$name", "identifier", "a.js", False),
        ("$name", "identifier", "a.py", True),
        ("--name-x", "identifier", "a.css", False),
        ("--name-x", "word", "a.css", True),
        ("my_name", "", "a.py", True),
    ],
)
def test_a_boundary_keeps_longer_names_apart(
    text: str, boundary: str, path: str, *, expected: bool
) -> None:
    start = text.index("name")

    assert stands_alone(text, start, start + 4, boundary, path) is expected
