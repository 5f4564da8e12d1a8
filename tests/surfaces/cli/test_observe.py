from tests.surfaces.cli.shell import Shell


def test_what_others_did_is_in_the_history(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    assert keyhole.ok("observe").out == (
        "first look: 1 files are kept; what changes from now on is seen\ncheckpoint c1\n"
    )
    keyhole.write("a.txt", "two\n")

    found = keyhole.ok("observe", "--json").data

    [told] = keyhole.ok("history", "--json").data["transactions"]
    assert found["transactions"] == [told]
    assert (told["actor"], told["tool"], found["checkpoint"]) == ("person", "observed", "c2")
    assert "nothing changed but by keyhole" in keyhole.ok("observe").out
    keyhole.ok("undo", told["id"])
    assert keyhole.read("a.txt") == b"one\n"


def test_what_is_not_kept_is_said(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("observe")
    keyhole.write(".env", "KEY=1\n")

    assert "not kept, secret: .env\n" in keyhole.ok("observe").out
