"""Print the figures of the house: how large it is, and how much of it one call touches.

They gate nothing but that a module with one importer has its reason: `tests/test_house.py` holds
the rules. `make house` prints the figures.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from keyhole.engine.facade import Engine
from tests import house
from tests.history.test_queries import ALONE, TEXT, by_id, queries
from tests.house import Source

# Why a module that one other imports is a file of its own.
_FORMAT = "one format, looked up by its name"
_LANGUAGES = "rows of one family of languages"
_COMMAND = "a command has a file of its name"
_LATER = "loaded only where it is used"
REASONS = {
    "engine.observe.record": "what a look does that finds something; a hook mostly finds nothing",
    "journal.connection": "the home of the database, beside what asks it",
    "edits.by_name.fitting": "one of the six hard files, with its example",
    "edits.by_name.keys": "keys of configuration files, a topic of its own",
    "edits.by_name.template_blocks": "blocks of templates, a topic of its own",
    "edits.by_name.tokens": "the tokens of configuration files",
    "edits.by_text.anchors": "the lines above a hunk that a patch names",
    "edits.checks.markdown_checks": _LATER,
    "edits.checks.syntax.config": _LATER,
    "edits.checks.syntax.python": _LATER,
    "edits.series": "one of the six hard files, with its example",
    "edits.whole_call": "one id for all edits of a call",
    "edits.whole_files": "writes, copies, moves and deletes of whole files",
    "engine.administration": _LATER,
    "engine.host_status": _LATER,
    "engine.install.edits": "the edits of a host's file, by its format",
    "engine.missing_files": _LATER,
    "history.settled": "what others took away since, a topic of its own",
    "history.undo_state": "the files as an undo leaves them so far",
    "journal.upkeep": "what is forgotten, compressed, examined and counted",
    "linters.shadow": "the copy of the tree that a linter sees",
    "matching.stretch": "what `until` and an elision may leave out",
    "patches.begin_patch": _FORMAT,
    "patches.git_header": _FORMAT,
    "patches.search_replace": _FORMAT,
    "segments.code.declarations": "what a grammar's nodes declare",
    "segments.languages.classes": _LANGUAGES,
    "segments.languages.compiled": _LANGUAGES,
    "segments.languages.data": _LANGUAGES,
    "segments.languages.scripted": _LANGUAGES,
    "segments.spelling": "other spellings of one segment's name",
    "surfaces.cli.colours": _LATER,
    "surfaces.cli.edit": _COMMAND,
    "surfaces.cli.help": _LATER,
    "surfaces.cli.undo": _COMMAND,
    "surfaces.cli.install": _COMMAND,
    "surfaces.cli.mcp": _COMMAND,
    "surfaces.mcp.calls": "from the name of a tool to its call",
    "surfaces.mcp.front.greetings": "the notes on clients, beside the journal",
    "surfaces.mcp.guide": _LATER,
    "surfaces.mcp.library": _LATER,
    "surfaces.mcp.loading": _LATER,
    "surfaces.mcp.news": _LATER,
    "surfaces.web.assets": "what the page loads",
    "surfaces.web.routes": "the addresses of the page",
    "templates.expressions": "the expressions of a template",
    "templates.metering": "the budget of a template's work",
    "toolsets.article.tools": "the tools of the interface's first document",
    "toolsets.safe_edit.answers": "the answers of the interface, to its document's letter",
    "toolsets.corrections": "what a refused call may have meant",
    "toolsets.text.answers": "the answers of the interface, to its document's letter",
    "toolsets.text.tools": "the tools of the interface's first document",
    "workspace.state": "the state directory, apart from the tree",
    "answers.notebook": "answers as HTML, loaded only in a notebook",
    "engine.checkpoints": "a part of the facade that an edit does not load",
    "engine.hooks.events": "what each host says in a hook",
    "engine.refactoring": "a part of the facade that an edit does not load",
    "engine.sweep.choose": "which places a sweep takes",
    "engine.sweep.files": "which files a sweep takes",
    "engine.undoing": "loaded only where it is used",
    "git.questions": "what git is asked, the whole list",
    "sharing.worker": "a thread that answers, which knows nothing of sharing",
    "surfaces.cli.approve": "a command has a file of its name",
    "surfaces.mcp.app.drawing": "the card as HTML",
    "surfaces.pages.highlight": "the home of pygments",
    "surfaces.web.sign_in": "who may look at the page",
    "text.renewal": "new JSON for changed cells",
    "edits.neighbours": "what stands between two segments goes with one of them",
    "engine.rename.free": _LATER,
    "engine.rename.classes": "members of classes above and below, in every language",
    "engine.rename.plain_python": "what jedi reads in the place of types in quotes",
    "engine.rename.server": _LATER,
    "git.ignored": "the `.gitignore` files above a tree, a topic of its own",
    "language_servers.faults": "what is wrong in new texts alone, which any checker can be asked",
    "language_servers.session": "the one home of pygls and lsprotocol",
}
ROOT = Path(__file__).parent.parent
_EDIT = """
import sys
from keyhole.surfaces.cli.main import main
code = main(["edit", "a.py", "--find", "1", "--content", "2"])
"""
_SEGMENT = """
import sys
from pathlib import Path
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller
desk = Desk(Workspaces.open([Path(".")], Allowed()), chosen(("native",)))
edit = {"segment": "f", "content": "def f():\\n    return 2\\n"}
said = desk.call("edit", {"path": "a.py", "edits": [edit]}, Caller("figures"))
code = int(said.refused)
"""
# A module is touched if one of its functions runs: to import it is not to need it, nor is what
# runs while a module is imported (the bodies of classes, values made once).
_TRACED = """
import json, sys
touched = set()
def is_ours(frame):
    return frame.f_globals.get("__name__", "").startswith("keyhole")
def is_imported(frame):
    while frame and not (frame.f_code.co_name == "<module>" and is_ours(frame)):
        frame = frame.f_back
    return frame is not None
def look(frame, event, _):
    if event == "call" and is_ours(frame) and not is_imported(frame):
        touched.add(frame.f_globals["__name__"])
sys.setprofile(look)
{call}
sys.setprofile(None)
assert code == 0, code
sys.stderr.write(json.dumps(sorted(touched)))
"""


def main() -> None:
    """Print one figure a line."""
    package = house.sources(ROOT / "src" / "keyhole")
    functions = [size for source in package for size in _functions(source)]
    alone = list(imported_once(package))
    for name, figure in (
        ("files", len(package)),
        ("lines", sum(source.text.count("\n") for source in package)),
        ("longest function", max(functions)),
        ("longest file", max(source.text.count("\n") for source in package)),
        ("modules with one importer in their directory", len(alone)),
        ("deferred imports", sum(_deferred(source) for source in package)),
        ("modules touched by `keyhole edit --find`", len(_touched(_EDIT))),
        ("modules touched by an MCP segment edit", len(_touched(_SEGMENT))),
        ("queries of an undo of one edit", _queries_of_undo()),
    ):
        sys.stdout.write(f"{figure:7,}  {name}\n")
    for name in alone:
        sys.stdout.write(f"         one importer: {name}: {REASONS.get(name, 'no reason yet')}\n")


def _functions(source: Source) -> Iterator[int]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def imported_once(package: list[Source]) -> Iterator[str]:
    """Yield the modules that one other module of their directory imports, and nobody else."""
    names = [source.name for source in package]
    importers: dict[str, set[str]] = {}
    for source in package:
        for found in house.imports(source, names, ast.walk(source.tree)):
            importers.setdefault(found.target.removeprefix("keyhole."), set()).add(source.name)
    for name, known in sorted(importers.items()):
        others = known - {name}
        if len(others) == 1 and name in names:
            (other,) = others
            if other.rpartition(".")[0] == name.rpartition(".")[0]:
                yield name


def _deferred(source: Source) -> int:
    """Count the imports of our own modules that wait until a function is called."""
    return sum(
        isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("keyhole")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    )


def _queries_of_undo() -> int:
    """Count what an undo asks the journal beside the transaction that writes."""
    with tempfile.TemporaryDirectory() as home:
        root = Path(home, "root")
        root.mkdir()
        (root / "a.py").write_text(TEXT, encoding="utf-8")
        engine = Engine.open(root, Path(home, "state"))
        wanted = by_id(engine)
        with queries(engine) as asked:
            assert engine.undo(wanted, ALONE).ok
        engine.close()
    return len(asked)


def _touched(call: str) -> list[str]:
    """Return the modules of which a function runs in a call, in a process of its own."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
        places = {f"XDG_{kind}_HOME": f"{home}/{kind}" for kind in ("STATE", "CONFIG", "CACHE")}
        command = [sys.executable, "-c", _TRACED.format(call=call)]
        environment = {**os.environ, **places, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, encoding="utf-8", check=True
        )
    found: list[str] = json.loads(done.stderr.strip().split("\n")[-1])
    return found


if __name__ == "__main__":
    main()
