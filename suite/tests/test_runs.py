"""Runs from the outside: the command line on real engines, reports, drawn cases, the wheel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from edit_suite.case import Call, Case
from edit_suite.engines.base import Contract, Server
from edit_suite.engines.generic import Tool, found_verbs
from edit_suite.engines.reference import Reference
from edit_suite.engines.table import ENGINES
from edit_suite.judge import Answer
from edit_suite.perturb import perturbed
from edit_suite.place import Place
from edit_suite.runner import run

SUITE = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check"]
TUTORIAL = SUITE / "docs" / "tutorial.md"


def _suite(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edit_suite", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SUITE / "src")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_keyhole_does_no_harm_in_a_sample(edition: list[Case], tmp_path: Path) -> None:
    sample = [case for case in edition if case.trial != "kill"][::12]

    verdicts = run(ENGINES["keyhole"](tmp_path), sample)

    assert [verdict for verdict in verdicts if verdict.harm] == []
    assert sum(verdict.helped for verdict in verdicts) >= len(verdicts) - 1


@pytest.mark.parametrize("name", ["git-apply", "gnu-patch"])
def test_programs_are_asked_for_diffs_only(name: str, edition: list[Case], tmp_path: Path) -> None:
    sample = [case for case in edition if case.id in {"diff-exact-py", "exact-line-py"}]

    outcomes = [verdict.outcome for verdict in run(ENGINES[name](tmp_path), sample)]

    assert outcomes == ["landed", "not-offered"]


def test_reports_of_two_runs_are_the_same_to_the_byte(tmp_path: Path) -> None:
    flags = ["--class", "exact", "--class", "stale", "--class", "parallel"]
    for name in ("one", "two"):
        done = _suite("run", "reference", *flags, "--json", f"{name}.json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_run_with_harm_ends_with_1_and_names_what_is_lost(tmp_path: Path) -> None:
    command = f"{sys.executable} server.py {{root}}"
    outputs = ["--json", "r.json", "--junit", "r.xml", "--badge", "r.svg"]
    chosen = ["--class", "ambiguous", "--class", "exact"]
    broken = _tutorial_server().replace("count != 1", "count == 0")
    assert broken != _tutorial_server()
    (tmp_path / "server.py").write_text(broken, encoding="utf-8")

    done = _suite("run", "mine", "--command", command, *chosen, *outputs, cwd=tmp_path)

    assert done.returncode == 1
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["sequential"]["harms"] == {"wrong-bytes": 20}
    assert all(row["loss"] for row in report["cases"] if "harm" in row)
    assert ET.parse(tmp_path / "r.xml").getroot().attrib["failures"] == "20"
    assert "harm 20" in (tmp_path / "r.svg").read_text(encoding="utf-8")


def test_the_tutorial_says_what_its_server_still_does_wrong(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(_tutorial_server(), encoding="utf-8")
    command = ["--command", f"{sys.executable} server.py {{root}}", "--json", "r.json"]

    _suite("run", "mine", *command, "--every", "9", cwd=tmp_path)

    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    harmed = {row["class"] for row in report["cases"] if "harm" in row}
    [said] = re.findall(
        r"what it still does wrong: (.*?)\. `--details", TUTORIAL.read_text("utf-8"), re.DOTALL
    )
    assert harmed == set(re.findall(r"\(`(\w+)`\)", said))


def test_a_server_of_a_command_is_measured(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(_tutorial_server(), encoding="utf-8")
    command = f"{sys.executable} server.py {{root}}"

    done = _suite("measure", "mine", "--command", command, cwd=tmp_path)

    cost = json.loads(done.stdout)
    assert [each["name"] for each in json.loads(cost["tools"])] == [
        "str_replace",
        "insert",
        "create",
    ]
    assert cost["start_ms"] > 0 < cost["edit_ms"]
    assert cost["answer"] == "done"


def test_drawn_cases_are_the_same_for_the_same_number(edition: list[Case]) -> None:
    first, again, other = (perturbed(edition, seed, 40) for seed in (7, 7, 8))

    assert first == again
    assert first != other


def test_the_reference_engine_does_no_harm_on_drawn_cases(edition: list[Case]) -> None:
    verdicts = run(Reference(), perturbed(edition, 2026, 150))

    assert [verdict for verdict in verdicts if verdict.harm or not verdict.helped] == []


def test_an_engine_without_a_tool_is_not_asked(edition: list[Case]) -> None:
    server = Server("none", lambda _root: [], {}, Contract())

    assert not any(server.offers(case) for case in edition)


@pytest.mark.parametrize("told", [{}, {"enum": ["view", "create", "str_replace", "insert"]}])
def test_a_str_replace_tool_with_commands_is_known(told: dict[str, object]) -> None:
    names = ("path", "old_str", "new_str", "file_text", "insert_line", "insert_text")
    known = {"command": told, **{name: {} for name in names}}
    asked: list[Mapping[str, object]] = []

    def ask(_tool: str, arguments: Mapping[str, object]) -> Answer:
        asked.append(arguments)
        return Answer(refused=False, text="done")

    verbs = found_verbs([Tool.of({"name": "editor", "inputSchema": {"properties": known}})])
    verbs["replace_text"](
        ask, Call("replace_text", "f", {"old": "a", "new": "b"}), Place(SUITE, "c")
    )

    assert {*verbs} == {"replace_text", "insert", "write"}
    assert asked[0]["command"] == "str_replace"


def _tutorial_server() -> str:
    [code] = re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip builds it."""
    place = tmp_path_factory.mktemp("wheel")
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(place), str(SUITE)]
    subprocess.run(build, check=True)
    [found] = place.glob("edit_suite-*.whl")
    return found


def test_the_wheel_alone_judges_the_server_of_the_tutorial(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=False)
    programs = tmp_path / "empty" / "bin"
    install = [*PIP, "--python", str(programs / "python"), "install", "--no-index", str(wheel)]
    subprocess.run(install, check=True)
    (tmp_path / "server.py").write_text(_tutorial_server(), encoding="utf-8")

    # The commands of the page, as they are printed there.
    [block] = re.findall(r"```sh\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines():
        done = subprocess.run(
            line,
            shell=True,
            cwd=tmp_path,
            env={"PATH": f"{programs}:{os.environ['PATH']}"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, "harm: none" in done.stdout) == (0, True), done.stdout


def test_the_wheel_has_no_dependency(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        [name] = [name for name in packed.namelist() if name.endswith("/METADATA")]
        metadata = packed.read(name).decode()

    assert "Requires-Dist" not in metadata
