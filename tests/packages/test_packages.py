"""Packages are made from the code, the same every time, and are what their formats ask for."""

import hashlib
import io
import json
import re
import subprocess
import zipfile
from base64 import b64decode
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema  # type: ignore[import-untyped]
import pytest

import keyhole
from keyhole.hosts.table import INSTRUCTIONS
from keyhole.surfaces.mcp.guide import GUIDE
from packages.bundle import bundle, bundle_name, registration
from packages.facts import ROOT, facts, semantic
from packages.plugins import files, links
from tests.packages import schemas
from tests.surfaces.mcp.host import Data

MADE = files()
# What hosts read from the repository lies there as it was made.
PLACES = ("plugins", ".agents", ".claude-plugin", ".cursor-plugin")


def read(path: str) -> Data:
    return json.loads(MADE[path])


def test_the_repository_holds_what_is_made() -> None:
    there = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for place in PLACES
        for path in (ROOT / place).rglob("*")
        if path.is_file()
    }

    assert sorted(there) == sorted(MADE), "run `make packages`"
    assert [path for path in MADE if there[path] != MADE[path]] == [], "run `make packages`"


def test_the_same_code_makes_the_same_bytes() -> None:
    assert files() == MADE
    assert bundle() == bundle()


SCHEMAS = {
    "plugins/agent-plugin/plugin.json": schemas.AGENT_PLUGIN,
    "plugins/agent-plugin/mcp.json": schemas.AGENT_SERVERS,
    "plugins/cursor/.cursor-plugin/plugin.json": schemas.CURSOR_PLUGIN,
    ".cursor-plugin/marketplace.json": schemas.CURSOR_CATALOGUE,
    "plugins/codex/.codex-plugin/plugin.json": schemas.CODEX_PLUGIN,
    ".agents/plugins/marketplace.json": schemas.CODEX_CATALOGUE,
}


@pytest.mark.parametrize("path", SCHEMAS)
def test_a_manifest_is_as_its_schema_says(path: str) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[path]).validate(read(path))


@pytest.mark.parametrize("path", SCHEMAS)
def test_a_manifest_without_its_keys_is_not(path: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMAS[path]).validate({})


@pytest.mark.parametrize("named", [(), ("io.github.someone", "https://someone.example/releases/")])
def test_the_registration_names_the_bundle_by_its_hash(named: tuple[str, ...]) -> None:
    archive = bundle()

    value = json.loads(registration(archive, *named))

    jsonschema.Draft202012Validator(schemas.REGISTRY).validate(value)
    [package] = value["packages"]
    assert package["fileSha256"] == hashlib.sha256(archive).hexdigest()
    assert package["identifier"].endswith(f"/releases/{bundle_name()}")
    assert value["name"] == f"{(named or ('example.keyhole',))[0]}/keyhole"


@pytest.mark.parametrize("path", [path for path in MADE if not path.endswith(".png")])
def test_no_file_names_a_place_of_one_machine_or_a_package_that_is_not_ours(path: str) -> None:
    text = MADE[path].decode()

    assert str(ROOT) not in text
    assert not re.search(r"(^|[\s\"'`])/(?!dev/null|mcp\b)[a-z]+/", text, re.MULTILINE)
    assert "uvx" not in text
    assert "pip install keyhole" not in text


@pytest.mark.parametrize(
    "path", [path for path in MADE if path.endswith("mcp.json")], ids=lambda path: path
)
def test_a_server_is_the_program_on_the_search_path(path: str) -> None:
    entry = read(path)["mcpServers"]["keyhole"]

    assert (entry["command"], entry["args"][0]) == ("keyhole", "mcp")


def test_one_text_is_the_skill_of_all() -> None:
    skills = [body.decode() for path, body in MADE.items() if path.endswith("SKILL.md")]

    assert len(skills) == 4
    assert len(set(skills)) == 1
    assert skills[0].startswith("---\nname: editing-files\ndescription: ")
    assert skills[0].endswith(GUIDE)


def test_a_rule_says_what_an_instruction_file_says() -> None:
    assert MADE["plugins/cursor/rules/keyhole.mdc"].decode().endswith(INSTRUCTIONS)


def test_manifests_have_the_version_of_the_program() -> None:
    manifests = [path for path in MADE if path.endswith("plugin.json")]

    assert len(manifests) == 4
    assert {read(path)["version"] for path in manifests} == {semantic(keyhole.__version__)}


@pytest.mark.parametrize(
    ("python", "semver"),
    [("0.2.0.dev0", "0.2.0-dev.0"), ("1.0.0", "1.0.0"), ("1.2.0rc1", "1.2.0-rc.1")],
)
def test_versions_are_spelt_for_hosts(python: str, semver: str) -> None:
    assert semantic(python) == semver


def test_the_bundle_holds_the_program_and_names_every_tool(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle())) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
    said = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    tracked = subprocess.run(
        ["git", "ls-files", "src"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    ).stdout.splitlines()

    assert {tool["name"] for tool in said["tools"]} == set(facts().tools)
    assert {*tracked, "manifest.json", "icon.png", "pyproject.toml", "LICENSE"} <= set(names)
    assert said["server"]["entry_point"] in names
    assert said["server"]["mcp_config"]["args"][-1] == "${user_config.roots}"


@pytest.mark.parametrize("editor", ["VS Code", "Cursor"])
def test_the_readme_has_the_link_of_an_editor(editor: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"[{editor}]({links()[editor]})" in readme


def test_a_link_holds_the_entry() -> None:
    code, cursor = links()["VS Code"], links()["Cursor"]
    [config] = parse_qs(urlsplit(cursor).query)["config"]

    assert json.loads(unquote(code.partition("?")[2])) == {
        "name": "keyhole",
        "type": "stdio",
        "command": "keyhole",
        "args": ["mcp"],
    }
    assert json.loads(b64decode(config)) == {"command": "keyhole", "args": ["mcp"]}
