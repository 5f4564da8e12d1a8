import pytest

from keyhole.engine.rename.scopes import names_of_others
from keyhole.text.document import Document

# Marked is what is no function of a module, whoever says so.
OF_A_MODULE = """
load(1)
def load(path): return load
def asked(‹load›, other): return ‹load› + 1
def defaults(path=load, *, how: load = load) -> load: return load()
def named():
    ‹load› = 2
    for ‹load› in (): pass
def imported():
    from core import load
    load = load or None
def outside():
    global load
    load = 1
    def inner(): return load
def caught():
    try: pass
    except (‹load›, OSError) as ‹load›: return ‹load›
def matched(other):
    match other:
        case {"a": core.load, **‹load›}: pass
        case [1, *‹load›] | ‹load›(1) as ‹load›: pass
        case ‹load›: return ‹load›
class Store(load):
    def ‹load›(self): return load() or self.load()
    async def other(self):
        class ‹load›: pass
        return ‹load›
class Alias:
    ‹load› = load
é = lambda ‹load›: ‹load›
ö = [é(‹load›) for ‹load› in load]
ü = lambda other=load: {load for other in load(other) for other in load if load}
@load
def decorated(other): return other.load(load=1)
"""
# And this is no member of a class.
OF_A_CLASS = """
class Store:
    def load(self): return ‹load›() or self.load()
    other = load
    every = [load for _ in load]
    def asked(self, ‹load›=load): pass
‹load›()
def ‹load›(): pass
"""


def unmarked(text: str) -> tuple[str, set[int]]:
    places, plain = set(), ""
    for part in text.split("‹"):
        plain += part.replace("›", "")
        places.add(len(plain))
    return plain, places - {len(plain)}


@pytest.mark.parametrize(("text", "is_member"), [(OF_A_MODULE, False), (OF_A_CLASS, True)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_scope_tells_whose_its_names_are_not(text: str, is_member: bool, end: str) -> None:  # noqa: FBT001
    plain, places = unmarked(text.replace("\n", end))

    document = Document.from_bytes(plain.encode())
    assert names_of_others(document, "load", is_member=is_member) == places


def test_of_a_text_that_is_no_python_nothing_is_told() -> None:
    assert not names_of_others(Document("def f(load:"), "load", is_member=False)
