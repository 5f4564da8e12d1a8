import json
import re
from pathlib import Path

from tests.surfaces.cli.shell import Shell


def test_a_host_is_set_up_and_taken_out(keyhole: Shell) -> None:
    file = keyhole.base / "home/.codex/config.toml"
    file.parent.mkdir()
    file.write_text('model = "o3" # mine\n', encoding="utf-8")

    done = keyhole.ok("install", "codex", "--", "--read-only")
    text = file.read_text(encoding="utf-8")
    out = keyhole.ok("uninstall", "codex")

    ids = re.findall(r"applied as (install-\d+-[0-9a-f]{4})\n", done.out + out.out)
    assert done.out == (
        "Codex: keyhole is set up as the server `keyhole`\n"
        f"  {file}: the server, applied as {ids[0]}\n"
        "  see it: run `codex mcp list`\n"
        "  take it out: keyhole uninstall codex --user\n"
    )
    assert text.startswith('model = "o3" # mine\n\n[mcp_servers.keyhole]\n')
    assert 'args = ["mcp", "--root", ".", "--read-only"]\n' in text
    assert out.out == (
        f"Codex: the server `keyhole` was taken out\n  {file}: the server, applied as {ids[1]}\n"
    )
    assert file.read_text(encoding="utf-8") == 'model = "o3" # mine\n'


def test_undo_takes_an_installation_back_from_anywhere_and_redo_brings_it_again(
    keyhole: Shell,
) -> None:
    home = keyhole.base / "home"
    file = home / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{"permissions": {"deny": []}} // mine\r\n', encoding="utf-8", newline="")
    was = file.read_bytes()
    done = keyhole("install", "claude-code", "--only", "--json").data
    server, only = (each["transaction"] for each in done["files"])
    now = file.read_bytes()

    undone = keyhole("undo", only, "--json", cwd=home).data

    assert now != was == file.read_bytes()
    assert undone["ok"]
    assert [each["path"] for each in undone["files"]] == [str(file)]
    assert keyhole("redo", undone["transaction"], "--json", cwd=home).data["ok"]
    assert file.read_bytes() == now
    assert keyhole("undo", server, cwd=home).code == 0
    assert not (home / ".claude.json").exists()
    assert keyhole("undo", server, "--json").refusal["code"] == "nothing-to-undo"
    assert keyhole("undo", "install-9-abcd", "--json").refusal["code"] == "nothing-to-undo"


def test_a_project_has_a_file_of_its_own(keyhole: Shell) -> None:
    keyhole.write(".git/HEAD", "ref: refs/heads/main\n")
    src = keyhole.write("src/a.py", "a = 1\n").parent

    done = keyhole("install", "cursor", "--json", cwd=src).data

    written = json.loads(keyhole.read(".cursor/mcp.json"))["mcpServers"]["keyhole"]
    assert (done["scope"], done["checked_with"]) == ("project", "its documentation")
    assert [file["path"] for file in done["files"]] == [f"{keyhole.root}/.cursor/mcp.json"]
    assert written["args"] == ["mcp", "--root", "${workspaceFolder}"]


def test_all_hosts_of_the_machine_are_set_up_and_one_that_refuses_keeps_none_back(
    keyhole: Shell,
) -> None:
    home = keyhole.base / "home"
    for name in (".gemini", ".qwen", ".codex"):
        (home / name).mkdir()
    (home / ".qwen/settings.json").write_text("{ broken", encoding="utf-8")
    alone = Shell(keyhole.base, {"PATH": "/nowhere"})

    done = alone("install", "--all", "--json")

    told = {each["host"]: each["ok"] for each in done.data["hosts"]}
    assert (done.code, told) == (1, {"codex": True, "gemini-cli": True, "qwen-code": False})
    assert (home / ".qwen/settings.json").read_text(encoding="utf-8") == "{ broken"


def test_all_hosts_are_taken_out_and_those_without_say_nothing(keyhole: Shell) -> None:
    home = keyhole.base / "home"
    for name in (".gemini", ".codex"):
        (home / name).mkdir()
    alone = Shell(keyhole.base, {"PATH": "/nowhere"})
    alone.ok("install", "gemini-cli")

    done = alone.ok("uninstall", "--all", "--json").data

    assert [each["host"] for each in done["hosts"]] == ["gemini-cli"]
    assert not (home / ".gemini/settings.json").exists()


def test_a_server_of_the_user_needs_no_project(keyhole: Shell) -> None:
    home = keyhole.base / "home"

    assert keyhole("install", "codex", cwd=home).code == 0
    assert keyhole("install", "zed", "--json", cwd=home).refusal["code"] == "path-denied"


def test_what_makes_no_sense_is_a_usage_error(keyhole: Shell) -> None:
    for words in (
        ["install"],
        ["install", "emacs"],
        ["install", "codex", "--all"],
        ["install", "codex", "--user", "--project"],
        ["install", "codex", "--", "--bogus"],
    ):
        assert keyhole(*words).code == 2


def test_doctor_lists_the_hosts_and_whether_they_have_called(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("install", "codex")
    keyhole.ok("install", "cursor", "--project")
    words = ("edit", "a.txt", "--find", "one", "--content", "two")
    keyhole.ok(*words, "--actor", "codex-mcp-client")

    hosts = keyhole.ok("doctor", "--json").data["hosts"]
    text = keyhole.ok("doctor").out

    user, project = keyhole.base / "home/.codex/config.toml", keyhole.root / ".cursor/mcp.json"
    assert hosts == [
        {"host": "codex", "path": str(user), "server": "keyhole", "met": True, "durability": ""},
        {
            "host": "cursor",
            "path": str(project),
            "server": "keyhole",
            "met": False,
            "durability": "",
        },
    ]
    assert f"host: Codex (`keyhole` in {user}) has met keyhole here\n" in text
    assert f"host: Cursor (`keyhole` in {project}) has not met keyhole here yet\n" in text


def test_doctor_leaves_out_servers_of_other_projects(keyhole: Shell) -> None:
    other = keyhole.base / "other"
    other.mkdir()
    keyhole.ok("install", "windsurf")
    keyhole.ok("install", "windsurf", "--root", str(other))

    def servers(root: Path) -> list[str]:
        hosts = keyhole("doctor", "--json", "--root", str(root)).data["hosts"]
        return [each["server"] for each in hosts]

    assert servers(keyhole.root) == ["keyhole-root"]
    assert servers(other) == ["keyhole-other"]


def test_a_refusal_among_many_hosts_says_whose_it_is(keyhole: Shell) -> None:
    home = keyhole.base / "home"
    for name in (".codex", ".codeium/windsurf"):
        (home / name).mkdir(parents=True)
    alone = Shell(keyhole.base, {"PATH": "/nowhere"})

    told = alone("install", "--all", cwd=home)
    data = alone("install", "--all", "--json", cwd=home).data["hosts"]

    assert "\nwindsurf: refused: nothing was changed\n" in told.out
    assert [(each["host"], each["ok"]) for each in data] == [("codex", True), ("windsurf", False)]


def test_doctor_tells_of_workspaces_in_each_other(keyhole: Shell) -> None:
    inner = keyhole.write("src/a.txt", "one\n").parent
    words = ("edit", "a.txt", "--find", "one", "--content", "two", "--root")
    keyhole.ok(*words, str(inner))
    keyhole.write("a.txt", "one\n")
    keyhole.ok(*words, ".")

    def warnings(cwd: Path) -> list[str]:
        told: list[str] = keyhole("doctor", "--json", "--root", ".", cwd=cwd).data["warnings"]
        return told

    tail = "this workspace and has a history of its own; name the one that you mean with --root"
    assert warnings(keyhole.root) == [f"{inner} lies in {tail}"]
    assert warnings(inner) == [f"{keyhole.root} holds {tail}"]
