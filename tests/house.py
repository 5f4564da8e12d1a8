"""The rules of the house, as functions from source text to what breaks them."""

import ast
import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from keyhole import toolsets
from keyhole.toolsets.native import tools as native

LONGEST_FILE = 450
LONGEST_FUNCTION = 40
EXCUSE = "# house: long because "

# Rooms from bottom to top: a room imports itself and the rooms before it. "" is the package itself.
LAYERS = (
    *("fastclasses", "progress", "deferred", "phrases", "refusals"),
    *("text", "matching", "segments", "templates", "edits", "arguments", "patches"),
    *("disk", "git", "journal", "checkpoints", "storage", "history", "sharing", "linters"),
    *(
        "language_servers",
        "refactor",
        "candidates",
        "review_queue",
        "review_marks",
        "refused_calls",
    ),
    *("workspace", "answers", "hosts", "engine", "toolsets"),
    *("surfaces", "", "__main__"),
)
# Who touches the disk knows no language and no way of matching: of what is pure, only these.
_ON_DISK = {"disk", "git", "journal", "checkpoints", "storage", "history", "sharing", "linters"}
_ON_DISK |= {"candidates", "review_queue", "review_marks", "refused_calls", "workspace"}
_PURE = {"text", "matching", "segments", "templates", "edits", "arguments", "patches"}
_KNOWN_ON_DISK = ("text", "edits.model")
# At the foot of the house, for every room: values, messages and what a call leaves for later.
_FOOT = ("fastclasses", "progress", "deferred", "phrases", "refusals")
# The engine is the only way to what is below it. `arguments` makes the request, `edits.model`.
_ENGINE = (*_FOOT, "engine", "answers", "edits.model", "arguments")
_WITH_DOORS = {"surfaces", "toolsets"}
# Each set of tools is a door of its own; the other files of their room they share.
SETS = {file.split(".")[2] for file in toolsets.SETS.values()}
DOORS: dict[str, tuple[str, ...]] = {
    "toolsets": (*_ENGINE, "patches", "toolsets"),
    "surfaces.library": (*_ENGINE, "toolsets"),
    "surfaces.http": _ENGINE,
    "surfaces.cli": (*_ENGINE, "toolsets", ""),
    "surfaces.pages": _ENGINE,
    "surfaces.mcp": (*_ENGINE, "toolsets", "surfaces.http", "surfaces.pages", ""),
    "surfaces.web": (*_ENGINE, "surfaces.http", "surfaces.pages"),
}

# Each third-party package is known to one file, or to one surface.
HOMES = {
    "anyio": "surfaces/mcp/",
    "ast_grep_py": "segments/code/parser.py",
    "jedi": "refactor/python.py",
    "jinja2": "templates/",
    "lsprotocol": "language_servers/session.py",
    "mcp": "surfaces/mcp/",
    "psycopg": "sharing/server.py",
    "pygls": "language_servers/session.py",
    "pygments": "surfaces/pages/highlight.py",
    "pyromark": "segments/markdown.py",
    "rapidfuzz": "text/align.py",
    "re2": "matching/regex.py",
    "rich": "surfaces/cli/",
    "starlette": "surfaces/web/",
    "uvicorn": "surfaces/http/",
}

# The command line is the door to the other doors: the command of a door starts it.
STARTS = {
    "surfaces/cli/mcp.py": "surfaces.mcp",
    "surfaces/cli/review.py": "surfaces.web",
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the package: its path below src/keyhole, and its text as a tree."""

    path: str
    text: str
    tree: ast.Module

    @classmethod
    def of(cls, path: str, text: str) -> "Source":
        return cls(path, text, ast.parse(text))

    @property
    def name(self) -> str:
        """The dotted name below keyhole; "" for the package itself."""
        parts = self.path.removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def room(self) -> str:
        return self.name.split(".")[0]

    @property
    def door(self) -> str:
        """The door that the file belongs to; what doors share belongs to its room."""
        return _door_of(self.name)


def _door_of(name: str) -> str:
    room, *inner = name.split(".")
    is_door = room == "surfaces" or (room == "toolsets" and inner[:1] and inner[0] in SETS)
    return ".".join([room, *inner[:1]]) if is_door else room


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module by its full name, and the line that asks for it."""

    target: str
    line: int


def sources(package: Path) -> list[Source]:
    """Read every file of the package."""
    paths = sorted(package.rglob("*.py"))
    return [
        Source.of(path.relative_to(package).as_posix(), path.read_text(encoding="utf-8"))
        for path in paths
    ]


def imports(source: Source, names: Iterable[str], nodes: Iterable[ast.AST]) -> Iterator[Import]:
    """Yield what `nodes` import; `names` tells modules from the things inside them."""
    known = {f"keyhole.{name}" for name in names}
    for node in nodes:
        match node:
            case ast.Import():
                yield from (Import(alias.name, node.lineno) for alias in node.names)
            case ast.ImportFrom():
                base = _absolute(source, node)
                for alias in node.names:
                    inner = f"{base}.{alias.name}"
                    yield Import(inner if inner in known else base, node.lineno)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(target)), *_],
            ):
                yield Import(target, node.lineno)


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = ["keyhole", *source.path.split("/")[:-1]]
    return ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])


def room_breaches(all_sources: list[Source]) -> list[str]:
    """List the imports that go up, or past the engine."""
    names = [source.name for source in all_sources]
    return [
        f"{source.path}:{found.line} {source.room or 'keyhole'} may not import {found.target}"
        for source in all_sources
        for found in imports(source, names, ast.walk(source.tree))
        if found.target.split(".")[0] == "keyhole"
        and not _may_import(source, found.target.removeprefix("keyhole").lstrip("."))
    ]


# It greets clients before anything of ours is loaded.
FRONT = "surfaces.mcp.front"


def _may_import(source: Source, target: str) -> bool:
    if _is_below(source.name, (FRONT,)):
        return _is_below(target, (FRONT,))
    room = target.split(".", maxsplit=1)[0]
    if source.room == "toolsets" and _door_of(target) not in {source.door, room}:
        return False
    if source.room in _WITH_DOORS:
        known = DOORS.get(source.door) or DOORS.get(source.room, _ENGINE)
        known = (*known, source.door, STARTS.get(source.path, source.door))
        return _is_below(target, known)
    if source.room not in LAYERS or LAYERS.index(room) > LAYERS.index(source.room):
        return False
    return source.room not in _ON_DISK or room not in _PURE or _is_below(target, _KNOWN_ON_DISK)


def _is_below(target: str, rooms: Iterable[str]) -> bool:
    return any(target == one or (one and target.startswith(f"{one}.")) for one in rooms)


def passed_on(all_sources: list[Source]) -> list[str]:
    """List the names that a door has from a file which itself has them from another room."""
    files = {f"keyhole.{source.name}".rstrip("."): source for source in all_sources}
    imported = {name: _names_imported(source) for name, source in files.items()}
    return [
        f"{source.path}:{line} {name} is of {home}, and {target} passes it on"
        for source in all_sources
        if source.room in _WITH_DOORS
        for target, name, line in _names_taken(source, files)
        for home in [_home_of(imported, target, name)]
        if target in files and home in files and home.split(".")[1:2] != target.split(".")[1:2]
    ]


def _names_imported(source: Source) -> dict[str, tuple[str, str]]:
    """Return the names that a file has from others: the file, and the name it has there."""
    found = {
        alias.asname or alias.name: (_absolute(source, node), alias.name)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in source.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                found |= {name: found[other]} if other in found else {}
    return found


def _home_of(imported: Mapping[str, Mapping[str, tuple[str, str]]], file: str, name: str) -> str:
    """Return the file that a name comes from, followed through those that import it."""
    while name in imported.get(file, ()):
        file, name = imported[file][name]
    return file


def _names_taken(source: Source, files: Container[str]) -> Iterator[tuple[str, str, int]]:
    """Yield what a file takes out of others: by `from`, or as an attribute of a module."""
    modules: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            base = _absolute(source, node)
            for alias in node.names:
                if (inner := f"{base}.{alias.name}") in files:
                    modules[alias.asname or alias.name] = inner
                else:
                    yield base, alias.name, node.lineno
        elif isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and (target := modules.get(ast.unparse(node.value))):
            yield target, node.attr, node.lineno


def trees(source: Source) -> list[str]:
    """List where a door reaches into an engine, or an open workspace, for its tree."""
    return [
        f"{source.path}:{node.lineno} a door asks the engine, not its tree"
        for node in ast.walk(source.tree)
        if source.room in _WITH_DOORS and isinstance(node, ast.expr) and _is_tree(node)
    ]


def _is_tree(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="tree" | "_tree"):
            return True
        case ast.Call(
            func=ast.Name(id="getattr" | "attrgetter") | ast.Attribute(attr="attrgetter"), args=args
        ):
            return any(isinstance(n, ast.Constant) and n.value in {"tree", "_tree"} for n in args)
    return False


def directory_cycles(all_sources: list[Source]) -> list[str]:
    """List the circles of what lies in one directory: files and sub-packages alike."""
    names = [source.name for source in all_sources]
    edges = [
        (source.path, found.target.removeprefix("keyhole").lstrip(".").replace(".", "/"))
        for source in all_sources
        for found in imports(source, names, ast.walk(source.tree))
        if found.target.split(".")[0] == "keyhole"
    ]
    inside = {above for source in all_sources for above in _directories(source.path)}
    return [
        f"{directory}{name} is in, or above, a circle of {directory or 'the package'}"
        for directory in sorted(inside)
        for name in _circling(directory, edges)
    ]


def _directories(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("".join(f"{part}/" for part in parts[:size]) for size in range(len(parts) + 1))


def _circling(directory: str, edges: list[tuple[str, str]]) -> list[str]:
    """Return the children of a directory that import each other in a circle."""
    graph: dict[str, set[str]] = {}
    for path, target in edges:
        if path.startswith(directory) and target.startswith(directory):
            one, other = (_child(each, directory) for each in (path, target))
            if one != other and other:
                graph.setdefault(one, set()).add(other)
    while leaves := [name for name, targets in graph.items() if not targets & graph.keys()]:
        for name in leaves:
            del graph[name]
    return sorted(graph)


def _child(path: str, directory: str) -> str:
    return path.removeprefix(directory).split("/")[0].removesuffix(".py")


def homeless(source: Source) -> list[str]:
    """List the third-party imports outside the package's one home."""
    found = imports(source, (), ast.walk(source.tree))
    return [
        f"{source.path}:{one.line} {one.target} lives in {HOMES.get(top, 'no file yet: name one')}"
        for one in found
        if (top := one.target.split(".")[0]) not in {*sys.stdlib_module_names, "keyhole"}
        and not source.path.startswith(HOMES.get(top, "?"))
    ]


def cycles(all_sources: list[Source]) -> list[str]:
    """List the circles of modules that import each other at the top of their files."""
    names = [source.name for source in all_sources]
    edges = {
        f"keyhole.{source.name}".rstrip("."): {
            found.target for found in imports(source, names, _executed_on_import(source.tree))
        }
        for source in all_sources
    }
    while leaves := [name for name, targets in edges.items() if not targets & edges.keys()]:
        for name in leaves:
            del edges[name]
    return [f"{name} is in, or above, an import cycle" for name in sorted(edges)]


def _executed_on_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _executed_on_import(child)


def doubled_names(all_sources: list[Source]) -> list[str]:
    """List the names that stand for two classes: a reader takes one name for one meaning."""
    homes: dict[str, list[str]] = {}
    for source in all_sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(f"{source.path}:{node.lineno}")
    return [f"{name} is at {' and '.join(at)}" for name, at in sorted(homes.items()) if len(at) > 1]


def oversize(source: Source) -> list[str]:
    """List the file, if it is too long, and its functions that are, unless they say why."""
    lines = source.text.split("\n")
    found = []
    if source.text.count("\n") > LONGEST_FILE and EXCUSE not in lines[0]:
        found.append(f"{source.path} has {source.text.count(chr(10))} lines")
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            head = "\n".join(lines[node.lineno - 1 : node.body[0].lineno])
            if size > LONGEST_FUNCTION and EXCUSE not in head:
                found.append(f"{source.path}:{node.lineno} {node.name} has {size} lines")
    return found


def banned(source: Source) -> list[str]:
    """List the calls and clauses that keyhole does without."""
    reasons = [_banned_import, _banned_everywhere]
    if source.room != "surfaces":
        reasons.append(_banned_inside)
    found = [
        f"{source.path}:{getattr(node, 'lineno', 0)} {reason}"
        for node in ast.walk(source.tree)
        for reason in filter(None, (judge(node) for judge in reasons))
    ]
    if source.path.split("/")[-1] in {"helpers.py", "utils.py"}:
        found.append(f"{source.path} is a name that says nothing")
    return found


def _banned_everywhere(node: ast.AST) -> str:
    match node:
        case ast.Attribute(attr="splitlines"):
            return "splitlines also splits at form feeds and U+2028"
        case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
            return "time.sleep waits for nothing in particular"
        case ast.ExceptHandler(type=None):
            return "a bare except hides bugs"
        case ast.ExceptHandler(type=caught) if caught and "Exception" in _names(caught):
            return "except Exception hides bugs"
        case ast.Name(id="NotImplementedError"):
            return "nothing is promised without code"
    return ""


def _banned_import(node: ast.AST) -> str:
    match node:
        case ast.Import(names=names) if any(name.name == "difflib" for name in names):
            return "difflib is cubic on repetitive text"
        case ast.ImportFrom(module="difflib"):
            return "difflib is cubic on repetitive text"
        case ast.ImportFrom(module="time", names=names) if any(n.name == "sleep" for n in names):
            return "time.sleep waits for nothing in particular"
    return ""


def _banned_inside(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id="print")):
            return "only surfaces print"
        case ast.ImportFrom(module="typing", names=names) if any(n.name == "Any" for n in names):
            return "Any is for surfaces"
    return ""


def _names(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def undocumented(source: Source) -> list[str]:
    """List the public classes and functions without a docstring, and the file if it has none."""
    found = [] if ast.get_docstring(source.tree) else [f"{source.path} has no docstring"]
    return found + [
        f"{source.path}:{node.lineno} {node.name} has no docstring"
        for node in _public(source.tree)
        if not ast.get_docstring(node)
    ]


def _public(
    node: ast.Module | ast.ClassDef,
) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if child.name.startswith("_"):
                continue
            yield child
            if isinstance(child, ast.ClassDef):
                yield from _public(child)


# What holds a message, or several; what returns one as a text; and what looks into a text.
_MESSAGES = {"headline", "where", "help", "note", "message"}
_LISTS = {"notes", "warnings"}
_TEXTS = {"as_text", "render", "told", "told_below"}
_LOOKS = {
    *("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"),
    *("split", "rsplit", "find", "rfind", "index", "rindex", "count", "replace", "translate"),
}
_PATTERNS = {"match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"}
_PATTERNS |= {"fnmatch", "fnmatchcase"}
# A message is one still when its blanks or its case are other ones.
_KEEPS = {"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize"}
FOREIGN = "# house: the words of another program"


def read_messages(source: Source) -> list[str]:
    """List what compares, searches, splits or rewrites the text of a message, or puts it together.

    A message that goes into another one goes through `say` or `joined`, which keep its pieces; one
    that is printed goes through `render`. Words of other programs are data; the line says so.
    """
    lines = source.text.split("\n")
    functions = [node for node in ast.walk(source.tree) if isinstance(node, _FUNCTIONS)]
    named = [(each, names) for each in functions if (names := _message_names(each))]
    found = {
        node.lineno: f"{source.path}:{node.lineno} {reason}"
        for scope, names in [(source.tree, set[str]()), *named]
        for node in ast.walk(scope)
        if isinstance(node, ast.expr | ast.Match)
        for reason in [_reads_message(node, names)]
        if reason and FOREIGN not in lines[node.lineno - 1]
    }
    return [found[line] for line in sorted(found)]


_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def _message_names(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names that stand for messages: taken, assigned from one, each of several."""
    taken = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
    names = {one.arg for one in taken if one.arg == "headline"}
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[target], value=value):
                names |= {name for name, one in _pairs(target, value) if _is_message(one, set())}
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ) if _is_message(value, set()):
                names.add(name)
            case (
                ast.For(target=ast.Name(id=name), iter=several)
                | ast.comprehension(target=ast.Name(id=name), iter=several)
            ) if _is_list(several):
                names.add(name)
    return names


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=names), ast.Tuple(elts=values):
            for pair in zip(names, values, strict=False):
                yield from _pairs(*pair)


def _is_list(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in _LISTS
        case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each) | ast.SetComp(elt=each):
            return _is_message(each, set())
        case ast.List(elts=several) | ast.Tuple(elts=several) | ast.Set(elts=several):
            return any(_is_message(each, set()) for each in several)
    return False


def _is_message(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name in _MESSAGES
        case ast.Subscript(value=value, slice=ast.Slice()) | ast.NamedExpr(value=value):
            return _is_message(value, names)
        case ast.Subscript(value=value):
            return _is_list(value)
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name in _MESSAGES
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return name in _MESSAGES
        case ast.Call(func=ast.Name(id="str"), args=[value]):
            return _is_message(value, names)
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _KEEPS:
            return _is_message(value, names)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _TEXTS
    return False


def _reads_message(node: ast.expr | ast.Match, names: set[str]) -> str:
    def reads(*several: ast.AST) -> bool:
        return any(_is_message(each, names) for each in several)

    match node:
        case ast.Call(func=ast.Attribute(value=text, attr=name)) if name in _LOOKS and reads(text):
            return f"{name} looks into a message"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if (
            name in _PATTERNS and reads(*args)
        ):
            return f"{name} looks into a message"
        case ast.Compare(left=left, comparators=others) if reads(left, *others) or any(
            isinstance(each, ast.Attribute) and _is_list(each) for each in (left, *others)
        ):
            return "a comparison decides by a message"
        case ast.Subscript(value=text, slice=ast.Slice(lower=ast.expr())) if reads(text):
            return "a message is cut"
        case (
            ast.Subscript(slice=key)
            | ast.Match(subject=key)
            | ast.Call(func=ast.Attribute(attr="get"), args=[key, *_])
        ) if reads(key):
            return "a message is a key"
        case ast.FormattedValue(value=ast.Attribute(attr="headline" | "help")):
            return "a message is put into a text without its pieces"
        case ast.FormattedValue(value=ast.Name(id=name)) if name in names:
            return "a message is put into a text without its pieces"
        case ast.BinOp(op=ast.Add() | ast.Mod(), left=left, right=right) if reads(left, right):
            return "a message is put into a text without its pieces"
    return ""


_SPELLED = re.compile(r"`([a-z_]+)`")
# They read a call in the names that it was sent with, and write what people copy.
_AS_SENT = {"arguments", "phrases", "hosts"}


def spelled_arguments(source: Source) -> list[str]:
    """List the messages below the doors that spell an argument as our own interface calls it.

    `say("give {path}")` leaves it to the door: `--path`, or what another interface calls it.
    """
    nodes = list(ast.walk(source.tree))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [
        f"{source.path}:{node.lineno} `{name}` is spelled by the door: {{{name}}}"
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
        for name in _SPELLED.findall(node.value)
        if source.room not in _AS_SENT | _WITH_DOORS and name in _ARGUMENTS
    ]


def _names_in(schema: object) -> Iterator[str]:
    """Yield the names that a schema has, at any depth."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, Mapping) else ()
        schema = schema.values()
    elif not isinstance(schema, list | tuple):
        return
    for each in schema:
        yield from _names_in(each)


_ARGUMENTS = {name for tool in native.TOOLS for name in _names_in(tool.takes)}
