"""Every command through `main`, as the program calls it: what each says, and its exit code.

Other tests start the program; these run in the process of the tests, where branches are counted.
"""

import gc
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from keyhole import __main__ as program
from keyhole.surfaces.cli.grammar import COMMANDS
from keyhole.surfaces.cli.main import main
from tests.scene import put

CODE = '"""A."""\n\n\ndef f():\n    """Return one."""\n    return 1\n\n\ndef g():\n    return 2\n'
PATCH = "--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n def g():\n-    return 2\n+    return 3\n"
REQUEST = {"path": "a.py", "edits": [{"find": "return 1", "content": "return 9"}], "detail": "full"}
BROKEN = b'{"edits": [\xff]}'
BEGUN = "*** Begin Patch\n*** Update File: a.py\n@@\n-    return 2\n+    return 4\n*** End Patch\n"


class Caller:
    """A workspace, and the command in it."""

    def __init__(self, root: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.root, self._captured = root, captured

    def __call__(self, *words: str, feed: bytes = b"") -> tuple[int, str]:
        """Return the exit code of a command, and all that it said."""
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(feed), encoding="utf-8")
        turn = sys.getswitchinterval()
        try:
            code = main(list(words))
        finally:
            sys.stdin = stdin
            sys.setswitchinterval(turn)
        said = self._captured.readouterr()
        return code, said.out + said.err


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    root = tmp_path / "root"
    put(root, "a.py", CODE)
    put(root, "notes.md", "# Notes\n\nFirst.\n\n## Plan\n\n- one\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(root)
    return Caller(root, capsys)


def run_all(call: Caller, rows: Sequence[tuple[int, str, str]]) -> None:
    """Run commands one after the other; each has its exit code and a part of its answer."""
    done = [(code, line, part, *call(*line.split("|"))) for code, line, part in rows]
    wrong = [row for row in done if row[0] != row[3] or row[2] not in row[4]]
    assert wrong == []


def test_commands_about_hosts(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    put(call.root.parent, "home/.qwen/settings.json", "{ broken")
    run_all(
        call,
        [
            (0, "install|codex|--dry-run|--only", "+[mcp_servers.keyhole]"),
            (0, "install|codex", "is set up as the server `keyhole`"),
            (0, "install|codex|--json", '"outcome": "unchanged"'),
            (0, "install|codex", "was set up already"),
            (0, "install|cursor|--instructions", "not tried with the host"),
            (0, "install|claude-code|--project|--only|--|--read-only", "asks for approval"),
            (1, "install|windsurf|--project", "has no configuration file of a project"),
            (1, "install|--all", "unparsable"),
            (1, "install|--all|--json", '"ok": false'),
            (2, "install", "HOST is missing"),
            (2, "install|codex|--|--bogus", "unknown flag --bogus"),
            (0, "doctor", "(`keyhole` in"),
            (0, "mcp|--print-config|goose", "extensions:"),
            (0, "mcp|--print-config|vscode|--root|.|--read-only", '"--read-only"'),
            (0, "uninstall|cursor", "was taken out"),
            (0, "uninstall|--all", "was taken out"),
            (1, "uninstall|codex", "nothing-to-undo"),
            (1, "mcp|--root|..|--print-config|codex", "path-denied"),
            (2, "mcp|--trust", "--trust says what --print-config prints"),
            (2, "mcp|--print-config|zed|--project|--root|.|--root|/", "--root is given twice"),
            (1, "mcp|--http|10.0.0.1:1", "is no loopback address"),
            (1, "mcp|--http|127.0.0.1:0", "over HTTP a root must be named"),
        ],
    )
    (call.root.parent / "home/.qwen/settings.json").unlink()
    (call.root.parent / "home/.qwen").rmdir()
    run_all(call, [(1, "uninstall|--all", "no host that keyhole knows is on this machine")])


def test_commands_below_the_root(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    put(call.root, ".git/HEAD", "ref: refs/heads/main\n")
    put(call.root, "src/b.py", "b = 1\n")
    asked = {"command": "view", "path": str(call.root / "src/b.py")}
    put(call.root, "src/call.json", json.dumps(asked))
    monkeypatch.chdir(call.root / "src")
    run_all(
        call,
        [
            (0, "edit|b.py|--find|b = 1|--content|b = 2", f"root: {call.root}"),
            (0, "read|../a.py|--json", f'"root": "{call.root}"'),
            (0, "call|str_replace_based_edit_tool|--request|call.json", "b = 2"),
            (0, "doctor|--root|.", f"{call.root} holds this workspace"),
        ],
    )


def test_commands_that_write_and_take_back(call: Caller) -> None:
    run_all(
        call,
        [
            (0, "edit|a.py|--find|return 1|--content|return 5|--reason|why", "applied"),
            (0, "edit|a.py|--segment|f|--part|doc|--content|Return five.|--json", '"ok": true'),
            (0, "edit|a.py|--lines|10|--content|    return 7|--task|t|--dry-run", "verified"),
            (0, "edit|a.py|--find|return 2|--content|return 6|--task|t|--propose", "p-"),
            (1, "edit|a.py|--find|nowhere|--content|x", "not-found"),
            (1, "edit|a.py|--find|return|--content|x|--detail|full", "ambiguous"),
            (1, "edit|a.py|--find|return 5|--content|x|--expected-hash|a.py=nothing", "not a hash"),
            (2, "edit|a.py|--find|x|--find-file|y|--content|z", "are both given"),
            (2, "edit|a.py|--find-file|-|--content-file|-", "both read standard input"),
            (2, "edit|a.py|--find-file|none|--content|x", "cannot be read"),
            (2, "edit|a.py|--find-file|.|--content|x", "cannot be read"),
            (2, "edit|a.py|--find-file|\0|--content|x", "is no file name"),
            (2, "edit|a.py|--encoding|no-such|--find|x|--content|y", "no encoding"),
            (0, "edit|--find|def g|--content|def h|--glob|*.py|--boundary|word", "1 place"),
            (0, "rename|a.py|g|h|--dry-run", "verified"),
            (0, "write|new/b.txt|--content|text", "applied"),
            (0, "write|new/b.txt|--move-to|c.txt|--actor|you", "applied"),
            (0, "write|c.txt|--delete|--mode|interactive", "applied"),
            (1, "write|a.py|--content|x", "refused"),
            (0, "undo", "applied"),
            (0, "redo", "applied"),
            (0, "undo|1|--edit|0|--path|./a.py|--dry-run", "verified"),
            (1, "undo|99", "nothing-to-undo"),
            (1, "undo|--task|none", "refused"),
            (1, "undo|1|--task|t", "an undo takes one of ID, --task, --to, prompt"),
            (1, "undo|--edit|0", "needs the id of its transaction"),
            (1, "redo|1", "is not undone"),
            (0, "history|--path|a.py", "proposal p-"),
            (0, "history|--path|other", "no transactions"),
            (0, "backups|--clean", "no backups"),
            (0, "backups|--json", "{"),
            (
                0,
                "scaffold|module|m.py|--var|summary=A module.|--var|imports=os|--var|imports=re",
                "applied",
            ),
            (0, "scaffold|dataclass|p.py|--var|name=P|--var|fields=[]|--dry-run", ""),
            (1, "scaffold|none|x.py|--var|name=m", "refused"),
            (2, "scaffold|module|x.py|--var|name", "NAME=VALUE"),
            (2, "scaffold|module|x.py|--var|summary=a|--var|summary=b", "is given 2 times"),
            (2, "scaffold|module|x.py|--vars|a.py", "is not JSON"),
        ],
    )


def test_commands_that_read(call: Caller) -> None:
    call("edit", "a.py", "--find", "return 1", "--content", "return 5", "--task", "t")
    call("edit", "a.py", "--find", "nowhere", "--content", "x")
    run_all(
        call,
        [
            (0, "read|a.py|--segment|f", "return 5"),
            (0, "read|a.py|--lines|1-2|--json", '"lines"'),
            (1, "read|none.py", "no-file"),
            (0, "outline|a.py", "function"),
            (0, "outline|.|--json", "a.py"),
            (0, "search|return|--context|1", "a.py"),
            (0, "search|ret.rn|--regex|--glob|*.py|--limit|1", "a.py"),
            (0, "search|nowhere at all", "no"),
            (0, "search|g|a.py|--symbol", "a.py:9:5: def g():"),
            (0, "history", "applied"),
            (0, "history|--path|./a.py|--segment|f|--since|1d|--limit|1|--json", "transactions"),
            (2, "history|--since|never", "--since"),
            (0, "show|1", "return 5"),
            (1, "show|99", "nothing"),
            (1, "show|p-00000000", "there is no proposal"),
            (0, "stats", "refus"),
            (0, "stats|--json|--since|1w", "{"),
            (0, "audit|a.py", "records"),
            (0, "check|a.py", ""),
            (0, "check|--json", "{"),
            (1, "conflicts", "refused"),
            (0, "doctor", "journal"),
            (0, "templates", "dataclass"),
            (0, "templates|dataclass|--json", "variables"),
            (0, "templates|dataclass", "required"),
            (0, "templates|adr", "tiers:"),
            (0, "templates|--json", "purpose"),
            (0, "search|return|--context|1|--json", '"before"'),
            (1, "templates|none", "refused"),
            (0, "task", "t"),
            (0, "task|end|t", "t"),
            (1, "task|end|none", "there is no task"),
            (2, "task|end", "say `task end NAME`"),
            (2, "task|list|--for|10m", "goes with `task claim`"),
            (1, "task|claims", "refused"),
            (1, "task|claim|t|a.py", "refused"),
            (1, "task|release|t", "refused"),
            (1, "share", ""),
            (0, "trust|--revoke", ""),
            (0, "trust", ""),
        ],
    )


@pytest.mark.parametrize(
    ("line", "feed", "code", "part"),
    [
        ("apply", PATCH.encode(), 0, "applied"),
        ("apply|-|--encoding|utf-8|--path|./a.py|--json", PATCH.encode(), 0, '"ok": true'),
        ("apply", b"no patch", 1, "bad-patch"),
        ("edit|--request|-|--mode|interactive", json.dumps(REQUEST).encode(), 0, "applied"),
        ("edit|--request|-", BROKEN, 1, "not UTF-8"),
        ("edit|--request|-", b"{", 1, "not JSON"),
        ("edit|--request|-", b"[]", 1, "not a JSON object"),
        ("edit|--request|-", b"{}", 1, "`edits` is missing"),
        ("edit|--request|-", b'{"edits": [{"find": "f", "old_str": "g"}]}', 1, "given twice"),
        ("edit|--request|-", b'{"edits": 1}', 1, "`edits` is not a list"),
        ("edit|--request|-", b'{"edits": [], "detail": "x"}', 1, "`detail` is"),
        ("edit|--request|-", b'{"edits": [], "claim": "x"}', 1, "`claim` is"),
        ("edit|--request|-", b'{"edits": [], "expected_hash": true}', 1, "`expected_hash` is"),
        (
            "edit|--request|-|--expected-hash|0123456789abcdef",
            b'{"edits": [{"path": "a.py", "find": "g", "content": "h"}]}',
            1,
            "stale",
        ),
        ("edit|a.py|--find-file|-|--content|x", b"\xff", 1, "encoding"),
        ("write|b.txt", b"text\n", 0, "applied"),
        ("call|apply_patch", json.dumps({"input": BEGUN}).encode(), 0, "a.py"),
        ("call|apply_patch|--json", b'{"input": "no patch"}', 1, "{"),
        ("call|no_such_tool", b"{}", 1, "refused"),
        ("scaffold|module|m.py|--vars|-", b'{"summary": "A."}', 0, "applied"),
        ("scaffold|module|m.py|--vars|-", b"[]", 2, "no JSON object"),
    ],
)
def test_commands_that_read_standard_input(
    call: Caller, line: str, feed: bytes, code: int, part: str
) -> None:
    done, said = call(*line.split("|"), feed=feed)

    assert (done, part in said) == (code, True), said


def test_words_that_are_no_command_are_explained(call: Caller) -> None:
    run_all(
        call,
        [
            (0, "--version", "keyhole "),
            (0, "--help", "usage"),
            (0, "help|edit", "keyhole edit"),
            (0, "undo|--help", "keyhole undo"),
            (2, "no-such-command", "there is no command"),
            (2, "--root", "there is no command"),
            (0, "--root|.|history", "no transactions"),
            (2, "edit|--no-such-flag", "unknown flag"),
            (2, "task|claim|t|a.py|--for|soon", "it is 90s, 10m, 2h or 1d"),
            (2, "review|--task|t", "--task goes with --export"),
            (1, "read|a.py|--root|none", "refused"),
        ],
    )
    code, said = call()
    assert (code, "usage" in said) == (2, True)


def test_a_host_is_told_how_to_start_the_server(call: Caller) -> None:
    secret = "--journal|postgresql://me:secret@db/team"
    run_all(
        call,
        [
            (0, "mcp|--print-config|claude-code|--propose|--tools|codex,text", "--tools"),
            (0, f"mcp|--print-config|claude-code|--root|~|{secret}|--allow-ext|md", "--allow-ext"),
            (
                0,
                "mcp|--print-config|claude-code|--journal|postgresql://db/team",
                "postgresql://db/team",
            ),
            (1, "mcp|--print-config|claude-code|--tools|none", "refused"),
            (2, "mcp|--print-config|claude-code|--tools| ", "is empty"),
        ],
    )
    assert "secret" not in call("mcp", "--print-config", "claude-code", *secret.split("|"))[1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_every_command(call: Caller, shell: str) -> None:
    code, said = call("completion", shell)

    assert code == 0
    assert all(name in said for name in COMMANDS)


def test_an_answer_is_coloured_if_that_is_wanted(call: Caller) -> None:
    call("edit", "a.py", "--find", "return 1", "--content", "return 5")

    plain, coloured = call("show", "1", "--color", "never"), call("show", "1", "--color", "always")

    assert "\x1b[" not in plain[1]
    assert "\x1b[" in coloured[1]


def test_the_review_is_exported_as_one_file(call: Caller) -> None:
    call("edit", "a.py", "--find", "return 1", "--content", "return 5", "--task", "t")

    code, _ = call("review", "--export", "page.html", "--task", "t")

    assert code == 0
    assert b"<!doctype html>" in (call.root / "page.html").read_bytes()


def test_the_history_is_exported_as_mails(call: Caller) -> None:
    mode = b"diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"
    call("edit", "a.py", "--find", "return 1", "--content", "return 5")
    call("write", "b.txt", "--content", "new\n")
    call("write", "b.txt", "--move-to", "c.txt")
    call("write", "c.txt", "--delete")
    call("apply", feed=mode)

    code, said = call("history", "--export")

    assert code == 0
    for line in (
        "+    return 5",
        "new file mode 100644",
        "deleted file mode 100644",
        "new mode 100755",
    ):
        assert f"\n{line}\n" in said


def test_a_shared_journal_that_is_out_of_reach_is_told(call: Caller) -> None:
    away = "--journal|postgresql://127.0.0.1:1/team"
    call("edit", "a.py", "--find", "return 1", "--content", "return 5")
    run_all(
        call,
        [
            (1, f"share|{away}", "wait"),
            (1, f"share|{away}|--json", '"ok": false'),
            (1, f"show|99|{away}", "refused"),
            (0, f"show|1|{away}", "return 5"),
            (1, f"conflicts|{away}", "refused"),
            (1, f"undo|99|{away}", "refused"),
            (1, f"task|claims|{away}", "refused"),
            (1, f"task|claim|t|a.py|{away}", "refused"),
            (1, f"task|release|t|{away}", "refused"),
            (0, f"history|{away}", "applied"),
            (0, f"stats|{away}", "applied"),
        ],
    )


def test_the_package_is_the_same_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["keyhole", "--version"])
    threshold = gc.get_threshold()
    with pytest.raises(SystemExit) as left:
        program.run()
    gc.unfreeze()
    gc.set_threshold(*threshold)

    assert (left.value.code, capsys.readouterr().out[:8]) == (0, "keyhole ")
