import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def past(keyhole: Shell) -> Shell:
    """Three edits of three lines, the middle one in a task."""
    keyhole.write("a.txt", "a\nb\nc\n")
    keyhole.ok("edit", "a.txt", "--lines", "1", "--content", "A")
    keyhole.ok("edit", "a.txt", "--lines", "2", "--content", "B", "--task", "t")
    keyhole.ok("edit", "a.txt", "--lines", "3", "--content", "C")
    return keyhole


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ([], "A\nB\nc\n"),
        (["1"], "a\nB\nC\n"),
        (["1", "--edit", "0"], "a\nB\nC\n"),
        (["1", "--path", "./a.txt"], "a\nB\nC\n"),
        (["--task", "t"], "A\nb\nC\n"),
        (["--to", "1"], "A\nb\nc\n"),
        (["2", "--dry-run"], "A\nB\nC\n"),
    ],
    ids=str,
)
def test_what_is_named_is_taken_back(past: Shell, words: list[str], after: str) -> None:
    receipt = past.ok("undo", "--json", *words).data

    assert receipt["ok"]
    assert past.read("a.txt").decode() == after


def test_a_path_that_starts_with_a_dot_is_below_the_current_directory(past: Shell) -> None:
    past.write("sub/b.txt", "b\n")
    past.ok("edit", "sub/b.txt", "--lines", "1", "--content", "B")

    done = past("undo", "--root", "..", "4", "--path", "./b.txt", cwd=past.root / "sub")

    assert done.code == 0, done
    assert past.read("sub/b.txt") == b"b\n"


def test_an_undo_says_why_and_what_it_undoes(past: Shell) -> None:
    past.ok("undo", "1", "--reason", "it was right")

    newest, *_, oldest = past.ok("history", "--json").data["transactions"]
    assert (newest["undoes"], newest["reason"]) == ([oldest["id"]], "it was right")
    assert oldest["undone_by"] == [newest["id"]]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["99"], "nothing-to-undo"),
        (["--actor", "somebody else"], "nothing-to-undo"),
        (["1", "--task", "t"], "bad-request"),
        (["--edit", "0"], "bad-request"),
        (["1", "--read-only"], "read-only"),
    ],
    ids=str,
)
def test_what_cannot_be_taken_back_is_refused(past: Shell, words: list[str], code: str) -> None:
    assert past("undo", "--json", *words).refusal["code"] == code
    assert past.read("a.txt") == b"A\nB\nC\n"


def test_an_undo_that_overlaps_later_edits_is_refused(past: Shell) -> None:
    past.ok("edit", "a.txt", "--find", "A", "--content", "AA")

    assert past("undo", "1", "--json").refusal["code"] == "undo-conflict"


def test_redo_takes_the_last_undo_back(past: Shell) -> None:
    past.ok("undo")

    past.ok("redo", "--reason", "after all")

    assert past.read("a.txt") == b"A\nB\nC\n"


@pytest.mark.parametrize("name", ["1", "4"])
def test_redo_takes_the_undo_or_what_it_undid(past: Shell, name: str) -> None:
    past.ok("undo", "1")

    dry = past.ok("redo", name, "--dry-run", "--json").data
    past.ok("redo", name)

    assert dry["outcome"] == "verified"
    assert past.read("a.txt") == b"A\nB\nC\n"


@pytest.mark.parametrize("words", [[], ["1"], ["99"]], ids=" ".join)
def test_redo_never_undoes_an_edit(past: Shell, words: list[str]) -> None:
    assert past("redo", *words, "--json").refusal["code"] == "nothing-to-undo"
    assert past.read("a.txt") == b"A\nB\nC\n"


@pytest.mark.parametrize("words", [[""], ["--task", ""], ["--to", ""], ["--path", ""]], ids=str)
def test_an_empty_name_is_not_the_last_transaction(past: Shell, words: list[str]) -> None:
    done = past("undo", *words)

    assert (done.code, done.out, past.read("a.txt")) == (2, "", b"A\nB\nC\n")
