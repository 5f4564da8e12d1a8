from pathlib import Path

import pytest

from keyhole.surfaces.cli.grammar import Given, Usage, command
from keyhole.surfaces.cli.session import expected_hash, path_in
from tests.surfaces.cli.shell import Shell

GIVEN = Given(command("read"))


@pytest.mark.parametrize(
    ("spelling", "meant"),
    [
        ("a.txt", "a.txt"),
        ("sub/a.txt", "sub/a.txt"),
        ("./a.txt", "sub/deep/a.txt"),
        (".//a.txt", "sub/deep/a.txt"),
        ("././b/../a.txt", "sub/deep/b/../a.txt"),
        ("../a.txt", "sub/a.txt"),
        ("../../a.txt", "a.txt"),
        (".././../a.txt", "a.txt"),
        ("../../../a.txt", "../../../a.txt"),
        (".", "sub/deep"),
        ("..", "sub"),
        ("../..", "."),
        (".hidden", ".hidden"),
        ("..a", "..a"),
        ("/elsewhere/a.txt", "/elsewhere/a.txt"),
    ],
)
def test_a_path_that_begins_with_dots_is_relative_to_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str, meant: str
) -> None:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "sub" / "deep")

    assert path_in(GIVEN, str(tmp_path), spelling) == meant


@pytest.mark.parametrize("spelling", ["a.txt", "./a.txt", "../a.txt"])
def test_outside_the_root_every_path_is_relative_to_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    for name in ("root", "rooted"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "rooted")

    assert path_in(GIVEN, str(tmp_path / "root"), spelling) == spelling


def test_the_command_follows_the_rule(keyhole: Shell) -> None:
    keyhole.write("a.txt", "above\n")
    keyhole.write("sub/a.txt", "below\n")
    below = keyhole.root / "sub"
    read = ("read", "--root", "..", "--json")

    texts = [keyhole(*read, path, cwd=below).data["text"] for path in ("a.txt", "./a.txt")]

    assert texts == ["1| above", "1| below"]


def test_a_path_out_of_the_root_is_refused(keyhole: Shell) -> None:
    keyhole.write("sub/a.txt", "x\n")
    below = keyhole.root / "sub"

    done = keyhole("read", "../../a.txt", "--root", "..", "--json", cwd=below)

    assert done.refusal["code"] == "path-denied"


@pytest.mark.parametrize(
    ("values", "meant"),
    [
        ((), ""),
        (("a1",), "a1"),
        (("x.py=a1",), {"x.py": "a1"}),
        (("x.py=a1", "y=z.py=b2"), {"x.py": "a1", "y=z.py": "b2"}),
    ],
    ids=str,
)
def test_expected_hashes_are_one_or_one_for_each_path(
    values: tuple[str, ...], meant: object
) -> None:
    assert expected_hash(values) == meant


@pytest.mark.parametrize("values", [("a1", "b2"), ("x.py=a1", "b2")], ids=str)
def test_a_hash_that_could_be_any_files_is_a_usage_error(values: tuple[str, ...]) -> None:
    with pytest.raises(Usage):
        expected_hash(values)
