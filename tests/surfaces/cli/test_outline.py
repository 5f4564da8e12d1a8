import pytest

from tests.surfaces.cli.shell import Shell

PYTHON = """\
LIMIT = 3


class Worker:
    def start(self):
        return 1

    def stop(self):
        return 2


def main():
    return Worker()
"""


def addresses(keyhole: Shell, *words: str) -> list[str]:
    data = keyhole.ok("outline", *words, "--json").data
    files = data.get("files", [data])
    return [segment["address"] for file in files for segment in file["segments"]]


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ([], ["LIMIT", "Worker", "Worker.start", "Worker.stop", "main"]),
        (["--depth", "1"], ["LIMIT", "Worker", "main"]),
        (["--kinds", "method,function"], ["Worker.start", "Worker.stop", "main"]),
        (["--kinds", "class", "--kinds", "variable"], ["LIMIT", "Worker"]),
        (["--query", "STOP"], ["Worker.stop"]),
    ],
    ids=str,
)
def test_segments_are_listed_as_asked(keyhole: Shell, flags: list[str], found: list[str]) -> None:
    keyhole.write("a.py", PYTHON)

    assert addresses(keyhole, "a.py", *flags) == found


def test_the_text_says_what_the_json_says(keyhole: Shell) -> None:
    keyhole.write("a.py", PYTHON)

    data = keyhole.ok("outline", "a.py", "--json").data
    text = keyhole.ok("outline", "a.py").out

    rows = [
        f"{'    ' if one['parent'] else '  '}{one['address']}  {one['kind']} "
        f"{one['lines'][0]}-{one['lines'][1]}\n"
        for one in data["segments"]
    ]
    assert text == f"a.py {data['hash']} {data['language']}\n{''.join(rows)}"


def test_a_directory_is_outlined_file_by_file(keyhole: Shell) -> None:
    keyhole.write("a.py", "def one():\n    return 1\n")
    keyhole.write("docs/b.md", "# Two\n")

    assert addresses(keyhole) == ["one", "Two"]
    assert addresses(keyhole, "docs") == ["Two"]


def test_a_terminal_gets_a_tree(keyhole: Shell) -> None:
    keyhole.write("a.py", PYTHON)
    version = keyhole.ok("read", "a.py", "--json").data["hash"]

    done = keyhole.on_terminal("outline", "a.py", "--color", "never")

    assert done.code == 0
    assert done.out == (
        f"a.py {version} python\n"
        "├── LIMIT  variable 1-1\n"
        "├── Worker  class 4-9\n"
        "│   ├── Worker.start  method 5-6\n"
        "│   └── Worker.stop  method 8-9\n"
        "└── main  function 12-13\n"
    )


def test_a_tree_of_several_files_keeps_filtered_segments_at_the_top(keyhole: Shell) -> None:
    keyhole.write("a.py", PYTHON)
    keyhole.write("b.py", "def f(:\n\n\ndef g():\n    return 1\n")

    done = keyhole.on_terminal("outline", "--kinds", "method", "--color", "never")

    rows = [line for line in done.out.split("\n") if not line.startswith(("a.py ", "b.py "))]
    assert rows[:2] == ["├── Worker.start  method 5-6", "└── Worker.stop  method 8-9"]
