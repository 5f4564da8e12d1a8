import tomllib
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests import figures, house
from tests.house import Source

ROOT = Path(__file__).parent.parent
PACKAGE = house.sources(ROOT / "src" / "keyhole")
SCRIPTS = [*house.sources(ROOT / "bench"), *house.sources(ROOT / "demo")]


def plant(files: dict[str, str]) -> list[Source]:
    return [Source.of(path, text) for path, text in files.items()]


# The rules, on the package as it is.


def test_the_rules_see_the_package() -> None:
    rooms = {source.room for source in PACKAGE}

    assert {"", "refusals", "text", "matching", "edits"} <= rooms
    assert rooms == {*house.LAYERS}


def test_every_room_imports_only_what_is_below_it() -> None:
    assert house.room_breaches(PACKAGE) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert house.cycles(PACKAGE) == []


def test_what_lies_in_one_directory_is_in_layers() -> None:
    assert house.directory_cycles(PACKAGE) == []


def test_no_door_has_a_name_of_another_room_that_a_third_passes_on() -> None:
    assert house.passed_on(PACKAGE) == []


def test_one_class_name_has_one_meaning() -> None:
    assert house.doubled_names(PACKAGE) == []


def test_a_module_that_one_other_imports_says_why_it_is_a_file() -> None:
    assert {*figures.imported_once(PACKAGE)} == {*figures.REASONS}


RULES = [
    *(house.homeless, house.oversize, house.banned, house.undocumented),
    *(house.read_messages, house.spelled_arguments, house.trees),
]


@pytest.mark.parametrize("rule", RULES)
def test_every_file_keeps_the_rule(rule: Callable[[Source], list[str]]) -> None:
    assert [breach for source in PACKAGE for breach in rule(source)] == []


def test_scripts_are_short_too() -> None:
    assert [breach for source in SCRIPTS for breach in house.oversize(source)] == []


def test_every_dependency_has_a_home_and_every_home_a_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    lines = [*project["dependencies"], *extras]
    declared = {line.split(">=")[0].split("[")[0] for line in lines}
    distributions = packages_distributions()

    assert {distributions[package][0].lower() for package in house.HOMES} == declared
    assert [
        home for home in house.HOMES.values() if not (ROOT / "src/keyhole" / home).exists()
    ] == []


# Each rule catches what it is for.


@pytest.mark.parametrize(
    ("path", "line", "target"),
    [
        ("refusals.py", "import keyhole.text.document", "keyhole.text.document"),
        ("text/diff.py", "from keyhole.matching import ladder", "keyhole.matching.ladder"),
        ("text/diff.py", "from keyhole import Document", "keyhole"),
        ("matching/ladder.py", "from keyhole.segments import Outline", "keyhole.segments"),
        ("edits/model/plan.py", "from ...journal import model", "keyhole.journal.model"),
        ("history/undo.py", "from keyhole.edits.resolve import x", "keyhole.edits.resolve"),
        ("history/undo.py", "from keyhole.edits import resolve", "keyhole.edits.resolve"),
        ("disk/files.py", "from keyhole.segments import x", "keyhole.segments"),
        ("answers/receipt.py", "from keyhole.engine import Engine", "keyhole.engine"),
        ("engine/edit/plan.py", "from keyhole.surfaces.cli import main", "keyhole.surfaces.cli"),
        ("surfaces/cli/main.py", "from keyhole.surfaces import mcp", "keyhole.surfaces.mcp"),
        ("surfaces/cli/main.py", "from keyhole.text import diff", "keyhole.text.diff"),
        ("surfaces/cli/review.py", "import keyhole.surfaces.mcp", "keyhole.surfaces.mcp"),
        ("surfaces/web/app.py", "from keyhole.surfaces import cli", "keyhole.surfaces"),
        ("surfaces/library.py", "import keyhole.edits", "keyhole.edits"),
        ("surfaces/mcp/calls.py", "import keyhole.patches.detect", "keyhole.patches.detect"),
        ("surfaces/web/app.py", "from keyhole.journal import model", "keyhole.journal.model"),
        ("surfaces/pages/diff.py", "import keyhole.text.diff", "keyhole.text.diff"),
        ("surfaces/pages/diff.py", "import keyhole.surfaces.cli", "keyhole.surfaces.cli"),
        ("toolsets/text/tools.py", "import keyhole.text.document", "keyhole.text.document"),
        ("toolsets/codex.py", "import keyhole.workspace.tree", "keyhole.workspace.tree"),
        ("toolsets/article/tools.py", "import keyhole.toolsets.text", "keyhole.toolsets.text"),
        ("toolsets/files.py", "import keyhole.toolsets.codex", "keyhole.toolsets.codex"),
        ("toolsets/codex.py", "import keyhole.surfaces.cli", "keyhole.surfaces.cli"),
        ("surprise/new.py", "import keyhole.refusals", "keyhole.refusals"),
    ],
)
@pytest.mark.parametrize(
    "frame",
    ["{}", "def f():\n    {}", "if TYPE_CHECKING:\n    {}"],
    ids=["top", "nested", "typing"],
)
def test_an_import_up_or_sideways_is_caught(path: str, line: str, target: str, frame: str) -> None:
    modules = ["matching/ladder.py", "edits/resolve.py", "journal/model.py"]
    others = dict.fromkeys([*modules, "text/diff.py", "surfaces/mcp/__init__.py"], "")
    planted = plant({**others, path: frame.format(line)})

    room = Source.of(path, "").room
    number = frame.count("\n") + 1
    assert house.room_breaches(planted) == [f"{path}:{number} {room} may not import {target}"]


def test_imports_down_the_house_pass() -> None:
    planted = plant(
        {
            "text/diff.py": "from keyhole.refusals import Refusal\nfrom .document import Document",
            "edits/resolve.py": "from keyhole.matching.ladder import x\nimport keyhole.text.diff",
            "history/undo.py": "from keyhole.edits.model import plan\nimport keyhole.edits.model",
            "answers/history.py": "from keyhole.journal.model import Entry",
            "surfaces/cli/main.py": "from keyhole import __version__\nfrom keyhole.engine import x",
            "surfaces/web/app.py": "from keyhole.engine.settings import Settings",
            "surfaces/library.py": "from keyhole.toolsets.base import Tool",
            "toolsets/codex.py": "from keyhole.patches.detect import parse",
            "toolsets/text/tools.py": "from keyhole.toolsets.text import x",
            "toolsets/base.py": "from keyhole.toolsets.schemas import Schema",
            "surfaces/cli/mcp.py": "from keyhole.surfaces.mcp import start",
        }
    )

    assert house.room_breaches(planted) == []


PASSED_ON = {
    "journal/model.py": "class Query: ...",
    "engine/recall.py": "from keyhole.journal.model import Query\n__all__ = ['Query']",
    "engine/history.py": "from .recall import Query as Asked\nQuestion = Asked",
    "engine/options.py": "class Options: ...",
    "toolsets/base.py": "class Caller: ...",
    "toolsets/__init__.py": "from keyhole.toolsets.base import Caller",
    "__init__.py": "if 0:\n    from keyhole.journal.model import Query\n__version__ = '1'",
}


@pytest.mark.parametrize(
    ("line", "name", "by"),
    [
        ("from keyhole.engine.recall import Query", "Query", "engine.recall"),
        ("from keyhole.engine.recall import Query as Asked", "Query", "engine.recall"),
        ("from keyhole.engine.history import Asked", "Asked", "engine.history"),
        ("from keyhole.engine.history import Question", "Question", "engine.history"),
        ("from keyhole.engine import recall; recall.Query()", "Query", "engine.recall"),
        ("import keyhole.engine.recall as past; past.Query()", "Query", "engine.recall"),
        ("import keyhole.engine.recall; keyhole.engine.recall.Query", "Query", "engine.recall"),
        ("from keyhole import Query", "Query", ""),
        ("import keyhole; keyhole.Query", "Query", ""),
    ],
)
@pytest.mark.parametrize("path", ["surfaces/cli/history.py", "toolsets/claude.py"])
def test_a_name_that_is_passed_on_to_a_door_is_caught(
    path: str, line: str, name: str, by: str
) -> None:
    file = f"keyhole.{by}".rstrip(".")

    assert house.passed_on(plant({**PASSED_ON, path: line})) == [
        f"{path}:1 {name} is of keyhole.journal.model, and {file} passes it on"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "from keyhole.engine.options import Options",
        "from keyhole.engine import recall; recall.found()",
        "from keyhole import toolsets; toolsets.Caller()",
        "from keyhole import __version__",
        "import json; json.dumps",
    ],
)
def test_a_name_from_its_own_room_may_be_used(line: str) -> None:
    assert house.passed_on(plant({**PASSED_ON, "surfaces/cli/history.py": line})) == []


@pytest.mark.parametrize(
    "line",
    [
        "engine.tree.read('a')",
        "tree = self._engine.tree",
        "workspaces.first.tree.walk()",
        "[place.tree for place in places]",
        "engine._tree",
        "getattr(engine, 'tree')",
        "map(attrgetter('tree'), engines)",
    ],
)
@pytest.mark.parametrize("path", ["surfaces/mcp/news.py", "toolsets/base.py"])
def test_a_door_that_reaches_for_the_tree_is_caught(path: str, line: str) -> None:
    assert house.trees(Source.of(path, line)) == [f"{path}:1 a door asks the engine, not its tree"]


def test_inside_the_engine_the_tree_is_used() -> None:
    assert house.trees(Source.of("engine/facade.py", "self._tree.read(path)")) == []


@pytest.mark.parametrize(
    "line",
    ["import re2", "from re2 import compile", "def f():\n    import re2", "import_module('re2')"],
)
def test_a_package_outside_its_home_is_caught(line: str) -> None:
    number = line.count("\n") + 1

    assert house.homeless(Source.of("matching/regex.py", line)) == []
    assert house.homeless(Source.of("edits/plan.py", line)) == [
        f"edits/plan.py:{number} re2 lives in matching/regex.py"
    ]


def test_a_package_without_a_home_is_caught() -> None:
    assert house.homeless(Source.of("edits/plan.py", "import json, requests.api")) == [
        "edits/plan.py:1 requests.api lives in no file yet: name one"
    ]


def test_a_circle_of_imports_is_caught() -> None:
    circle = {
        "text/a.py": "from keyhole.text import b",
        "text/b.py": "if TYPE_CHECKING:\n    from keyhole.text.c import thing",
        "text/c.py": "import keyhole.text.a",
        "text/d.py": "import json",
    }

    assert house.cycles(plant(circle)) == [
        f"keyhole.text.{name} is in, or above, an import cycle" for name in "abc"
    ]


def test_a_circle_of_what_lies_in_one_directory_is_caught() -> None:
    circle = {
        "edits/checks/a.py": "def f():\n    from keyhole.edits.model.b import x",
        "edits/model/b.py": "from keyhole.edits.plan import y",
        "edits/plan.py": "import keyhole.edits.checks.c",
        "edits/checks/c.py": "import json",
    }

    assert house.directory_cycles(plant(circle)) == [
        f"edits/{name} is in, or above, a circle of edits/" for name in ("checks", "model", "plan")
    ]


def test_a_lazy_import_makes_no_circle() -> None:
    lazy = {
        "text/a.py": "from keyhole.text import b",
        "text/b.py": "def f():\n    import keyhole.text.a",
    }

    assert house.cycles(plant(lazy)) == []


def test_a_name_of_two_classes_is_caught() -> None:
    planted = plant(
        {"text/a.py": "class Site:\n    pass\n", "web/b.py": "\nclass Site:\n    pass\n"}
    )

    assert house.doubled_names(planted) == ["Site is at text/a.py:1 and web/b.py:2"]


def test_a_long_file_is_caught_unless_it_says_why() -> None:
    body = "x = 1\n" * 450
    excused = f'"""A table."""  {house.EXCUSE}it is data\n{body}'

    assert house.oversize(Source.of("a.py", body)) == []
    assert house.oversize(Source.of("a.py", f"{body}x = 1\n")) == ["a.py has 451 lines"]
    assert house.oversize(Source.of("a.py", excused)) == []


def test_a_long_function_is_caught_unless_it_says_why() -> None:
    body = "    x = 1\n" * 39
    excused = f"def f():  {house.EXCUSE}it is one table\n{body}    return x\n"

    assert house.oversize(Source.of("a.py", f"def f():\n{body}")) == []
    assert house.oversize(Source.of("a.py", f"def f():\n{body}    return x\n")) == [
        "a.py:1 f has 41 lines"
    ]
    assert house.oversize(Source.of("a.py", excused)) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("text.splitlines()", "splitlines also splits at form feeds and U+2028"),
        ("lines = str.splitlines", "splitlines also splits at form feeds and U+2028"),
        ("import json, difflib", "difflib is cubic on repetitive text"),
        ("from difflib import ndiff", "difflib is cubic on repetitive text"),
        ("time.sleep(1)", "time.sleep waits for nothing in particular"),
        ("from time import sleep", "time.sleep waits for nothing in particular"),
        ("try:\n    f()\nexcept:\n    pass", "a bare except hides bugs"),
        ("try:\n    f()\nexcept Exception:\n    pass", "except Exception hides bugs"),
        (
            "try:\n    f()\nexcept (OSError, Exception) as e:\n    pass",
            "except Exception hides bugs",
        ),
        ("raise NotImplementedError", "nothing is promised without code"),
        ("raise NotImplementedError('soon')", "nothing is promised without code"),
        ("print(1)", "only surfaces print"),
        ("from typing import Any", "Any is for surfaces"),
    ],
)
def test_a_banned_call_is_caught(line: str, reason: str) -> None:
    number = line.partition("except")[0].count("\n") + 1

    assert house.banned(Source.of("edits/plan.py", line)) == [f"edits/plan.py:{number} {reason}"]


def test_surfaces_print_and_meet_any_value() -> None:
    text = "from typing import Any\nprint(1)"

    assert house.banned(Source.of("surfaces/cli/main.py", text)) == []


def test_a_name_that_says_nothing_is_caught() -> None:
    assert house.banned(Source.of("text/utils.py", "")) == [
        "text/utils.py is a name that says nothing"
    ]


def test_a_public_name_without_docstring_is_caught() -> None:
    text = "def f(): ...\ndef _g(): ...\nclass C:\n    def m(self): ...\n    def _p(self): ...\n"

    assert house.undocumented(Source.of("a.py", text)) == [
        "a.py has no docstring",
        "a.py:1 f has no docstring",
        "a.py:3 C has no docstring",
        "a.py:4 m has no docstring",
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("one.headline.endswith('is a directory')", "endswith looks into a message"),
        ("one.help.split('; ')", "split looks into a message"),
        ("told(one).partition(':')", "partition looks into a message"),
        ("receipt.as_text().replace('`find`', '--find')", "replace looks into a message"),
        ("text = render(one.where)\n    text.find('x')", "find looks into a message"),
        ("re.sub('find', 'old', one.headline)", "sub looks into a message"),
        ("NAME.search(one.message)", "search looks into a message"),
        ("'interactive' in one.help", "a comparison decides by a message"),
        ("one.message == BARE", "a comparison decides by a message"),
        ("'undone' in edit.notes", "a comparison decides by a message"),
        ("[n for n in edit.notes if n.startswith('x')]", "startswith looks into a message"),
        ("[n for n in edit.notes if 'block' in n]", "a comparison decides by a message"),
        ("f'hunk 1: {one.headline}'", "a message is put into a text without its pieces"),
        ("'hunk 1: ' + one.headline", "a message is put into a text without its pieces"),
        ("one.headline.strip().split(':')", "split looks into a message"),
        ("str(one.headline).startswith('x')", "startswith looks into a message"),
        ("'x' in one.headline.lower()", "a comparison decides by a message"),
        ("one.headline[:5] == 'edit '", "a comparison decides by a message"),
        ("one.headline[5:]", "a message is cut"),
        ("ACTIONS[one.headline]", "a message is a key"),
        ("ACTIONS.get(one.headline)", "a message is a key"),
        ("match one.headline: # by words\n        case 'x': pass", "a message is a key"),
        ("said: str = one.headline\n    said.find('x')", "find looks into a message"),
        ("a, b = one.headline, one.path\n    a.find('x')", "find looks into a message"),
        ("(said := one.headline) and said.find('x')", "find looks into a message"),
        (
            "[n for n in (e.headline for e in many) if 'x' in n]",
            "a comparison decides by a message",
        ),
        ("data['headline'] == 'x'", "a comparison decides by a message"),
        ("data.get('help', '') == 'x'", "a comparison decides by a message"),
        ("getattr(one, 'headline').find('x')", "find looks into a message"),
        ("fnmatch(one.headline, 'x*')", "fnmatch looks into a message"),
        ("[f'note: {n}' for n in e.notes]", "a message is put into a text without its pieces"),
    ],
)
def test_a_look_into_a_message_is_caught(line: str, reason: str) -> None:
    text = f"def f():\n    {line}\n"
    number = 2 if " # by words" in line else text.count("\n")

    assert house.read_messages(Source.of("a.py", text)) == [f"a.py:{number} {reason}"]


@pytest.mark.parametrize(
    "text",
    [
        "FIRST = ONE.headline.find('x')",
        "by_words = lambda one: one.headline.find('x')",
        "def f(headline): return headline.find('x')",
    ],
)
def test_a_look_into_a_message_is_caught_wherever_it_stands(text: str) -> None:
    assert house.read_messages(Source.of("a.py", text)) == ["a.py:1 find looks into a message"]


@pytest.mark.parametrize("line", ["'give `path`'", "f'`find` stands at {n} places'"])
def test_an_argument_that_a_message_spells_itself_is_caught(line: str) -> None:
    name = line.split("`")[1]

    assert house.spelled_arguments(Source.of("edits/a.py", f"def f(n):\n    return {line}")) == [
        f"edits/a.py:2 `{name}` is spelled by the door: {{{name}}}"
    ]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("edits/a.py", "say('give {path}')"),
        ("edits/a.py", "'`python` is a language'"),
        ("arguments.py", "'`path` is missing'"),
        ("toolsets/codex.py", "'`path` is missing'"),
    ],
)
def test_what_a_door_spells_passes(path: str, line: str) -> None:
    assert house.spelled_arguments(Source.of(path, line)) == []


@pytest.mark.parametrize(
    "line",
    [
        "one.code == 'stale'",
        "say('hunk {}: {}', 1, one.headline)",
        "f'help: {render(one.help, words)}'",
        "text.startswith('x')",
        "kind_of(note) == ELSEWHERE",
        f"NAME.search(one.message)  {house.FOREIGN}",
    ],
)
def test_what_is_data_may_be_looked_at(line: str) -> None:
    assert house.read_messages(Source.of("a.py", f"def f():\n    {line}\n")) == []
