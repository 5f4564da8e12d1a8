# ruff: noqa: E501, ISC004 - a row of a table is a line

import pytest

from keyhole.edits.by_text.target import Target
from keyhole.engine.rename.symbol import inner_symbol
from keyhole.segments.languages.table import language_of
from tests.segments.reading import document

PYTHON = """\
class Color(Enum):
    RED = 1


@dataclass(order=True)
class Point(Base, metaclass=Meta):
    x: int
    y: int = field(default=1)

    def move(self, by: int, *args, far=f(near=1), near=2, **rest) -> None:
        self.z: int = by
        if self.w == 1:
            inner = 3

    def inner(self):
        def deep(low):
            return low


def outer(a, b=1):
    c = a
"""
SCRIPT = """\
enum Color { Red, Green = 2 }
interface Point { x: number; y?: string; go(far: number): void }
class A { count = 1; #own = 2; constructor(public name: string) {} get(limit = 1, ...rest) { let no = 1; } }
type T = { field: string };
"""
GO = """\
package a

type Point struct {
	X, Y int
	Name string `json:"x"`
}

func load(path string, n int) { m := n }
"""
C = """\
enum color { RED, GREEN = 2 };
struct point { int x; char *label; };
int load(int a, char *b) { int c = a; return c; }
"""
RUST = """\
enum Color { Red, Green(u8) }
struct Point { x: u8, pub label: String }
fn load(a: u8, mut b: u8) -> u8 { let c = a; c }
"""
JAVA = """\
enum Color { RED, GREEN }
class Point { private int x = 1; String label; void move(int by) { int no = by; } }
"""


@pytest.mark.parametrize(
    ("path", "text", "known", "unknown"),
    [
        (
            "a.py",
            PYTHON,
            "Color.RED Point.x Point.y Point.z Point.move.by Point.move.args Point.move.far "
            "Point.move.near Point.move.rest Point.inner.deep.low outer.a outer.b",
            "Color.Enum Point.w Point.metaclass Point.order Point.by Point.default Point.deep "
            "outer.c outer.d .x nobody.x",
        ),
        (
            "a.ts",
            SCRIPT,
            "Color.Red Color.Green Point.x Point.y Point.go.far A.count A.constructor.name "
            "A.get.limit T.field",
            "A.no A.limit A.get.no T.string",
        ),
        ("a.go", GO, "Point.X Point.Y Point.Name load.path load.n", "Point.int load.m load.string"),
        ("a.c", C, "color.RED color.GREEN point.x point.label load.a load.b", "load.c point.int"),
        (
            "a.rs",
            RUST,
            "Color.Red Color.Green Point.x Point.label load.a load.b",
            "load.c Color.u8",
        ),
        ("a.java", JAVA, "Color.RED Point.x Point.label Point.move.by", "Point.no Point.String"),
    ],
)
def test_what_an_outline_leaves_out_has_an_address_by_its_owner(
    path: str, text: str, known: str, unknown: str
) -> None:
    target = Target(path, document(text))
    language = language_of(path, target.document)

    def places(addresses: str) -> dict[str, str]:
        found = {each: inner_symbol(target, language, each) for each in addresses.split()}
        return {name: text[each.start :][: len(each.name)] for name, each in found.items() if each}

    assert places(known) == {each: each.rpartition(".")[2] for each in known.split()}
    assert places(unknown) == {}


def test_the_name_of_its_own_kind_of_place_is_meant() -> None:
    target = Target("a.py", document(PYTHON))

    near = inner_symbol(target, "python", "Point.move.near")

    assert near is not None
    assert PYTHON[near.start :].startswith("near=2")
