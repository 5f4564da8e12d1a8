import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def tree(keyhole: Shell) -> Shell:
    keyhole.write("a.py", "def load():\n    retries = 3\n    return retries\n")
    keyhole.write("docs/b.md", "# Retries\n\nretries are 3\n")
    keyhole.write("ignored.log", "retries\n")
    keyhole.write(".gitignore", "*.log\n")
    return keyhole


def test_a_line_a_hit_with_its_segment(tree: Shell) -> None:
    done = tree.ok("search", "retries")

    assert done.out == (
        "a.py:2:5:     retries = 3  [load]\n"
        "a.py:3:12:     return retries  [load]\n"
        "docs/b.md:3:1: retries are 3  [Retries]\n"
    )


def test_text_and_json_say_the_same(tree: Shell) -> None:
    data = tree.ok("search", "retries", "--json").data
    text = tree.ok("search", "retries").out

    rows = [
        f"{hit['path']}:{hit['line']}:{hit['column']}: {hit['text']}  [{hit['segment']}]\n"
        for hit in data["hits"]
    ]
    assert (data["total"], text) == (3, "".join(rows))


@pytest.mark.parametrize(
    ("words", "places"),
    [
        (["retries", "docs"], ["docs/b.md:3"]),
        (["retries", "--glob", "*.py"], ["a.py:2", "a.py:3"]),
        ([r"retr\w+ = \d", "--regex"], ["a.py:2"]),
        (["retries", "--limit", "1"], ["a.py:2"]),
        (["nothing of the kind"], []),
        (["--", "-1"], []),
    ],
    ids=str,
)
def test_a_search_goes_where_it_is_told(tree: Shell, words: list[str], places: list[str]) -> None:
    data = tree.ok("search", "--json", *words).data

    assert [f"{hit['path']}:{hit['line']}" for hit in data["hits"]] == places


def test_context_is_shown_around_a_hit(tree: Shell) -> None:
    done = tree.ok("search", "return", "--context", "1", "--glob", "*.py")

    assert done.out == "a.py-2-     retries = 3\na.py:3:5:     return retries  [load]\n"


def test_nothing_found_is_an_answer(tree: Shell) -> None:
    done = tree.ok("search", "nothing of the kind")

    assert done.out == "nothing found\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [(["["], "bad-regex"), ([""], "bad-request"), (["(?<=a)b"], "bad-regex")],
    ids=str,
)
def test_a_search_for_nothing_sensible_is_refused(tree: Shell, words: list[str], code: str) -> None:
    assert tree("search", *words, "--regex", "--json").refusal["code"] == code


def test_a_pattern_that_is_no_text_finds_what_is_none(keyhole: Shell) -> None:
    keyhole.write("a.txt", b"caf\xe9\n")

    assert keyhole.ok("search", b"f\xe9", "--regex", "--json").data["total"] == 1
