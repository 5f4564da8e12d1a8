import json
from pathlib import Path

import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def src(keyhole: Shell) -> Path:
    """A directory of a repository, with a file that is also there above."""
    keyhole.write(".git/HEAD", "ref: refs/heads/main\n")
    keyhole.write("app.py", "a = 1\n")
    return keyhole.write("src/app.py", "a = 1\n").parent


def test_an_edit_in_a_subdirectory_lands_in_the_history_of_the_repository(
    keyhole: Shell, src: Path
) -> None:
    done = keyhole("edit", "app.py", "--find", "1", "--content", "2", "--json", cwd=src)
    seen = keyhole("history", "--json").data["transactions"]

    assert (done.code, done.data["root"]) == (0, str(keyhole.root))
    assert [each["path"] for each in done.data["files"]] == ["src/app.py"]
    assert (keyhole.read("app.py"), keyhole.read("src/app.py")) == (b"a = 1\n", b"a = 2\n")
    assert [each["id"] for each in seen] == [done.data["transaction"]]


def test_the_answer_names_a_root_that_is_not_the_current_directory(
    keyhole: Shell, src: Path
) -> None:
    words = ("edit", "app.py", "--find", "1", "--content", "2")
    told = keyhole(*words, "--dry-run", cwd=src)
    refused = keyhole("edit", "app.py", "--find", "7", "--content", "2", cwd=src)
    read = keyhole("read", "app.py", cwd=src)
    above = keyhole(*words, "--dry-run")

    line = f"root: {keyhole.root}\n"
    assert [each.out.endswith(line) for each in (told, refused, read)] == [True] * 3
    assert "root: " not in above.out
    assert "root" not in keyhole(*words, "--dry-run", "--json").data


@pytest.mark.parametrize("spelling", ["app.py", "./app.py", "../src/app.py"])
def test_paths_are_relative_to_the_current_directory(
    keyhole: Shell, src: Path, spelling: str
) -> None:
    keyhole.write("src/app.py", "inner\n")

    done = keyhole("read", spelling, "--json", cwd=src)

    assert done.data["path"] == "src/app.py"


def test_so_are_the_paths_of_a_request(keyhole: Shell, src: Path) -> None:
    edits = [{"path": "app.py", "find": "1", "content": "2"}]
    hashes = {"app.py": keyhole("read", "app.py", "--json", cwd=src).data["hash"]}
    for request in ({"edits": edits}, {"path": "app.py", "edits": [{"find": "2", "content": "3"}]}):
        done = keyhole("edit", "--request", "-", feed=json.dumps(request), cwd=src)
        assert done.code == 0, done

    hashed = f"app.py={hashes['app.py']}"
    stale = keyhole(
        *("write", "app.py", "--content", "x", "--json", "--expected-hash", hashed), cwd=src
    )
    assert (keyhole.read("app.py"), keyhole.read("src/app.py")) == (b"a = 1\n", b"a = 3\n")
    assert stale.refusal["code"] == "stale"


def test_a_root_that_is_named_keeps_its_paths(keyhole: Shell, src: Path) -> None:
    done = keyhole("read", "app.py", "--root", "..", "--json", cwd=src)

    assert done.data["path"] == "app.py"
    assert "root" not in done.data


def test_what_a_refusal_offers_can_be_pasted_where_it_was_read(keyhole: Shell, src: Path) -> None:
    body = "def load(path):\n    at = open(path, 'rb')\n    text = at.read()\n    return text\n"
    keyhole.write("src/app.py", body)
    quote = body.replace("'rb'", "'rt'")
    new = quote.replace("return text", "return text.strip()")
    refused = keyhole("edit", "app.py", "--find", quote, "--content", new, cwd=src)
    [line] = [each for each in refused.out.split("\n") if "--accept" in each]
    command = line.partition("`keyhole ")[2].partition("`")[0].split()

    assert keyhole(*command, cwd=src).code == 0
    assert keyhole.read("src/app.py") == body.replace("return text", "return text.strip()").encode()


def test_the_home_directory_has_to_be_named(keyhole: Shell) -> None:
    home = keyhole.base / "home"
    (home / "a.txt").write_text("one\n", encoding="utf-8")
    words = ("edit", "a.txt", "--find", "one", "--content", "two")

    refused = keyhole(*words, "--json", cwd=home)
    named = keyhole(*words, "--root", ".", cwd=home)

    assert refused.refusal["code"] == "path-denied"
    assert named.code == 0
