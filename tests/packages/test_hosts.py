"""The packages in the programs that read them: validators pass, and plugins work in real hosts."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from packages.bundle import bundle, bundle_name
from packages.facts import ROOT, advice
from tests.laboratory.hosts import CLAUDE, CODEX, LabHost, Place
from tests.laboratory.model import Call, ScriptedModel, Step
from tests.laboratory.running import BRIEF_SECONDS, Desk, UnavailableError, desk, packages_of

CACHE = Path(sys.prefix) / "hosts"
PLUGIN = ROOT / "plugins/claude-code"
MCPB = replace(CLAUDE, name="mcpb", packages=("@anthropic-ai/mcpb@2.1.2",))
EDIT = Call("edit", {"path": "a.py", "find": "x = 1", "content": "x = 2"})
Record = Callable[[str, object], None]


def here(host: LabHost, record: Record) -> Path | None:
    """Where the programs of a host are; the summary of the run says it if they are not."""
    try:
        return packages_of(host, CACHE, BRIEF_SECONDS)
    except UnavailableError as error:
        record("host", f"{host.packages[0]}: NOT RUN, npm does not have it here: {error}")
        return None


def ran(*command: str | Path, home: Path) -> tuple[int, str]:
    done = subprocess.run(
        list(map(str, command)),
        env={"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=BRIEF_SECONDS,
    )
    return done.returncode, done.stdout + done.stderr


@contextmanager
def at_desk(host: LabHost, base: Path, model: ScriptedModel) -> Iterator[Desk]:
    with desk(host, CACHE, base, model, BRIEF_SECONDS) as table:
        (table.place.project / "a.py").write_text("x = 1\n", encoding="utf-8")
        yield table


def test_the_validator_of_claude_code_passes(tmp_path: Path, record_property: Record) -> None:
    if (programs := here(CLAUDE, record_property)) is None:
        return
    claude = programs / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    bare = shutil.copytree(PLUGIN, tmp_path / "bare")
    (bare / "README.md").unlink()

    def validate(target: Path, *flags: str) -> tuple[int, str]:
        return ran(claude, "plugin", "validate", target, "--strict", *flags, home=tmp_path)

    directory = validate(PLUGIN, "--profile", "directory")
    assert directory[0] == 0, directory[1]
    catalogue = validate(ROOT)
    assert catalogue[0] == 0, catalogue[1]
    assert validate(bare, "--profile", "directory")[0] == 1


def test_the_validator_of_bundles_passes(tmp_path: Path, record_property: Record) -> None:
    if (programs := here(MCPB, record_property)) is None:
        return
    mcpb = ("node", programs / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
    archive = tmp_path / bundle_name()
    archive.write_bytes(bundle())

    unpacked = ran(*mcpb, "unpack", archive, tmp_path / "out", home=tmp_path)
    assert unpacked[0] == 0, unpacked[1]
    manifest = tmp_path / "out/manifest.json"
    valid = ran(*mcpb, "validate", manifest, home=tmp_path)
    assert valid[0] == 0, valid[1]
    said = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**said, "roots": []}), encoding="utf-8")
    assert ran(*mcpb, "validate", manifest, home=tmp_path)[0] != 0


def with_plugin(_: Place, prompt: str) -> list[str]:
    """How Claude Code is started with the plugin, for one session and not installed."""
    return [
        *("-p", prompt, "--output-format", "stream-json", "--verbose"),
        *("--plugin-dir", str(PLUGIN), "--allowedTools", "mcp__plugin_keyhole_keyhole"),
    ]


def of_the_plugin(tool: str, _: object) -> tuple[str, str]:
    return f"mcp__plugin_keyhole_keyhole__{tool}", ""


def test_the_plugin_works_in_claude_code_its_hook_included(
    tmp_path: Path, record_property: Record
) -> None:
    host = replace(CLAUDE, run=with_plugin)
    if here(host, record_property) is None:
        return
    model = ScriptedModel([Step((EDIT,))], naming=of_the_plugin)

    with at_desk(host, tmp_path, model) as table:
        code, output = table.ask(*host.run(table.place, "Set x to two."))
        edited = (table.place.project / "a.py").read_text(encoding="utf-8")
        history = table.keyhole("history")

    assert (code, edited) == (0, "x = 2\n"), output
    assert "1-" in history
    first = model.first
    assert first
    assert "mcp__plugin_keyhole_keyhole__edit" in {tool.name for tool in first.tools}
    assert advice() in first.system + first.prompt


def test_the_hook_says_what_is_missing_and_stops_nobody(
    tmp_path: Path, record_property: Record
) -> None:
    def environment(place: Place) -> dict[str, str]:
        return {**CLAUDE.environment(place), "PATH": "/usr/local/bin:/usr/bin:/bin"}

    host = replace(CLAUDE, run=with_plugin, environment=environment)
    if here(host, record_property) is None:
        return
    model = ScriptedModel([])

    with at_desk(host, tmp_path, model) as table:
        code, output = table.ask(*host.run(table.place, "Say that you are done."))

    assert code == 0, output
    assert model.first
    assert "`keyhole` is not on the search path" in model.first.system + model.first.prompt


def test_the_plugin_works_in_codex(tmp_path: Path, record_property: Record) -> None:
    if here(CODEX, record_property) is None:
        return
    model = ScriptedModel([Step((EDIT,))], naming=lambda tool, _: (tool, "mcp__keyhole"))

    with at_desk(CODEX, tmp_path, model) as table:
        table.ask("plugin", "marketplace", "add", str(ROOT))
        table.ask("plugin", "add", "keyhole@keyhole")
        listed = table.ask("mcp", "list")[1]
        code, output = table.ask(*CODEX.run(table.place, "Set x to two."))
        edited = (table.place.project / "a.py").read_text(encoding="utf-8")

    assert "keyhole  keyhole  mcp --root ." in listed
    assert (code, edited) == (0, "x = 2\n"), output
