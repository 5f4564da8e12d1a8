"""The linters themselves, as they are installed: what is new is told, what is old is not."""

import json
import re
from pathlib import Path

from keyhole.fastclasses import replace
from keyhole.linters.configured import BUILTIN
from keyhole.linters.formats import FORMATS
from tests.linters.stage import Stage

LOCK = Path(__file__).parent / "npm" / "package-lock.json"
Told = list[tuple[int, str, str]]


def told(stage: Stage, name: str, **texts: str) -> Told:
    """Return what a linter says about a plan, and hold it to saying that without trouble."""
    # A busy machine is not a bug.
    report = stage.lint(stage.plan(**texts), replace(BUILTIN[name], timeout=300))
    assert report.warnings == ()
    return [
        (finding.line, finding.severity, finding.code)
        for found in report.findings.values()
        for finding in found
    ]


def test_every_row_can_be_run_and_read() -> None:
    for name, row in BUILTIN.items():
        assert row.name == name
        assert row.format in FORMATS
        words = " ".join(row.command)
        assert set(re.findall(r"\{\w+\}", words)) <= {
            "{path}",
            "{paths}",
            "{dir}",
            "{cache}",
            "{digest}",
        }


def test_ruff_tells_what_is_new(stage: Stage) -> None:
    stage.put("pyproject.toml", '[tool.ruff.lint]\nselect = ["E", "F"]\n')
    stage.put("app.py", "import os\n\nprint(unknown)\n")
    new = "import os\n\nprint(unknown)\nimport json\nprint(missing)\n"

    assert told(stage, "ruff", app_py=new) == [
        (4, "warning", "E402"),
        (4, "warning", "F401"),
        (5, "error", "F821"),
    ]


def test_ruff_reads_the_projects_configuration(stage: Stage) -> None:
    stage.put("pyproject.toml", '[tool.ruff.lint]\nignore = ["F821"]\n')

    assert told(stage, "ruff", app_py="print(missing)\n") == []


def test_ruff_leaves_out_what_its_configuration_leaves_out(stage: Stage) -> None:
    stage.put("pyproject.toml", '[tool.ruff]\nextend-exclude = ["made"]\n')

    assert told(stage, "ruff", made__app_py="print(missing)\n") == []


def test_mypy_tells_what_is_new_and_knows_the_other_modules(stage: Stage) -> None:
    stage.put("mypy.ini", "[mypy]\ndisallow_untyped_defs = True\n")
    stage.put("shop/__init__.py", "")
    stage.put("shop/prices.py", "def double(price: int) -> int:\n    return price * 2\n")
    old = "from shop.prices import double\n\ndouble('old')\n"
    stage.put("shop/till.py", old)

    fresh = told(stage, "mypy", shop__till_py=f"{old}double('new')\n\n\ndef f(x): ...\n")

    assert fresh == [(4, "error", "arg-type"), (7, "error", "no-untyped-def")]
    assert not (stage.root / ".mypy_cache").exists()


def test_mypy_sees_all_files_of_a_call(stage: Stage) -> None:
    stage.put("prices.py", "def double(price: int) -> int:\n    return price * 2\n")
    stage.put("till.py", "from prices import double\n\nprint(double(2))\n")

    fresh = told(
        stage,
        "mypy",
        prices_py="def twice(price: int) -> int:\n    return price * 2\n",
        till_py="from prices import twice\n\nprint(twice('2'))\n",
    )

    assert fresh == [(3, "error", "arg-type")]


def test_mypy_remembers_nothing_of_a_text_that_was_not_written(stage: Stage) -> None:
    """Texts of one length that come within a second: the cache must tell them apart."""
    stage.put("a.py", "x: int = 1000\n")

    for _ in range(2):
        assert told(stage, "mypy", a_py="x: int = 1001\n") == []
        assert told(stage, "mypy", a_py="x: int = '10'\n") == [(1, "error", "assignment")]


def test_pylint_tells_what_is_new(stage: Stage) -> None:
    stage.put("pyproject.toml", '[tool.pylint.main]\ndisable = ["missing-module-docstring"]\n')
    old = '"""Said."""\nimport os\n\nprint(unknown)\n'
    stage.put("app.py", old)

    assert told(stage, "pylint", app_py=f"{old}print(missing)\nimport json\n") == [
        (5, "error", "undefined-variable"),
        (6, "info", "wrong-import-position"),
        (6, "warning", "unused-import"),
    ]


def test_pylint_sees_all_files_of_a_call(stage: Stage) -> None:
    stage.put("prices.py", "def double(price):\n    return price * 2\n")
    stage.put("till.py", "from prices import double\nprint(double(2))\n")

    fresh = told(
        stage,
        "pylint",
        prices_py="def twice(price):\n    return price * 2\n",
        till_py="from prices import twice\nprint(twice(2))\n",
    )

    assert [row for row in fresh if row[1] == "error"] == []


TSCONFIG = '{"compilerOptions": {"strict": true, "lib": ["es2022"], "types": []}}'
ESLINT = 'export default [{ rules: { "no-undef": "error", "no-unused-vars": "warn" } }];\n'


def test_eslint_tells_what_is_new(npm_stage: Stage) -> None:
    npm_stage.put("eslint.config.mjs", ESLINT)
    npm_stage.put("web/app.js", "let unused = 1;\nunknown();\n")
    new = "let unused = 1;\nunknown();\nmissing();\nlet another = 2;\n"

    assert told(npm_stage, "eslint", web__app_js=new) == [
        (3, "error", "no-undef"),
        (4, "warning", "no-unused-vars"),
    ]


def test_eslint_sees_all_files_of_a_call_in_a_mirror(npm_stage: Stage) -> None:
    npm_stage.put("eslint.config.mjs", ESLINT)
    npm_stage.put("a.js", "")
    npm_stage.put("b.js", "")

    assert told(npm_stage, "eslint", a_js="missing();\n", b_js="lost();\n") == [
        (1, "error", "no-undef"),
        (1, "error", "no-undef"),
    ]


def test_eslint_without_a_configuration_is_a_warning(npm_stage: Stage) -> None:
    report = npm_stage.lint(npm_stage.plan(a_js="x;\n"), BUILTIN["eslint"])

    (warning,) = report.warnings
    assert re.match(r"eslint failed with exit code 2: .*eslint\.config", warning)


def test_the_eslint_of_a_workspace_runs_once_it_is_trusted(stage: Stage, npm_programs: str) -> None:
    stage.put("eslint.config.mjs", ESLINT)
    (stage.root / "node_modules").symlink_to(Path(npm_programs).parent)
    plan = stage.plan(a_js="missing();\n")

    untrusted = stage.lint(plan, BUILTIN["eslint"])
    trusted = stage.lint(plan, BUILTIN["eslint"], trusted=True)

    assert untrusted.findings == {}
    own = "node_modules/.bin/eslint is part of the workspace; `keyhole trust` lets it run"
    assert untrusted.warnings == (f"eslint was not run: {own}",)
    assert [finding.code for finding in trusted.findings["a.js"]] == ["no-undef"]


def test_tsc_tells_what_is_new_and_knows_the_other_modules(npm_stage: Stage) -> None:
    npm_stage.put("tsconfig.json", TSCONFIG)
    price = "export class Price { private n = 1; twice(): number { return this.n * 2 } }\n"
    npm_stage.put("src/price.ts", price)
    npm_stage.put(
        "src/make.ts", 'import { Price } from "./price";\nexport const one = new Price();\n'
    )
    # It imports what imports it: the class must be one and the same on the way.
    changed = f'import {{ one }} from "./make";\n{price}export const same: Price = one;\n'

    assert told(npm_stage, "tsc", src__price_ts=changed) == []
    assert told(npm_stage, "tsc", src__price_ts=f"{changed}const s: string = 1;\n") == [
        (4, "error", "TS2322")
    ]


def test_pyright_tells_what_is_new(npm_stage: Stage) -> None:
    npm_stage.put("prices.py", "def double(price: int) -> int:\n    return price * 2\n")
    old = "from prices import double\n\ndouble('old')\n"
    npm_stage.put("till.py", old)

    assert told(npm_stage, "pyright", till_py=f"{old}double('new')\n") == [
        (4, "error", "reportArgumentType")
    ]


def test_the_npm_lock_has_hashes_and_no_addresses() -> None:
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]

    locked = {name: package for name, package in packages.items() if name}
    assert len(locked) > 50
    assert [name for name, package in locked.items() if "integrity" not in package] == []
    assert [name for name, package in locked.items() if "resolved" in package] == []
