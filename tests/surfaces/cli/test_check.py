import sys
from pathlib import Path

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
        "warnings": [],
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


def test_the_configured_linters_are_asked(tmp_path: Path) -> None:
    for name in ("root", "home/.config/keyhole"):
        (tmp_path / name).mkdir(parents=True)
    keyhole = Shell(tmp_path, {"PATH": str(Path(sys.executable).parent)})
    config = tmp_path / "home/.config/keyhole/config.toml"
    config.write_text("[validators.ruff]\n", encoding="utf-8")
    keyhole.write("a.py", "import os\n\nprint(nobody)\n")

    done = keyhole("check")

    assert done.code == 1
    assert done.out == (
        "a.py:1:8: warning: `os` imported but unused (F401)\n"
        "a.py:3:7: error: Undefined name `nobody` (F821)\n"
        "1 file checked, 1 broken\n"
    )


def test_a_file_that_is_not_there_is_refused(keyhole: Shell) -> None:
    done = keyhole("check", "nope.py", "--json")

    assert done.refusal["code"] == "no-file"
