"""Ways out of the root, the layout that they start from, and two checks that others make.

Every path is denied by every call. HOME stands for the directory around the root, STATE for our
own state.
"""

import os
import socket
from pathlib import Path

from tests.workspace.scene import Scene

ESCAPES = [
    "",
    "..",
    "../",
    "../outside/secret.txt",
    "./../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "sub/../ok.txt",
    "sub/..",
    "sub/./../../outside/secret.txt",
    "../root-evil/secret.txt",
    "../root/ok.txt",
    "....//outside/secret.txt/..",
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/ok.txt",
    "/dev/stdin",
    "HOME/outside/secret.txt",
    "HOME/root-evil/secret.txt",
    "HOME/root/../outside/secret.txt",
    "HOME/root/sub/../../outside/secret.txt",
    "HOME/rootok.txt",
    "~",
    "~/.ssh/authorized_keys",
    "out-file",
    "out-dir/secret.txt",
    "out-dir/new.txt",
    "out-absolute/secret.txt",
    "out-chain/secret.txt",
    "out-parent/outside/secret.txt",
    "out-parent/root-evil/secret.txt",
    "sub/out-deep/secret.txt",
    "slash/etc/passwd",
    "proc-root/etc/passwd",
    "proc-fd",
    "dangling-out",
    "dangling-out-dir/new.txt",
    "loop",
    "loop/x.txt",
    "loop-a",
    "sub\\..\\..\\outside\\secret.txt",
    "..\\outside\\secret.txt",
    "C:\\Windows\\win.ini",
    "\\\\host\\share\\x",
    "ok.txt\x00.png",
    "../outside/secret.txt\x00.txt",
    "ok.txt\n",
    "new\nline.txt",
    "tab\there.txt",
    "bell\x07.txt",
    "escape\x1b[31m.txt",
    "delete\x7f.txt",
    "lone\ud800surrogate.txt",
    "\udfff",
    "n" * 256,
    "sub/" + "n" * 256,
    "é" * 128,
    "d/" * 101 + "deep.txt",
    "long/" * 820 + "x",
    "STATE/journal.db",
    "STATE/locks/00",
    ".kh-0123456789ab-0.tmp",
    "sub/.kh-0123456789ab-17.tmp",
    "../../../../../../../../etc/passwd",
    "..//outside//secret.txt",
    ".//..//outside/secret.txt",
    "sub/../../root-evil/secret.txt",
    "sub/ok.txt/../../../outside/secret.txt",
    "missing/../../outside/secret.txt",
    "out-dir/../ok.txt",
    "out-parent",
    "out-parent/root/ok.txt",
    "sub/up/outside/secret.txt",
    "hop/secret.txt",
    "out-dot/secret.txt",
    "absolute-file",
    "proc-cwd/ok.txt",
    "proc-root/proc/self/environ",
    "slash/dev/null",
    "null-device",
    "sub/loop-back",
    "loop-three/x.txt",
    "HOME",
    "HOME//outside//secret.txt",
    "HOME/root/../root/ok.txt",
    "/proc/self/environ",
    "/proc/self/fd/0",
    "/proc/thread-self/root/etc/passwd",
    "/dev/null",
    "/etc/../etc/passwd",
    "..\\..\\..\\etc\\passwd",
    "\\etc\\passwd",
    "\x00",
    "sub\x00/ok.txt",
    "ok.txt\r",
    "carriage\rreturn.txt",
    "\x1b]0;title\x07.txt",
    "STATE",
    "STATE/journal.db-wal",
    "sub/deep/.kh-0123456789ab-1.tmp",
]
# Existing things that are no regular files: found, and refused by what they are.
ODD = [
    "fifo",
    "socket",
    "sub",
    ".",
    "./",
    "sub/",
    "HOME/root",
    "deep-fifo/fifo",
    "ok.txt/x",
    "fifo/x",
]
PROTECTED = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".git",
    ".GIT/config",
    ".Git/hooks/post-checkout",
    "git~1/config",
    "GIT~1/hooks/x",
    ".g\u200cit/config",
    ".gi\u200dt/config",
    "\ufeff.git/config",
    "．git/config",
    ".ｇｉｔ/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    "sub/.git/config",
    "sub/deep/.git/objects/aa/bb",
    ".hg/hgrc",
    ".svn/entries",
    ".jj/repo/config.toml",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".VSCode/Launch.JSON",
    "sub/.vscode/settings.json",
    ".idea/workspace.xml",
    ".cursor/mcp.json",
    ".cursor/rules/x.mdc",
    ".CURSOR/mcp.json",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    ".envrc",
    "sub/.envrc",
    ".husky/pre-commit",
    "keyhole.toml",
    "Keyhole.TOML",
    "bare/hooks/post-receive",
    "bare/config",
    "bare/HEAD",
    "link-to-git/config",
    "link-to-hooks/pre-commit",
    "file-link-to-config",
]
LEGIT = ["ok.txt", "./ok.txt", "sub//ok.txt", "HOME/root/ok.txt", "link-inside/ok.txt", "link-file"]
_INSIDE = ("ok.txt", "sub/ok.txt", ".git/config", ".git/hooks/pre-commit.sample")
_REPOSITORY = ("HEAD", "objects/x", "refs/x", "config")
_LINKS = {
    "out-file": "../outside/secret.txt",
    "out-dir": "../outside",
    "out-absolute": "HOME/outside",
    "out-chain": "sub/hop",
    "sub/hop": "../out-dir",
    "out-parent": "..",
    "sub/out-deep": "../../outside",
    "slash": "/",
    "proc-root": "/proc/self/root",
    "proc-fd": "/proc/self/fd/0",
    "dangling-out": "../outside/not-there.txt",
    "dangling-out-dir": "../not-there",
    "loop": "loop",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
    "link-inside": "sub",
    "link-file": "sub/ok.txt",
    "link-to-git": ".git",
    "link-to-hooks": ".git/hooks",
    "file-link-to-config": ".git/config",
    "sub/up": "../..",
    "hop": "sub/up/outside",
    "out-dot": "./../outside",
    "absolute-file": "HOME/outside/secret.txt",
    "proc-cwd": "/proc/self/cwd",
    "null-device": "/dev/null",
    "sub/loop-back": "../loop",
    "loop-three": "loop-three/loop-three",
}


def lay_out(scene: Scene) -> None:
    """Build what every attempt starts from: files, links that lead out, and things that are odd."""
    for path in (*_INSIDE, *(f"bare/{name}" for name in _REPOSITORY)):
        scene.put(path, "inside\n")
    for name in ("outside", "root-evil"):
        (scene.home / name).mkdir()
        (scene.home / name / "secret.txt").write_text("secret inside\n", encoding="utf-8")
    for name, target in _LINKS.items():
        (scene.root / name).symlink_to(spelled(scene, target))
    os.mkfifo(scene.root / "fifo")
    (scene.root / "deep-fifo").mkdir()
    os.mkfifo(scene.root / "deep-fifo/fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(scene.root)
        listener.bind("socket")
        os.chdir(here)


def spelled(scene: Scene, path: str) -> str:
    """Put the real directories in place of their names."""
    states = [str(state) for state in (scene.home / "state").glob("keyhole/*")]
    return path.replace("HOME", str(scene.home)).replace("STATE", "".join(states))


def outside(scene: Scene) -> dict[str, bytes]:
    """Return everything that no attempt may touch."""
    watched = [scene.home / "outside", scene.home / "root-evil", scene.root / ".git"]
    watched += [scene.root / "bare"]
    return {
        str(path): path.read_bytes()
        for top in watched
        for path in sorted(top.rglob("*"))
        if path.is_file()
    }


def begins_like_the_root(root: str, path: str) -> bool:
    """Check a path as many tools do: as text."""
    return os.path.normpath(os.path.join(root, path)).startswith(root)  # noqa: PTH118


def resolves_below_the_root(root: str, path: str) -> bool:
    """Check a path as careful tools do: where it leads at this moment."""
    resolved = os.path.realpath(os.path.join(root, path))  # noqa: PTH118
    return os.path.commonpath([root, resolved]) == root
