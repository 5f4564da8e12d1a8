"""Renames of Python by jedi: all that has to be called as the symbol is, and nothing else.

In the texts «load» becomes `fetch`, and «load as» becomes `load as fetch`.
"""

from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from keyhole.phrases import render
from tests.scene import engine_at, put

BASE = """\
class Base:
    def «load»(self): return 1
"""
CASES = {
    "types in quotes": {
        "core.py": """\
from typing import Annotated, Literal, TypeAlias, TypeVar, cast
class «load»:
    other: "«load» | None" = None
    def own(self) -> "list[«load»]": return [cast("«load»", self)]
class Sub(list["«load»"]): pass
T = TypeVar("T", bound="«load»")
Alias: TypeAlias = "«load»"
def f(a: Literal["load"], b: Annotated["«load»", "load"], c: "no type") -> "\\tload": return "load"
def g(load: "«load»" = "load") -> '''«load»''': pass
"""
    },
    "lists of exports": {
        "core.py": """\
__all__: list[str] = ["other"] + [
    "«load»",
]
__all__.append(r"«load»")
print("load", __all__.index("load"))
def «load»(): pass
other = 1
""",
        "pkg/__init__.py": "from core import *\n__all__ = ('«load»',)\n__all__ += ['l' 'oad']\n",
        "own.py": "import core\n__all__ = ['load']\ndef load(): return core.«load»()\n",
        "late.py": "from core import *\n__all__ = ['load']\nload = 1\n",
        "far.py": "from nowhere import *\nimport core\n__all__ = ['load']\n",
        "none.py": "from core import *\n__all__ = ['other']  # load\n",
        "broken.py": "__all__ = ['load'\n",
    },
    "names of one scope": {
        "core.py": "def «load»(): pass\n",
        "user.py": """\
try:
    from core import «load»
except ImportError:
    from json import «load as»
def f():
    global «load»
    «load» = print
class C:
    load = 1
    def load(self): return «load»()
def g():
    load = 1
    def h():
        nonlocal load
        return load
import json as «load»
""",
        "late.py": """\
from core import «load»
«load» = print(«load»)
""",
        "last.py": "from late import «load»\n",
    },
    "methods above and below": {
        "core.py": BASE,
        "mid.py": """\
import core as c
class Mid(c.Base): pass
class Other:
    def load(self): pass
""",
        "sub.py": """\
from mid import Mid as M, Other
class Sub(M):
    def «load»(self): return super().«load»()
class Last(Sub):
    def «load»(self): del self.«load»
print(Last().«load»(), Other().load())
""",
    },
}  # fmt: skip
SEGMENTS = {"methods above and below": ("sub.py", "Last.load")}


def renamed(
    base: Path, files: dict[str, str], path: str, segment: str, to: str, *, mode: str = "strict"
) -> Receipt:
    with engine_at(base) as engine:
        for name, text in files.items():
            put(Path(engine.root), name, text)
        wanted = Rename(path, segment, to)
        return engine.refactoring.rename(wanted, Options(actor="me", mode=mode))


@pytest.mark.parametrize("name", CASES)
def test_what_is_called_as_the_symbol_is_renamed(tmp_path: Path, name: str) -> None:
    files = CASES[name]
    plain = {
        path: text.replace("«load as»", "load").replace("«", "").replace("»", "")
        for path, text in files.items()
    }

    receipt = renamed(tmp_path, plain, *SEGMENTS.get(name, ("core.py", "load")), "fetch")

    assert receipt.ok, receipt.as_text()
    assert {path: (tmp_path / "root" / path).read_text("utf-8") for path in files} == {
        path: text.replace("«load as»", "load as fetch").replace("«load»", "fetch")
        for path, text in files.items()
    }


@pytest.mark.parametrize(
    ("text", "segment", "headline"),
    [
        ("class A:\n    def __add__(self, other): pass\n", "A.__add__",
         "`__add__` of a.py is a name that Python itself calls"),
        ("from threading import Thread\nclass A(Thread):\n    def run(self): pass\n", "A.run",
         "`run` of a.py overrides what threading.py calls so, which is not in the workspace"),
        ("class A:\n    def run(self): self.new = 1\n", "A.run",
         "`to` is `new`, and line 2 of a.py uses that name already"),
        ("class A:\n    def run(self): pass\nclass B(A):\n    new: int\n", "A.run",
         "`to` is `new`, and line 4 of a.py uses that name already"),
        ("from b import B\nclass A(B):\n    def run(self): pass\n", "A.run",
         "`to` is `new`, and line 2 of b.py uses that name already"),
    ],
)  # fmt: skip
def test_a_name_that_others_rely_on_is_refused(
    tmp_path: Path, text: str, segment: str, headline: str
) -> None:
    above = "class B:\n    def new(self): pass\n"

    receipt = renamed(tmp_path, {"a.py": text, "b.py": above}, "a.py", segment, "new")

    [refusal] = receipt.refusals
    assert (refusal.code, render(refusal.headline)) == ("bad-request", headline)
    assert renamed(tmp_path, {"a.py": text}, "a.py", segment, "new", mode="interactive").ok


def test_the_parts_of_a_property_are_one_symbol(tmp_path: Path) -> None:
    text = "class A:\n    @property\n    def x(s): pass\n    @x.setter\n    def x(s, y): pass\n"

    assert renamed(tmp_path, {"a.py": text}, "a.py", "A.x", "new").ok
    after = (tmp_path / "root/a.py").read_text("utf-8")
    assert after == text.replace("def x", "def new").replace("@x", "@new")


def test_classes_that_have_nothing_to_do_with_it_are_no_reason(tmp_path: Path) -> None:
    text = "class A:\n    def run(self):\n        new = 1\nclass B:\n    def new(self): pass\n"

    assert renamed(tmp_path, {"a.py": text}, "a.py", "A.run", "new").ok
