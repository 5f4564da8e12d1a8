"""Names of segments as models damage them."""

from __future__ import annotations

import ast
import random
import re
from dataclasses import dataclass
from functools import lru_cache

from tests.torture.place.changes import reworded
from tests.torture.place.files import File, is_blank
from tests.torture.place.trial import EITHER, REFUSE, UNIQUE, Call, Trial

Maybe = Trial | None
CODE = ("python", "stubs", "javascript", "typescript", "c", "c++")
DATA = ("json", "toml", "yaml")


@dataclass(frozen=True)
class Named:
    """A definition: its names from the outermost in, and its lines from the first decorator on."""

    names: tuple[str, ...]
    first: int
    last: int
    decorated: bool


def right_name(rng: random.Random, file: File) -> Maybe:
    """Name a Python function as it is called."""
    found = _defined(rng, file)
    if not found:
        return None
    address = ".".join(found.names)
    spelled = rng.choice(
        (address, address, f"def {address}", f"{address}()", "::".join(found.names))
    )
    return _replacing(rng, file, found, spelled, UNIQUE)


def with_find(rng: random.Random, file: File) -> Maybe:
    """Quote a line that stands several times, inside a function where it stands once."""
    found = _defined(rng, file)
    if not found:
        return None
    inner = File(file.suffix, file.lines[found.first : found.last])
    lines = [
        at
        for at in range(found.first + 1, found.last)
        if file.digest.count(file.keys[at]) > 1 and inner.digest.count(file.keys[at]) == 1
        if len(file.keys[at]) >= 8
    ]
    if not lines:
        return None
    at = rng.choice(lines)
    other = reworded(rng, file.lines[at], "_kh")
    call = Call({"segment": ".".join(found.names), "find": file.lines[at], "content": other})
    right = file.with_lines(at, at + 1, (other,))
    return Trial(file, call, UNIQUE, (right.text,))


def parent_missing(rng: random.Random, file: File) -> Maybe:
    """Name a method without its class."""
    found = _defined(rng, file)
    if not found or len(found.names) < 2:
        return None
    same = [each for each in defined_in(file) if each.names[-1] == found.names[-1]]
    if len(same) > 1:
        shortest = [each for each in same if len(each.names) == 1]
        if shortest:
            return None
        trial = _replacing(rng, file, found, found.names[-1], EITHER)
        return trial and Trial(file, trial.call, REFUSE)
    name = re.escape(found.names[-1])
    defined = rf"(?:\b(?:def|class|import|as) +|^\s*|, *){name}\b"
    if len(re.findall(defined, file.text, re.MULTILINE)) > 1:
        return None
    return _replacing(rng, file, found, found.names[-1], UNIQUE)


def damaged(rng: random.Random, file: File) -> Maybe:
    """Give a definition a name that nothing in the file has."""
    names = _names_in(file)
    if not names:
        return None
    parents, name = rng.choice(names)
    other = misspelled(rng, name)
    if not other or re.search(rf"(?<!\w){re.escape(other)}(?!\w)", file.text):
        return None
    return _asked(rng, file, ".".join((*parents, other)))


def parent_damaged(rng: random.Random, file: File) -> Maybe:
    """Give the class of a method a name that nothing in the file has."""
    names = [each for each in _names_in(file) if each[0]]
    if not names:
        return None
    parents, name = rng.choice(names)
    other = misspelled(rng, parents[-1])
    if not other or re.search(rf"(?<!\w){re.escape(other)}(?!\w)", file.text):
        return None
    return _asked(rng, file, ".".join((*parents[:-1], other, name)))


def moved(rng: random.Random, file: File) -> Maybe:
    """Name a method of a class that has none of this name, while another class has."""
    classes = _classes(file)
    defined = [each for each in defined_in(file) if len(each.names) == 2]
    if len(classes) < 2 or not defined:
        return None
    found = rng.choice(defined)
    others = [name for name in classes if name != found.names[0]]
    other = rng.choice(others) if others else ""
    body = classes.get(other, "")
    if not other or re.search(rf"\b{re.escape(found.names[1])}\b", body):
        return None
    return _asked(rng, file, f"{other}.{found.names[1]}")


def heading(rng: random.Random, file: File) -> Maybe:
    """Name a section in another case; it may be folded, and must then be said."""
    found = [line for line in _headings(file) if re.fullmatch(r"[A-Za-z ]{4,40}", line)]
    if not found:
        return None
    name = rng.choice(found)
    other = name.swapcase()
    if sum(line.casefold() == name.casefold() for line in _headings(file)) > 1 or other == name:
        return None
    call = Call(
        {"segment": other, "action": "append", "content": "A line that is new.", "match": "exact"}
    )
    return Trial(file, call, REFUSE)


def heading_folded(rng: random.Random, file: File) -> Maybe:
    """Name a section in another case; where it is taken, the receipt says so."""
    heads = _headings(file)
    found = [name for name in heads if re.fullmatch(r"[A-Za-z ]{4,40}", name)]
    if not found:
        return None
    name = rng.choice(found)
    at = next(i for i, line in enumerate(file.lines) if _heading(line) == name)
    if sum(line.casefold() == name.casefold() for line in heads) > 1 or name.swapcase() == name:
        return None
    new = file.lines[at].replace(name, f"{name} kh")
    fields = {"segment": name.swapcase(), "part": "heading", "content": new}
    right = file.with_lines(at, at + 1, (new,))
    return Trial(file, Call(dict(fields)), EITHER, (right.text,), folded=True)


def heading_damaged(rng: random.Random, file: File) -> Maybe:
    """Give a section a name that no section has."""
    heads = _headings(file)
    found = [name for name in heads if re.fullmatch(r"[A-Za-z][A-Za-z ]{3,40}", name)]
    if not found:
        return None
    name = rng.choice(found)
    ways = (f"{name}s", name.replace(" ", "-"), name.replace(" ", "_"), name.replace(" ", ""))
    other = rng.choice((*ways, f"The {name}", name.rsplit(" ", 1)[0], name.removesuffix("s")))
    taken = {re.sub(r"[^a-z]", "", line.casefold()) for line in heads}
    bare = re.sub(r"[^a-z]", "", other.casefold())
    if other == name or (bare in taken and bare != re.sub(r"[^a-z]", "", name.casefold())):
        return None
    return _asked(rng, file, other)


def section(rng: random.Random, file: File) -> Maybe:
    """Replace a section by itself with one word changed."""
    found = _section(rng, file)
    if not found:
        return None
    name, first, last = found
    inner = [at for at in range(first + 1, last) if len(file.lines[at].split()) > 2]
    if not inner:
        return None
    at = rng.choice(inner)
    right = file.with_lines(at, at + 1, (reworded(rng, file.lines[at], "_kh"),))
    content = "\n".join(right.lines[first:last])
    return Trial(file, Call({"segment": name, "content": content}), UNIQUE, (right.text,))


def section_code(rng: random.Random, file: File) -> Maybe:
    """Replace a section by itself with other blanks in the lines of its code."""
    found = _section(rng, file)
    if not found:
        return None
    name, first, last = found
    fences = [at for at in range(first, last) if file.lines[at].startswith("```")]
    if len(fences) != 2 or fences[1] - fences[0] < 2:
        return None
    inside = range(fences[0] + 1, fences[1])
    was, becomes = rng.choice((("    ", "\t"), ("\t", "    ")))
    lines = list(file.lines)
    for at in inside:
        lines[at] = f"{was}{lines[at].strip()}"
    now = File(file.suffix, tuple(lines), file.eol, file.ended)
    for at in inside:
        lines[at] = f"{becomes}{lines[at].strip()}"
    if rng.random() < 0.5:
        lines[inside[-1]] += " kh"
    right = File(file.suffix, tuple(lines), file.eol, file.ended)
    content = "\n".join(right.lines[first:last])
    return Trial(now, Call({"segment": name, "content": content}), UNIQUE, (right.text,))


def _section(rng: random.Random, file: File) -> tuple[str, int, int] | None:
    """Return a heading that stands once, its line, and the line behind its section."""
    heads = [(i, line) for i, line in enumerate(file.lines) if _heading(line)]
    names = _headings(file)
    if len(names) != len(heads) or len(heads) < 2 or "<" in file.text:
        return None  # a fence or a tag may hide a heading
    at = rng.randrange(len(heads))
    first, line = heads[at]
    level = len(line) - len(line.lstrip("#"))
    behind = (i for i, other in heads[at + 1 :] if len(other) - len(other.lstrip("#")) <= level)
    last = next(behind, len(file.lines))
    while is_blank(file.lines[last - 1]):
        last -= 1
    once = sum(name.casefold() == names[at].casefold() for name in names) == 1
    return (names[at], first, last) if once and re.fullmatch(r"[A-Za-z ]+", names[at]) else None


def misspelled(rng: random.Random, name: str) -> str:
    """Return a name as a model may remember it: not the same name."""
    ways = (
        name.swapcase(),
        name.upper(),
        name.lower(),
        name.capitalize(),
        f"_{name}",
        f"__{name}__",
        name.strip("_"),
        name.replace("_", ""),
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(),
        re.sub(r"_([a-z])", lambda found: found[1].upper(), name),
        f"{name}s",
        name.removesuffix("s"),
        f"{name}_",
        f"get_{name}",
    )
    different = [way for way in ways if way and way != name]
    return rng.choice(different) if different else ""


def _asked(rng: random.Random, file: File, address: str) -> Trial:
    fields: dict[str, object] = {"segment": address, "action": "delete"}
    way = rng.randrange(4)
    if way == 1:
        fields |= {"action": "append", "content": "kh_added = 1"}
    elif way == 2:
        fields |= {"action": rng.choice(("after", "before")), "content": "kh_added = 1"}
    if rng.random() < 0.2:
        fields["match"] = "exact"
    return Trial(file, Call(fields), REFUSE)


def _replacing(rng: random.Random, file: File, found: Named, spelled: str, truth: str) -> Maybe:
    """Replace a function by itself with one word changed."""
    lines = list(file.lines[found.first : found.last])
    inner = [i for i in range(1, len(lines)) if not is_blank(lines[i])]
    if not inner or found.decorated:
        return None
    at = rng.choice(inner)
    lines[at] = reworded(rng, lines[at], "_kh")
    right = file.with_lines(found.first, found.last, tuple(lines))
    call = Call({"segment": spelled, "content": "\n".join(lines)})
    return Trial(file, call, truth, (right.text,))


def _defined(rng: random.Random, file: File) -> Named | None:
    found = [each for each in defined_in(file) if each.last - each.first > 2]
    addresses = [each.names for each in defined_in(file)]
    once = [each for each in found if addresses.count(each.names) == 1]
    return rng.choice(once) if once else None


@lru_cache(maxsize=64)
def defined_in(file: File) -> tuple[Named, ...]:
    """Return every function of a Python file, as Python itself reads it."""
    tree = _tree(file)
    found: list[Named] = []

    def walk(node: ast.AST, names: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                own = (*names, child.name)
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                last = child.end_lineno or child.lineno
                if not isinstance(child, ast.ClassDef):
                    found.append(Named(own, first - 1, last, bool(child.decorator_list)))
                walk(child, own)
            else:
                walk(child, names)

    if tree:
        walk(tree, ())
    return tuple(found)


@lru_cache(maxsize=64)
def _classes(file: File) -> dict[str, str]:
    """Return the classes at the margin, each with its text; those that stand once."""
    tree = _tree(file)
    nodes = [node for node in tree.body if isinstance(node, ast.ClassDef)] if tree else []
    return {
        node.name: "\n".join(file.lines[node.lineno - 1 : node.end_lineno])
        for node in nodes
        if len(re.findall(rf"\bclass {node.name}\b", file.text)) == 1 and not node.bases
    }


def _tree(file: File) -> ast.Module | None:
    if file.suffix not in {".py", ".pyi"} or "\f" in file.text:
        return None
    try:
        return ast.parse("\n".join(file.lines))
    except SyntaxError:
        return None


_CODE_NAMES = re.compile(
    r"^(?:export |default |async |static )*(?:function\*?|class|interface) +(\w+)", re.MULTILINE
)
_C_NAMES = re.compile(r"^[A-Za-z_][\w *]*?\b(\w{4,})\([^;{}]*\)\s*\{", re.MULTILINE)
_KEYS = {
    ".json": re.compile(r'^[ \t]*"([\w-]{3,})":', re.MULTILINE),
    ".toml": re.compile(r"^([\w-]{3,}) *=", re.MULTILINE),
    ".yaml": re.compile(r"^([\w-]{3,}):", re.MULTILINE),
    ".yml": re.compile(r"^([\w-]{3,}):", re.MULTILINE),
}


def _names_in(file: File) -> list[tuple[tuple[str, ...], str]]:
    """Return names of definitions or keys, with those around them where this is known."""
    if file.suffix in {".py", ".pyi"}:
        return [(each.names[:-1], each.names[-1]) for each in defined_in(file)]
    if file.suffix == ".yaml" and "jobs:" in file.lines:
        jobs = [line.strip().rstrip(":") for line in file.lines if re.fullmatch(r"  \w+:", line)]
        return [*((("jobs",), name) for name in jobs), (("env",), "Path"), (("env",), "RETRIES")]
    if file.suffix == ".toml":
        tables = re.findall(r"^\[(\w+)\]", file.text, re.MULTILINE)
        keys: list[tuple[tuple[str, ...], str]] = [((name,), "API_KEY") for name in tables]
        return keys + [((), name) for name in tables]
    pattern = _KEYS.get(file.suffix) or (
        _C_NAMES if file.suffix in {".c", ".h", ".cpp", ".hpp"} else _CODE_NAMES
    )
    return [((), name) for name in pattern.findall(file.text)]


def _headings(file: File) -> list[str]:
    """Return the headings of a Markdown file, leaving out what is fenced."""
    found, fenced = [], False
    for line in file.lines:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and (name := _heading(line)):
            found.append(name)
    return found


def _heading(line: str) -> str:
    match = re.fullmatch(r"#{1,6} +(.*?)[ #]*", line)
    return match[1] if match else ""
