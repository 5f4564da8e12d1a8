import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from bench.roundtrip import differences, files, installed
from keyhole.edits.by_name import named
from keyhole.edits.by_text.target import Target
from keyhole.text.document import Document

# Modules of many authors and ages: old code, C wrappers, tests full of odd literals.
MODULES = [
    "abc",
    "argparse",
    "ast",
    "base64",
    "bdb",
    "bisect",
    "calendar",
    "cmd",
    "codeop",
    "colorsys",
    "compileall",
    "configparser",
    "copy",
    "dataclasses",
    "difflib",
    "dis",
    "enum",
    "fractions",
    "functools",
    "getopt",
    "inspect",
    "ipaddress",
    "locale",
    "mailbox",
    "mimetypes",
    "ntpath",
    "optparse",
    "pdb",
    "pickle",
    "platform",
    "plistlib",
    "pprint",
    "reprlib",
    "sched",
    "shlex",
    "smtplib",
    "statistics",
    "tabnanny",
    "textwrap",
    "this",
]


def target(path: Path) -> Target:
    return Target(path.name, Document.from_bytes(path.read_bytes()))


def test_a_sample_of_the_standard_library_comes_back() -> None:
    wanted = {f"{name}.py" for name in MODULES}
    library = Path(sysconfig.get_paths()["stdlib"])
    counted: Counter[str] = Counter()

    wrong = [
        f"{path.name}: {what}"
        for path in sorted(library.glob("*.py"))
        if path.name in wanted
        for what in differences(target(path), counted)
    ]

    assert wrong == []
    assert counted["python"] > 4000


def test_the_harness_sees_a_planted_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text("class A:\n    def f(self):\n        return 1\n", encoding="utf-8")
    sound = list(differences(target(module), Counter()))

    monkeypatch.setattr(named, "fit_text", lambda _, block: block.at(""))

    assert sound == []
    assert len(list(differences(target(module), Counter()))) == 2


def test_files_are_found_below_directories(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "large.py").write_bytes(b"#" * 500_000)

    assert list(files([tmp_path])) == [tmp_path / "a" / "b.md"]
    assert any(path.name == "abc.py" for path in installed())


# Of lines that read alike, some are left of the block: off its indent they are the same.
TWICE = {
    "s.cpp": "namespace a {{\n    struct S {{\n        int a;\n{}        int e;\n    }};\n}}\n",
    "s.py": "class A:\n    def f(self):\n        a = 1\n{}        return a\n",
    "s.js": "class A {{\n    f() {{\n        a();\n{}        e();\n    }}\n}}\n",
    "s.yaml": "a:\n    b:\n        c: 1\n{}        e: 2\n",
}
MARKS = {"s.cpp": "#pragma x", "s.py": "# why", "s.js": "// why", "s.yaml": "# why"}


@pytest.mark.parametrize("name", TWICE)
def test_one_line_at_several_columns_stays_at_each(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    marks = "".join(f"{' ' * column}{MARKS[name]}\n" for column in (0, 4, 2, 8, 0))
    path.write_text(TWICE[name].format(marks), encoding="utf-8")

    assert list(differences(target(path), Counter())) == []
