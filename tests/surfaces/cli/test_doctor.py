import sqlite3

import keyhole as package
from tests.surfaces.cli.shell import Shell


def test_a_sound_workspace_is_in_order(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")

    data = keyhole.ok("doctor", "--json").data
    text = keyhole.ok("doctor").out

    assert (data["ok"], data["root"]) == (True, str(keyhole.root))
    assert data["versions"]["keyhole"] == package.__version__
    assert (data["journal"]["entries"], data["journal"]["pending"]) == (1, 0)
    assert data["warnings"] == []
    assert text.startswith(f"everything is in order\nroot: {keyhole.root}\nstate: ")
    assert "\nrecovered: nothing was left unfinished\n" in text


def test_a_project_that_would_lift_its_own_guard_is_told_that_it_cannot(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", 'allow_protected = [".vscode/**"]\n')
    keyhole.write(".vscode/settings.json", "{}\n")

    data = keyhole.ok("doctor", "--json").data
    text = keyhole.ok("doctor").out
    edited = keyhole("edit", ".vscode/settings.json", "--find", "{}", "--content", "[]", "--json")

    file = keyhole.root / "keyhole.toml"
    told = f"{file} sets `allow_protected`, which counts in the user's file only"
    assert (data["ok"], data["warnings"]) == (True, [told])
    assert text.endswith(f"\nwarning: {told}\n")
    assert edited.data["refusals"][0]["code"] == "protected-path"


def test_a_damaged_journal_is_told_of_with_exit_code_1(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")
    [database] = (keyhole.base / "state").rglob("journal.db")
    with sqlite3.connect(database) as db:
        db.execute("UPDATE entry SET body = replace(body, 'a.txt', 'b.txt')")
    db.close()

    done = keyhole("doctor", "--json")

    assert (done.code, done.data["ok"]) == (1, False)
    assert done.data["journal"]["damage"]
    assert keyhole("doctor").out.startswith("the journal is damaged\n")
    assert keyhole.read("a.txt") == b"two\n"
