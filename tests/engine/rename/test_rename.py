# ruff: noqa: E501 - a row of a table is a line

"""Renames on a real tree: the definition, imports and uses, nothing else, and one undo."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rename.found import SymbolPlaces, places_to_rename
from keyhole.engine.rename.rename import renamed
from keyhole.engine.rename.request import Rename
from keyhole.engine.rename.symbol import Symbol
from keyhole.phrases import render
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree
from tests.scene import engine_at, put

CORE = '''\
"""About load."""
__all__ = ["load", "Worker"]


def load(path):
    return path


class Worker:
    def run(self):
        return load("load")  # load it


class Sub(Worker):
    def run(self):
        return super().run()
'''
FIRST = """\
from .core import load, Worker as W
from pkg.core import load as other
x = f"{load(1)} load"
"""
SECOND = """\
import pkg.core as core
from pkg import load
import pkg


def f(w: core.Worker, u):
    load = 3
    core.load(1); pkg.load(2)
    w.run(); u.load()
    return load
"""
THIRD = """\
from pkg import load as loader
try:
    loader(1)
except OSError as gone:
    raise loader(2) from gone
"""
FILES = {
    "src/pkg/core.py": CORE,
    "src/pkg/__init__.py": FIRST,
    "src/pkg/second.py": SECOND,
    "src/pkg/third.py": THIRD,
}
HOME = "src/pkg/core.py"
ME = Options(actor="me")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path) as engine:
        for path, text in FILES.items():
            put(Path(engine.root), path, text)
        yield engine


def texts(engine: Engine) -> dict[str, str]:
    return {path: (Path(engine.root) / path).read_text(encoding="utf-8") for path in FILES}


def rename(engine: Engine, segment: str, to: str, options: Options = ME, **more: bool) -> Receipt:
    return engine.refactoring.rename(Rename(HOME, segment, to, **more), options)


def said(receipt: Receipt) -> tuple[str, str]:
    [refusal] = receipt.refusals
    return refusal.code, render(refusal.headline)


def test_a_function_is_renamed_where_it_is_defined_imported_and_used(engine: Engine) -> None:
    receipt = rename(engine, "load", "fetch")
    after = texts(engine)
    engine.undo(UndoRequest(), ME)

    assert receipt.outcome == "applied"
    assert after == {
        HOME: CORE.replace('["load"', '["fetch"')
        .replace("def load", "def fetch")
        .replace("return load", "return fetch"),
        "src/pkg/__init__.py": FIRST.replace("import load", "import fetch").replace(
            "{load(", "{fetch("
        ),
        "src/pkg/second.py": SECOND.replace("import load", "import fetch")
        .replace("core.load", "core.fetch")
        .replace("pkg.load", "pkg.fetch"),
        "src/pkg/third.py": THIRD.replace("import load", "import fetch"),
    }
    assert receipt.sweep is not None
    assert receipt.sweep.found_by == "jedi"
    assert receipt.warnings == (
        "left as they are, for nobody knows whose name it is there: src/pkg/second.py:9",
    )
    assert texts(engine) == FILES


def test_cells_of_notebooks_that_have_the_name_are_told(engine: Engine) -> None:
    cell = '{"cell_type": "code", "metadata": {"vscode": {"languageId": "%s"}}, "source": "%s"}'
    sources = (("python", "x = 1\\nload(x), reload, load"), ("bash", "load"))
    made = ",".join(cell % each for each in sources)
    put(Path(engine.root), "a.ipynb", f'{{"cells": [{made}], "nbformat": 4}}')
    put(Path(engine.root), "b.ipynb", '{"cells": [load')

    told = rename(engine, "load", "fetch", Options(actor="me", dry_run=True)).warnings[-1]

    assert told == (
        "left as they are, for nobody here knows the names of notebooks: "
        "a.ipynb:2 of `cell#1`; `edit` with `glob` and `boundary` identifier changes the name there"
    )


def test_a_method_is_renamed_with_those_that_override_it(engine: Engine) -> None:
    receipt = rename(engine, "Worker.run", "start")

    assert receipt.sweep is not None
    assert receipt.sweep.changed == 4
    assert texts(engine)[HOME] == CORE.replace("run", "start")
    assert "w.start(); u.load()" in texts(engine)["src/pkg/second.py"]


def test_comments_and_strings_change_only_if_asked(engine: Engine) -> None:
    rename(engine, "load", "fetch", comments=True)

    assert texts(engine)[HOME] == CORE.replace("load", "fetch")
    assert texts(engine)["src/pkg/__init__.py"] == FIRST.replace("load", "fetch")


def test_a_dry_run_shows_the_places(engine: Engine) -> None:
    receipt = rename(engine, "load", "fetch", Options(actor="me", dry_run=True))

    assert receipt.sweep is not None
    assert (receipt.sweep.count, receipt.sweep.is_preview) == (10, True)
    assert texts(engine) == FILES


@pytest.mark.parametrize(
    ("segment", "to", "code", "headline"),
    [
        ("load", "Worker", "bad-request", f"`to` is `Worker`, and line 9 of {HOME} uses that name already"),
        ("load", "f", "bad-request", "`to` is `f`, and line 6 of src/pkg/second.py uses that name already"),
        ("load", "load", "bad-request", "`to` is `load`, the name that it has"),
        ("load", "class", "bad-request", "`to` is `class`, no name in python"),
        ("load", "$x", "bad-request", "`to` is `$x`, no name in python"),
        ("load", "gone", "bad-request", "`to` is `gone`, and line 4 of src/pkg/third.py uses that name already"),
        ("lod", "x", "unknown-segment", f"{HOME} has no segment `lod`"),
        ("docstring", "x", "wrong-segment-kind", f"`docstring` of {HOME} is a docstring and no symbol"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused(
    engine: Engine, segment: str, to: str, code: str, headline: str
) -> None:
    assert said(rename(engine, segment, to))[0] == code
    assert said(rename(engine, segment, to))[1] == headline or code == "unknown-segment"
    assert texts(engine) == FILES


def test_a_member_of_that_name_is_refused(engine: Engine) -> None:
    put(Path(engine.root), HOME, CORE + "\n    def start(self): pass\n")

    assert said(rename(engine, "Sub.run", "start"))[1] == (
        f"`to` is `start`, and line 18 of {HOME} uses that name already"
    )


def test_a_person_may_want_a_name_that_is_taken(engine: Engine) -> None:
    receipt = rename(engine, "load", "f", Options(actor="me", mode="interactive"))

    assert receipt.outcome == "applied"
    assert "def f(path)" in texts(engine)[HOME]


def test_files_that_are_no_python_hinder_no_rename(engine: Engine) -> None:
    put(Path(engine.root), "src/pkg/raw.py", b"load\0")
    put(Path(engine.root), "src/pkg/torn.py", "from pkg.core import load\ndef f(:\n    load(1)\n")

    receipt = engine.refactoring.rename(Rename("src/pkg/raw.py", "load", "fetch"), ME)

    assert said(receipt)[0] == "not-text"
    assert rename(engine, "load", "fetch").ok
    torn = (Path(engine.root) / "src/pkg/torn.py").read_text(encoding="utf-8")
    assert torn.startswith("from pkg.core import fetch\n")


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_file_with_the_name_that_cannot_be_read_is_counted(
    engine: Engine, *, dry_run: bool
) -> None:
    put(Path(engine.root), "src/pkg/two\nlines.py", "from pkg.core import load\n")

    receipt = rename(engine, "load", "fetch", Options(actor="me", dry_run=dry_run))

    assert receipt.sweep is not None
    assert receipt.sweep.left_out == {"unreadable": 1}


@pytest.mark.parametrize("limit", ["_MOST_FILES", "_MOST_ASKED"])
def test_a_name_that_stands_at_too_many_places_is_not_followed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(f"keyhole.engine.rename.python.{limit}", 1)

    assert said(rename(engine, "load", "fetch")) == (
        "too-large",
        "`load` stands at too many places to ask what each of them means",
    )


def test_a_language_that_nobody_knows_is_refused_with_what_to_do(engine: Engine) -> None:
    put(Path(engine.root), "a.lua", "function load() end\n")
    put(Path(engine.root), "a.md", "# load it\n")

    lua = engine.refactoring.rename(Rename("a.lua", "load", "fetch"), ME)
    heading = engine.refactoring.rename(Rename("a.md", "load it", "fetch"), ME)

    assert said(lua) == (
        "no-language-server",
        "nothing here knows the names of lua, the language of a.lua",
    )
    assert said(heading)[0] == "wrong-segment-kind"


@pytest.mark.parametrize(
    ("path", "segment", "to"), [("", "a", "b"), ("a.py", "", "b"), ("a.py", "a", "b c")]
)
def test_a_rename_has_a_path_an_address_and_a_name(path: str, segment: str, to: str) -> None:
    with pytest.raises(Refused):
        Rename(path, segment, to)


def test_references_are_the_places_that_a_rename_changes(engine: Engine) -> None:
    hits = engine.refactoring.references(HOME, "Worker.run")
    few = engine.refactoring.references(HOME, "load", limit=2)

    assert [(hit.path, hit.line, hit.column, hit.segment) for hit in hits.hits] == [
        (HOME, 10, 9, "Worker.run"),
        (HOME, 15, 9, "Sub.run"),
        (HOME, 16, 24, "Sub.run"),
        ("src/pkg/second.py", 9, 7, "f"),
    ]
    assert (len(few.hits), few.total) == (2, 10)
    with pytest.raises(Refused, match="`symbol` needs the file that defines it"):
        engine.refactoring.references("src", "load")


def test_a_place_that_is_another_text_refuses_the_rename(engine: Engine) -> None:
    def lies(tree: Tree, symbol: Symbol, _: str) -> SymbolPlaces:
        places = {symbol.path: frozenset({symbol.start, symbol.start + 1})}
        return SymbolPlaces({symbol.path: tree.read(symbol.path)}, places, "a liar")

    with pytest.raises(Refused) as refused:
        renamed(engine._tree, Rename(HOME, "load", "fetch"), ME, lies, engine._carry_out)
    [refusal] = refused.value.refusals
    assert (refusal.code, render(refusal.headline)) == (
        "stale",
        f"line 5 of {HOME} does not have `load` where it was found",
    )
    assert texts(engine) == FILES


def test_files_without_a_place_are_no_part_of_the_rename() -> None:
    assert places_to_rename(SymbolPlaces({}, {"a.py": frozenset()}, "jedi"), "a", "b") == ()


def test_names_of_two_letters_are_followed_into_other_files(engine: Engine) -> None:
    put(Path(engine.root), "src/pkg/short.py", "def de():\n    pass\n")
    put(Path(engine.root), "src/pkg/user.py", "from pkg.short import de\n\nde()\n")
    put(Path(engine.root), ".gitignore", "build\n")
    put(Path(engine.root), "build/copy.py", "from pkg.short import de\n")

    engine.refactoring.rename(Rename("src/pkg/short.py", "de", "cd"), ME)

    assert (Path(engine.root) / "src/pkg/user.py").read_text(
        encoding="utf-8"
    ) == "from pkg.short import cd\n\ncd()\n"
    assert (Path(engine.root) / "build/copy.py").read_text(
        encoding="utf-8"
    ) == "from pkg.short import de\n"


def test_a_rename_can_be_swept_back(engine: Engine) -> None:
    rename(engine, "load", "fetch")
    receipt = engine.edit([Edit(segment="fetch", part="body", content="return 1")], ME, HOME)

    assert receipt.ok


OWNERS = """\
from dataclasses import dataclass
from enum import Enum


class Color(Enum):
    RED = 1
    GREEN = 2


@dataclass
class Point:
    label: str
    size: int = 1

    def move(self, by: int) -> "Point":
        return Point(label=self.label, size=by)


def load(limit, low=2):
    return Color.RED if limit else Point("a").label
"""
USER = """\
from owners import Color, Point, load

print(Point(label="b").label, Color.RED, load(limit=3), Point("a").move(by=1))
"""


@pytest.mark.parametrize(
    ("segment", "to", "owners", "user"),
    [
        ("Color.RED", "CRIMSON", ("RED", "CRIMSON"), ("Color.RED", "Color.CRIMSON")),
        ("Point.label", "title", ("label", "title"), ("label", "title")),
        ("Point.move.by", "far", ("by", "far"), ("by=", "far=")),
        ("load.limit", "most", ("limit", "most"), ("limit", "most")),
    ],
)
def test_fields_members_and_parameters_are_renamed_by_their_owner(
    engine: Engine, segment: str, to: str, owners: tuple[str, str], user: tuple[str, str]
) -> None:
    put(Path(engine.root), "owners.py", OWNERS)
    put(Path(engine.root), "user.py", USER)

    assert engine.refactoring.rename(Rename("owners.py", segment, to), ME).ok

    assert (Path(engine.root) / "owners.py").read_text(encoding="utf-8") == OWNERS.replace(*owners)
    assert (Path(engine.root) / "user.py").read_text(encoding="utf-8") == USER.replace(*user)


@pytest.mark.parametrize(
    ("segment", "to", "line"),
    [("Color.RED", "GREEN", 7), ("Point.label", "move", 15), ("load.limit", "Point", 20)],
)
def test_a_name_that_their_owner_has_is_refused(
    engine: Engine, segment: str, to: str, line: int
) -> None:
    put(Path(engine.root), "owners.py", OWNERS)

    [refusal] = engine.refactoring.rename(Rename("owners.py", segment, to), ME).refusals

    assert render(refusal.headline).endswith(f"line {line} of owners.py uses that name already")
