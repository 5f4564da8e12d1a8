from tests.surfaces.cli.shell import Shell


def test_a_broken_file_is_told_and_fails(keyhole: Shell) -> None:
    keyhole.write("a.py", "x = (1\n")
    keyhole.write("b.py", "x = 1\n")

    done = keyhole("check", "a.py", "b.py")

    assert done.code == 1
    assert done.out == (
        "a.py:1:5: error: '(' was never closed (syntax-broken)\n2 files checked, 1 broken\n"
    )


def test_without_a_path_the_whole_tree_is_checked(keyhole: Shell) -> None:
    keyhole.write("a.py", "x = 1\n")
    keyhole.write("docs/b.md", "# A\n\n### B\n")

    assert keyhole.ok("check").out == (
        "docs/b.md:3:1: warning: heading `B` is of level 3 below level 1 (heading-jump)\n"
        "2 files checked, none broken\n"
    )


def test_text_and_json_say_the_same(keyhole: Shell) -> None:
    keyhole.write("a.json", '{"a": 1, "a": 2}\n')

    done = keyhole("check", "a.json", "--json")

    assert done.code == 1
    assert done.data == {
        "ok": False,
        "checked": 1,
        "skipped": 0,
        "files": [
            {
                "path": "a.json",
                "language": "json",
                "diagnostics": [
                    {
                        "severity": "error",
                        "code": "syntax-broken",
                        "message": "the key `a` is there twice",
                        "line": 1,
                        "column": 10,
                        "new": False,
                    }
                ],
            }
        ],
    }


def test_a_file_that_is_not_there_is_refused(keyhole: Shell) -> None:
    done = keyhole("check", "nope.py", "--json")

    assert done.refusal["code"] == "no-file"
