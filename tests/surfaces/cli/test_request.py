import json

import pytest

from tests.surfaces.cli.shell import Data, Shell


def send(keyhole: Shell, request: object, *flags: str) -> Data:
    return keyhole("edit", "--request", "-", "--json", *flags, feed=json.dumps(request)).data


def refused(keyhole: Shell, request: object) -> Data:
    done = keyhole("edit", "--request", "-", "--json", feed=json.dumps(request))
    return [(one["code"], one["edit"], one["message"]) for one in done.data["refusals"]]


def test_a_request_edits_several_files_as_one_transaction(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.write("b.txt", "two\n")
    edits = [
        {"find": "one", "content": "1", "reason": "shorter"},
        {"path": "b.txt", "find": "two", "content": "2"},
    ]

    receipt = send(keyhole, {"path": "a.txt", "edits": edits, "reason": "digits", "task": "t"})

    assert (keyhole.read("a.txt"), keyhole.read("b.txt")) == (b"1\n", b"2\n")
    assert [file["path"] for file in receipt["files"]] == ["a.txt", "b.txt"]
    [past] = keyhole.ok("history", "--json").data["transactions"]
    assert (past["id"], past["reason"], past["task"]) == (receipt["transaction"], "digits", "t")


def test_a_request_comes_from_a_file_too(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    request = keyhole.base / "request.json"
    body = '{"path": "a.txt", "edits": [{"find": "one", "content": "zwö"}], "detail": "full"}'
    request.write_bytes(b"\xef\xbb\xbf" + body.encode())

    done = keyhole.ok("edit", "--request", str(request), "--json")

    assert "diff" in done.data["files"][0]
    assert keyhole.read("a.txt").decode() == "zwö\n"


def test_every_option_of_a_request_counts(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    edits = [{"path": "a.txt", "find": "one", "content": "two"}]

    dry = send(keyhole, {"edits": edits, "dry_run": True})
    verified = send(keyhole, {"edits": edits, "mode": "verify_only", "on_conflict": "warn"})
    stale = send(keyhole, {"edits": edits, "expected_hash": {"a.txt": "0" * 16}})
    also_stale = send(keyhole, {"edits": edits, "expected_hash": "0" * 16})

    assert (dry["outcome"], verified["outcome"]) == ("verified", "verified")
    codes = [answer["refusals"][0]["code"] for answer in (stale, also_stale)]
    assert codes == ["stale", "stale"]


def test_a_flag_wins_over_the_request(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    edits = [{"path": "a.txt", "find": "one", "content": "two"}]
    request = {"edits": edits, "task": "theirs", "reason": "kept", "expected_hash": "0" * 16}
    version = keyhole.ok("read", "a.txt", "--json").data["hash"]

    send(keyhole, request, "--task", "ours", "--expected-hash", version)

    [past] = keyhole.ok("history", "--json").data["transactions"]
    assert (past["task"], past["reason"]) == ("ours", "kept")


def test_a_dry_run_by_flag_or_request_is_a_dry_run(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    request = {"edits": [{"path": "a.txt", "find": "one", "content": "two"}], "dry_run": False}

    assert send(keyhole, request, "--dry-run")["dry_run"]
    assert keyhole.read("a.txt") == b"one\n"


def test_every_malformed_edit_is_named_at_once(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    edits = [{"find": "one"}, {"find": "one", "content": "1"}, {"fnd": "one", "content": "1"}]

    found = refused(keyhole, {"path": "a.txt", "edits": edits})

    assert found == [
        ("bad-request", 0, "`content` is missing"),
        ("bad-request", 2, "unknown field `fnd`"),
    ]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"edits": [], "colour": 1}, "unknown argument `colour`"),
        ({"path": "a.txt"}, "`edits` is missing"),
        ({"edits": 5}, "`edits` is not a list"),
        ({"edits": ["x"]}, "`edits` must hold objects, one an edit"),
        ({"edits": []}, "`edits` is empty"),
        ({"edits": [], "path": True}, "`path` is True; it is text"),
        ({"edits": [], "dry_run": "perhaps"}, "`dry_run` is 'perhaps'; it is true or false"),
        ({"edits": [], "detail": "long"}, "`detail` is 'long'; it is one of brief, full"),
        (
            {"edits": [], "mode": "loose"},
            "`mode` is 'loose'; it is one of strict, interactive, verify_only",
        ),
        (
            {"edits": [], "expected_hash": True},
            "`expected_hash` is neither a hash nor an object of path: hash",
        ),
        ([1], "the request is not a JSON object"),
    ],
    ids=str,
)
def test_a_malformed_request_is_refused_by_name(
    keyhole: Shell, request_: object, said: str
) -> None:
    [(code, _, message)] = refused(keyhole, request_)

    assert (code, message) == ("bad-request", said)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "the request is not JSON: Expecting property name enclosed in double quotes at"),
        (b"", "the request is not JSON: Expecting value at line 1, column 1"),
        (b"\xff", "the request is not UTF-8 at byte 0"),
        (b"[" * 100_000, "the request is not JSON: it is nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "the request is not JSON: a number has too many digits"),
    ],
    ids=["cut", "empty", "bytes", "deep", "digits"],
)
def test_a_body_that_is_no_json_is_refused(keyhole: Shell, body: bytes, said: str) -> None:
    refusal = keyhole("edit", "--request", "-", "--json", feed=body).refusal

    assert refusal["code"] == "bad-request"
    assert refusal["message"].startswith(said)


def test_paths_of_a_request_are_relative_to_the_root(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.write("sub/a.txt", "one\n")
    request = {"edits": [{"path": "./a.txt", "find": "one", "content": "two"}]}

    done = keyhole(
        *("edit", "--request", "-", "--root", ".."),
        feed=json.dumps(request),
        cwd=keyhole.root / "sub",
    )

    assert done.code == 0
    assert (keyhole.read("a.txt"), keyhole.read("sub/a.txt")) == (b"two\n", b"one\n")


@pytest.mark.parametrize("path", ["a\ud800.txt", "a\nb.txt", "a\x1b[2J.txt"])
def test_a_path_that_no_line_can_hold_is_refused_on_one(keyhole: Shell, path: str) -> None:
    request = {"path": path, "edits": [{"find": "one", "content": "two"}]}

    done = keyhole("edit", "--request", "-", feed=json.dumps(request))

    spelt = ascii(path)[1:-1]
    assert done.code == 1, done
    assert done.out.split("\n")[1].startswith(f"path-denied (edit 0, {spelt}): `{spelt}` holds a ")
