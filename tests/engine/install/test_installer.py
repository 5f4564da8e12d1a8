import json
import os
import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.install.installer import install, present, printed, uninstall
from keyhole.engine.install.records import undone
from keyhole.engine.install.request import Environment, InstallRequest, passed_on
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from keyhole.hosts.table import HOSTS
from keyhole.refusals import Refused


@pytest.fixture
def wish(tmp_path: Path) -> InstallRequest:
    for name in ("home", "my project"):
        (tmp_path / name).mkdir()
    environment = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return InstallRequest(
        "claude-code",
        lambda: tmp_path / "my project",
        program=("/opt/keyhole",),
        environment=environment,
    )


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_file_that_was_changed_since_loses_our_block_and_nothing_else(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = put(tmp_path / "home/.claude.json", '{"a": 1}')
    install(wish)
    data = json.loads(file.read_text(encoding="utf-8"))
    rewritten = json.dumps({**data, "numStartups": 2}, indent=4)
    put(file, rewritten)

    done = uninstall(wish)

    wanted = {"a": 1, "mcpServers": {}, "numStartups": 2}
    assert [change.outcome for change in done.changes] == ["applied"]
    assert json.loads(file.read_text(encoding="utf-8")) == wanted
    assert file.read_text(encoding="utf-8") == json.dumps(wanted, indent=4)


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path, wish: InstallRequest) -> None:
    real = put(tmp_path / "dotfiles/claude.json", "{}\n")
    real.chmod(0o600)
    link = tmp_path / "home/.claude.json"
    link.symlink_to(real)

    install(wish)
    written = real.read_bytes()
    kept = (link.is_symlink(), real.stat().st_mode & 0o777)
    uninstall(wish)

    assert b"/opt/keyhole" in written
    assert kept == (True, 0o600) == (link.is_symlink(), real.stat().st_mode & 0o777)
    assert real.read_bytes() == b"{}\n"


def test_a_dry_run_writes_nothing(tmp_path: Path, wish: InstallRequest) -> None:
    done = install(replace(wish, dry_run=True, instructions=True, only=True))

    assert all(change.diff for change in done.changes)
    assert not list((tmp_path / "home").iterdir()) + list((tmp_path / "my project").iterdir())


def test_no_directory_becomes_a_workspace(tmp_path: Path, wish: InstallRequest) -> None:
    install(wish)

    assert [each.name for each in (tmp_path / "state/keyhole").iterdir()] == ["installs"]


def test_what_was_made_goes_with_its_directories(tmp_path: Path, wish: InstallRequest) -> None:
    codex = replace(wish, host="codex")
    install(codex)
    there = (tmp_path / "home/.codex/config.toml").exists()
    uninstall(codex)

    assert there
    assert not (tmp_path / "home/.codex").exists()


def test_projects_have_names_of_their_own_where_one_file_is_for_all(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = tmp_path / "home/.codeium/windsurf/mcp_config.json"
    put(file, "{\n}\n")
    wishes = []
    for at in ("my project", "other", "deep/other"):
        (tmp_path / at).mkdir(parents=True, exist_ok=True)
        wishes.append(replace(wish, host="windsurf", project=partial((tmp_path).joinpath, at)))
        install(wishes[-1])
        install(wishes[-1])
    servers = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]

    first, second, third = servers
    assert (first, second) == ("keyhole-my-project", "keyhole-other")
    assert third.startswith("keyhole-other-")
    assert [servers[name]["args"][2] for name in servers] == [
        str(tmp_path / at) for at in ("my project", "other", "deep/other")
    ]
    for each in reversed(wishes):
        uninstall(each)
    assert file.read_bytes() == b"{\n}\n"


def test_only_denies_the_tools_of_the_host_and_comes_out_again(
    tmp_path: Path, wish: InstallRequest
) -> None:
    settings = tmp_path / "home/.claude/settings.json"
    was = '{\n  "permissions": {\n    "deny": ["Write", "WebFetch"] // mine\n  }\n}\n'
    put(settings, was)

    install(replace(wish, only=True))
    now = settings.read_text(encoding="utf-8")
    uninstall(wish)

    assert now == was.replace('"WebFetch"]', '"WebFetch", "Edit", "NotebookEdit"]')
    assert settings.read_text(encoding="utf-8") == was


def test_switches_are_set_and_come_out_again(tmp_path: Path, wish: InstallRequest) -> None:
    file = tmp_path / "home/.config/opencode/opencode.json"
    was = '{\n  "tools": {\n    "edit": true,\n    "bash": true\n  }\n}\n'
    put(file, was)
    opencode = replace(wish, host="opencode")

    install(replace(opencode, only=True))
    tools = json.loads(file.read_text(encoding="utf-8"))["tools"]
    uninstall(opencode)

    assert tools == {"edit": False, "bash": True, "write": False, "patch": False}
    assert file.read_text(encoding="utf-8") == was


def test_a_host_that_cannot_be_told_is_told_of(wish: InstallRequest) -> None:
    done = install(replace(wish, host="cline", only=True))

    assert done.notes == ("Cline cannot be told to leave its own tools for editing out",)


def test_instructions_are_a_section_of_their_own(tmp_path: Path, wish: InstallRequest) -> None:
    file = put(tmp_path / "my project/CLAUDE.md", "# Rules\n\nBe kind.\n")

    install(replace(wish, instructions=True))
    install(replace(wish, instructions=True))
    text = file.read_text(encoding="utf-8")
    uninstall(wish)

    assert text.startswith("# Rules\n\nBe kind.\n\n## Editing files with keyhole\n\nChange files")
    assert text.count("## Editing files with keyhole") == 1
    assert file.read_text(encoding="utf-8") == "# Rules\n\nBe kind.\n"


@pytest.mark.parametrize(
    ("host", "text", "code"),
    [
        ("emacs", None, "bad-request"),
        ("claude-code", '{"mcpServers": []}', "wrong-segment-kind"),
        ("claude-code", '{"mcpServers": 1}', "wrong-segment-kind"),
        ("claude-code", '{"mcpServers": {}, "mcpServers": {}}', "ambiguous"),
        ("claude-code", "{" + '"a": {' * 3, "unparsable"),
        ("claude-code", "\x00\x01\x02", "unparsable"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_and_nothing_changes(
    tmp_path: Path, wish: InstallRequest, host: str, text: str | None, code: str
) -> None:
    file = tmp_path / "home/.claude.json"
    if text is not None:
        put(file, text)

    with pytest.raises(Refused) as refused:
        install(replace(wish, host=host))

    assert refused.value.refusals[0].code == code
    assert text is None or file.read_text(encoding="utf-8") == text


def test_a_host_without_files_of_projects_is_refused(wish: InstallRequest) -> None:
    with pytest.raises(Refused) as refused:
        install(replace(wish, host="cline", scope="project"))

    [refusal] = refused.value.refusals
    assert (refusal.code, refusal.help) == ("bad-request", "install it with --user")


def test_a_file_that_is_no_file_is_refused(tmp_path: Path, wish: InstallRequest) -> None:
    put(tmp_path / "home/.claude.json", "{}\n")
    os.mkfifo(tmp_path / "home/.pipe")
    (tmp_path / "home/.claude.json").unlink()
    (tmp_path / "home/.claude.json").symlink_to(tmp_path / "home/.pipe")

    with pytest.raises(Refused) as refused:
        install(wish)

    assert refused.value.refusals[0].code == "not-text"


def test_without_a_scope_it_is_looked_for_in_both_files(
    tmp_path: Path, wish: InstallRequest
) -> None:
    install(replace(wish, scope="project"))
    there = (tmp_path / "my project/.mcp.json").exists()

    done = uninstall(wish)

    assert (there, done.scope) == (True, "project")
    assert not (tmp_path / "my project/.mcp.json").exists()


def test_what_a_host_asks_of_a_person_is_said(wish: InstallRequest) -> None:
    done = install(replace(wish, scope="project"))

    assert done.notes == ("Claude Code asks for approval when it starts next",)


def test_a_file_whose_name_hides_its_format_is_refused(
    tmp_path: Path, wish: InstallRequest
) -> None:
    real = put(tmp_path / "dotfiles/claude", "{}\n")
    (tmp_path / "home/.claude.json").symlink_to(real)

    with pytest.raises(Refused) as refused:
        install(wish)

    assert refused.value.refusals[0].code == "wrong-segment-kind"
    assert real.read_bytes() == b"{}\n"


def test_an_entry_in_the_middle_of_others_that_were_changed_comes_out_alone(
    tmp_path: Path, wish: InstallRequest
) -> None:
    codex = replace(wish, host="codex")
    file = put(tmp_path / "home/.codex/config.toml", 'model = "o3"\n')
    install(codex)
    more = "\n[tui]\na = 1 # mine\n"
    file.write_text(file.read_text(encoding="utf-8") + more, encoding="utf-8")

    uninstall(codex)

    assert file.read_text(encoding="utf-8") == 'model = "o3"\n' + more


def test_to_take_out_what_is_not_there_is_refused(wish: InstallRequest) -> None:
    with pytest.raises(Refused) as refused:
        uninstall(wish)

    assert refused.value.refusals[0].code == "nothing-to-undo"


def test_the_environment_that_counts_is_passed_on_without_secrets() -> None:
    environment = {"XDG_STATE_HOME": "/s", "PATH": "/bin", "KEYHOLE_PROJECT": "p"}
    url = "postgresql://me@db/team"

    shared = {"KEYHOLE_JOURNAL": url, "KEYHOLE_PROJECT": "p"}
    assert passed_on({**environment, **shared}) == Environment({"XDG_STATE_HOME": "/s", **shared})
    assert passed_on({**environment, **shared}, shared=True) == Environment(
        shared, inherited=("XDG_STATE_HOME",)
    )
    kept = passed_on({**environment, "KEYHOLE_JOURNAL": "postgresql://me:word@db/team"})
    assert "KEYHOLE_JOURNAL" not in kept.values
    assert kept.notes


SHARED = [name for name, host in HOSTS.items() if host.project]


@pytest.mark.parametrize("host", SHARED)
@pytest.mark.parametrize("source", ["", "k.whl", "git+https://host/keyhole"])
def test_the_file_of_a_project_names_nothing_of_this_machine(
    tmp_path: Path, wish: InstallRequest, monkeypatch: pytest.MonkeyPatch, host: str, source: str
) -> None:
    put(tmp_path / "my project/k.whl", "")
    monkeypatch.chdir(tmp_path / "my project")
    shared = replace(wish, host=host, scope="project", source=source, on_path=False)

    text, where = printed(shared)
    done = install(shared)

    [change] = done.changes
    assert Path(change.path).read_text(encoding="utf-8").strip() == text.strip()
    assert str(tmp_path) not in text
    assert not re.search(r'"[/~]', text)
    assert '"keyhole"' in text
    assert where.split("\n")[0] == f"{HOSTS[host].title}: put this into {change.path}"
    assert ("note: the file starts `keyhole`" in where) == (not source)
    if source:
        root = "${workspaceFolder}" if "workspaceFolder" in text else "."
        wanted = source if ":" in source else f"{root}/{source}"
        assert json.dumps(["--from", wanted, "keyhole", "mcp"])[1:-1] in text


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("keyhole", "bad-request"),
        ("keyhole==0.2", "bad-request"),
        ("keyhole[postgres]", "bad-request"),
        ("keyhole @ keyhole", "bad-request"),
        ("--index-url=https://x", "bad-request"),
        ("https://token@host/k.whl", "bad-request"),
        ("git+https://me:word@host/k", "bad-request"),
        ("./none.whl", "no-file"),
        ("../outside.whl", "bad-request"),
    ],
)
def test_what_a_project_may_not_start_is_refused(
    tmp_path: Path, wish: InstallRequest, monkeypatch: pytest.MonkeyPatch, source: str, code: str
) -> None:
    put(tmp_path / "outside.whl", "")
    monkeypatch.chdir(tmp_path / "my project")

    with pytest.raises(Refused) as refused:
        install(replace(wish, scope="project", source=source))

    assert refused.value.refusals[0].code == code
    assert not list((tmp_path / "my project").iterdir())


def test_a_flag_that_names_a_place_of_this_machine_is_not_shared(wish: InstallRequest) -> None:
    flags = ("--journal", "/srv/journal")

    with pytest.raises(Refused):
        printed(replace(wish, scope="project", flags=flags))
    assert "/srv/journal" in printed(replace(wish, flags=flags))[0]


def test_a_host_is_trusted_only_if_the_user_says_so(wish: InstallRequest) -> None:
    plain = {host: printed(replace(wish, host=host)) for host in HOSTS}
    trusting = {host: printed(replace(wish, host=host, trust=True)) for host in HOSTS}

    more = {host for host in HOSTS if plain[host][0] != trusting[host][0]}
    assert more == {"codex", "gemini-cli", "qwen-code"}
    assert '"trust": true' in trusting["gemini-cli"][0]
    assert 'default_tools_approval_mode = "approve"' in trusting["codex"][0]
    assert {host for host in HOSTS if "--trust" in trusting[host][1]} == {*HOSTS} - more


WAITING = {
    "codex": ("required = true", "startup_timeout_sec = 30"),
    "claude-code": ('"alwaysLoad": true',),
    "cline": ('"timeout": 60',),
    "goose": ("timeout: 300",),
    "pi": ('"directTools": true',),
}


@pytest.mark.parametrize("host", WAITING)
def test_hosts_wait_for_the_server_where_they_can_be_told(wish: InstallRequest, host: str) -> None:
    text, _ = printed(replace(wish, host=host))

    assert all(words in text for words in WAITING[host])
    assert str(wish.environment["XDG_STATE_HOME"]) in text


def test_hosts_are_found_by_program_and_by_file(tmp_path: Path, wish: InstallRequest) -> None:
    (tmp_path / "home/.codex").mkdir()
    program = put(tmp_path / "bin/gemini", "#!/bin/sh\n")
    program.chmod(0o755)
    environment = {**wish.environment, "PATH": str(program.parent)}
    found = present(environment)
    put(tmp_path / "home/.claude.json", "{}")

    assert found == ("codex", "gemini-cli")
    assert present(environment) == ("claude-code", *found)


def test_lists_and_switches_that_are_not_there_are_made(
    tmp_path: Path, wish: InstallRequest
) -> None:
    settings = put(tmp_path / "home/.claude/settings.json", '{\n  "model": "x"\n}\n')
    opencode = put(tmp_path / "home/.config/opencode/opencode.json", '{\n  "model": "x"\n}\n')

    install(replace(wish, only=True))
    install(replace(wish, host="opencode", only=True))
    again = install(replace(wish, host="opencode", only=True))

    denied = json.loads(settings.read_text(encoding="utf-8"))["permissions"]
    tools = json.loads(opencode.read_text(encoding="utf-8"))["tools"]
    assert denied == {"deny": ["Edit", "Write", "NotebookEdit"]}
    assert tools == {"edit": False, "write": False, "patch": False}
    assert [change.outcome for change in again.changes] == ["unchanged", "unchanged"]


def test_a_section_in_instructions_that_were_changed_comes_out_alone(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = put(tmp_path / "my project/CLAUDE.md", "# Rules\n")
    install(replace(wish, instructions=True))
    text = file.read_text(encoding="utf-8").replace("not by rewriting them", "please")
    put(file, text.replace("# Rules\n", "# Our rules\n") + "\n## More\n")

    uninstall(wish)

    assert file.read_text(encoding="utf-8") == "# Our rules\n\n## More\n"


def test_an_item_of_a_list_that_was_changed_comes_out_alone(
    tmp_path: Path, wish: InstallRequest
) -> None:
    hosted = replace(wish, host="continue")
    file = put(tmp_path / "home/.continue/config.yaml", 'mcpServers: [{"name": "fs"}]\n')
    install(hosted)
    put(file, file.read_text(encoding="utf-8") + "models: []\n")

    uninstall(hosted)

    assert file.read_text(encoding="utf-8") == 'mcpServers: [{"name": "fs"}]\nmodels: []\n'


def test_an_id_that_two_directories_have_is_not_guessed(
    tmp_path: Path, wish: InstallRequest
) -> None:
    # A directory of its own each, since both are there before anything is written.
    for name in (".codex", ".gemini"):
        (tmp_path / "home" / name).mkdir()
    for host in ("codex", "gemini-cli"):
        install(replace(wish, host=host))

    with pytest.raises(Refused) as refused:
        undone(UndoRequest(id="install-1"), Options(), wish.environment)

    assert refused.value.refusals[0].code == "ambiguous"
    assert (tmp_path / "home/.codex/config.toml").exists()


def test_a_directory_that_is_gone_has_nothing_to_take_back(
    tmp_path: Path, wish: InstallRequest
) -> None:
    (tmp_path / "home/.codex").mkdir()
    [change] = install(replace(wish, host="codex")).changes
    shutil.rmtree(tmp_path / "home/.codex")

    with pytest.raises(Refused) as refused:
        undone(UndoRequest(id=change.transaction), Options(), wish.environment)

    assert refused.value.refusals[0].code == "nothing-to-undo"


def test_an_undo_keeps_what_others_changed_and_refuses_what_overlaps(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = put(tmp_path / "home/.claude.json", '{\n  "a": 1,\n\n  "b": 1\n}\n')
    [change] = install(wish).changes
    put(file, file.read_text(encoding="utf-8").replace('"a": 1', '"a": 2'))
    wanted = UndoRequest(id=change.transaction)

    receipt = undone(wanted, Options(), wish.environment)
    assert (receipt.ok, file.read_text(encoding="utf-8")) == (
        True,
        '{\n  "a": 2,\n\n  "b": 1\n}\n',
    )

    [change] = install(wish).changes
    changed = file.read_text(encoding="utf-8").replace("/opt/keyhole", "/usr/bin/keyhole")
    put(file, changed)
    receipt = undone(UndoRequest(id=change.transaction), Options(), wish.environment)
    assert not receipt.ok
    assert receipt.refusals[0].path == str(file)
    assert file.read_text(encoding="utf-8") == changed


def test_a_list_within_a_line_that_is_no_json_gets_and_loses_our_item(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = put(tmp_path / "home/.continue/config.yaml", "mcpServers: [{name: fs, command: npx}]\n")
    wish = replace(wish, host="continue")
    install(wish)
    put(file, file.read_text(encoding="utf-8").replace("npx", "uvx") + "models: []\n")

    install(replace(wish, program=("/usr/keyhole",)))
    changed = file.read_text(encoding="utf-8")
    uninstall(wish)

    assert changed.count("keyhole") == 2
    assert '"command": "/usr/keyhole"' in changed
    assert file.read_text(encoding="utf-8") == (
        "mcpServers: [{name: fs, command: uvx}]\nmodels: []\n"
    )


def test_somebodys_item_of_our_name_within_a_line_is_not_doubled(
    tmp_path: Path, wish: InstallRequest
) -> None:
    text = "mcpServers: [{name: keyhole, command: npx}]\n"
    file = put(tmp_path / "home/.continue/config.yaml", text)

    with pytest.raises(Refused, match="in a list within a line that is no JSON"):
        install(replace(wish, host="continue"))

    assert file.read_text(encoding="utf-8") == text


def test_a_dry_run_of_what_is_set_up_already_says_so(wish: InstallRequest) -> None:
    install(wish)

    assert install(replace(wish, dry_run=True)).as_text().splitlines()[0] == (
        "Claude Code: keyhole is set up already as the server `keyhole` (dry run)"
    )


def test_a_second_installation_over_a_rewritten_file_is_taken_out_whole(
    tmp_path: Path, wish: InstallRequest
) -> None:
    file = put(tmp_path / "home/.claude.json", '{"a": 1}')
    install(wish)
    data = json.loads(file.read_text(encoding="utf-8"))
    put(file, json.dumps({"b": 2, **data}, indent=4))
    install(replace(wish, program=("/usr/keyhole",)))

    done = uninstall(wish)

    assert done.taken_out
    assert json.loads(file.read_text(encoding="utf-8")) == {"b": 2, "a": 1, "mcpServers": {}}
