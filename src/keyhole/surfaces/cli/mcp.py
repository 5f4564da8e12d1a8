"""keyhole mcp: serve agent hosts over the Model Context Protocol."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from keyhole.answers.receipt import Receipt
from keyhole.engine.root import check_served, find_root
from keyhole.refusals import Refused
from keyhole.surfaces.cli.grammar import (
    DURABILITY,
    JOURNAL,
    READ_ONLY,
    Argument,
    Command,
    Flag,
    Given,
    Usage,
    apart,
    switch,
)
from keyhole.surfaces.cli.output import DONE, REFUSED, say, words_of
from keyhole.surfaces.mcp.front.main import Told
from keyhole.toolsets.base import receipt_answer

if TYPE_CHECKING:
    from keyhole.surfaces.mcp.setup import Setup

# Spelt out here so that help and completion load no server; a test compares them with it.
HOSTS = (
    *("claude-code", "codex", "opencode", "gemini-cli", "qwen-code", "pi", "cline", "copilot-cli"),
    *("kilo", "kimi-code", "continue", "claude-desktop", "vscode", "cursor", "zed", "jetbrains"),
    *("windsurf", "goose"),
)


ENTRY = (
    Flag(
        "--from",
        "start keyhole with uvx from this wheel or repository, default the installed one",
        "SOURCE",
    ),
    switch("--trust", "let the host run the tools without asking, where it can be told"),
)
TASK_MODES = ("research", "generate", "modify", "execute", "analyze")


def run(given: Given) -> int:
    """Serve until the client goes away; standard output carries the protocol and nothing else."""
    try:
        return _serve(given)
    except Refused as refused:
        receipt, words = Receipt.refused(refused.refusals), words_of(given)
        if isinstance(sys.stderr, Told):
            sys.stderr.refuse(receipt_answer(receipt, "lean", words).data["refusals"])
        sys.stderr.write(f"{receipt.as_text(words=words)}\n")
        return REFUSED


# Seconds after which a busy thread lets another one run. A call takes turns some twenty times, so
# that one beside a long one would wait for a tenth of a second with Python's usual 5 ms.
_TURN = 0.001


def _serve(given: Given) -> int:
    sys.setswitchinterval(_TURN)
    if agent := given.text("--print-config"):
        return _print(agent, given)
    for name in ("--project", "--from", "--trust"):
        if given.on(name):
            raise Usage(f"{name} says what --print-config prints, which is not given")
    if address := given.text("--http"):
        from keyhole.surfaces.mcp import http

        return http.serve(_setup(given), address)
    from keyhole.surfaces.mcp import stdio

    return stdio.serve(_setup(given))


def _print(agent: str, given: Given) -> int:
    """Print what to paste on standard output, and where it goes on standard error."""
    from keyhole.engine.install.installer import printed
    from keyhole.engine.install.request import InstallRequest
    from keyhole.surfaces.mcp.tools import chosen

    apart(given, "--print-config", "--http")  # what hosts start speaks over standard input
    chosen(_setup(given).tools)
    roots = tuple(str(Path(root).expanduser().resolve()) for root in _roots(given))
    shared = given.on("--project")
    if shared and len(roots) > 1:
        raise Usage("--root is given twice with --project; one file is for one project")
    wish = InstallRequest(
        agent,
        lambda: Path(roots[0]) if roots and shared else find_root(Path()),
        program=program(),
        source=given.text("--from") or "",
        on_path=is_on_path(),
        trust=given.on("--trust"),
        roots=() if shared else roots,
        flags=_flags(given),
        scope="project" if shared else "",
    )
    text, where = printed(wish)
    sys.stderr.write(f"{where}\n")
    sys.stderr.flush()
    say(text)
    return DONE


def program() -> tuple[str, ...]:
    """Return the command that starts keyhole from wherever a host is."""
    own = Path(sys.argv[0])
    is_script = own.name == "keyhole"
    return (str(own.absolute()),) if is_script else (sys.executable, "-m", "keyhole")


def is_on_path() -> bool:
    """Tell whether the search path finds this keyhole."""
    from shutil import which

    own, found = program(), which("keyhole")
    return len(own) == 1 and found is not None and Path(found).samefile(own[0])


def _flags(given: Given) -> tuple[str, ...]:
    """Return the flags of the server that a configuration passes on."""
    words = [name for name in ("--read-only", "--propose") if given.on(name)]
    passed_on = ("--allow-ext", "--task-mode", "--article", "--tools", "--task", "--limit")
    for name in (*passed_on, "--durability"):
        words += [word for value in given.all(name) for word in (name, value)]
    journal = given.text("--journal")
    if journal and not _has_secret(journal):  # what is pasted into files holds no password
        words += ["--journal", journal]
    return tuple(words)


def _has_secret(journal: str) -> bool:
    return "password=" in journal or urlsplit(journal).password is not None


def _setup(given: Given) -> Setup:
    from keyhole.surfaces.mcp.limits import ServerLimits
    from keyhole.surfaces.mcp.setup import Setup
    from keyhole.surfaces.mcp.workspaces import Allowed

    for root in _roots(given):
        check_served(root)
    mode = given.text("--task-mode") or ""
    allowed = Allowed(
        given.on("--read-only") or mode in {"research", "analyze"},
        _words(given, "--allow-ext"),
        mode,
        given.text("--article") or "",
        given.on("--propose"),
        given.text("--journal") or "",
        given.text("--durability") or "",
    )
    return Setup(
        roots=tuple(map(Path, _roots(given))),
        allowed=allowed,
        tools=_words(given, "--tools"),
        task=given.text("--task") or "",
        limits=ServerLimits.of(_words(given, "--limit")),
    )


def _roots(given: Given) -> tuple[str, ...]:
    """Return the roots: bundles of hosts can only name them without the flag."""
    return (*given.all("--root"), *given.all("DIRECTORY"))


def _words(given: Given, name: str) -> tuple[str, ...]:
    said = ",".join(given.all(name))
    words = tuple(word for word in map(str.strip, said.split(",")) if word)
    if given.on(name) and not words:  # to take it for no limit at all would widen what is allowed
        raise Usage(f"{name} is empty; give it a value, or leave it out")
    return words


COMMAND = Command(
    "mcp",
    "serve agent hosts over the Model Context Protocol",
    run,
    about="""\
Hosts start this command and speak to it over standard input and output. Without --root it serves
the roots that the client names, and refuses a client that names none. With several roots, relative
paths are below the first; files of the others are named by absolute paths.""",
    example="""\
$ keyhole mcp --root ~/project
$ keyhole mcp --root ~/project --read-only --tools outline,read,search
$ keyhole mcp --root ~/project --print-config vscode""",
    arguments=(
        Argument("DIRECTORY", "the same as --root", required=False, kind="directory", many=True),
    ),
    groups={
        "workspace": (
            Flag("--root", "a workspace; may be repeated", "DIRECTORY", "directory", many=True),
            READ_ONLY,
            JOURNAL,
            DURABILITY,
            switch("--propose", "queue edits for a person to accept in `keyhole review`"),
            Flag("--allow-ext", "write only files with these extensions", "EXT,...", many=True),
            Flag(
                "--task-mode",
                "what tasks are for: research and analyze write nothing, generate makes files, "
                "modify edits those there are, execute does all",
                choices=TASK_MODES,
            ),
            Flag("--article", "the one file that edit_article edits", "PATH", "file"),
        ),
        "what to offer": (
            Flag("--tools", "sets or single tools, default native", "NAME,...", many=True),
            Flag(
                "--http", "serve HTTP on this machine instead; the token is in a file", "HOST:PORT"
            ),
            Flag("--task", "the task of calls that name none", "NAME"),
            Flag(
                "--limit",
                "most calls and writes of a client in a minute, most megabytes it writes in a "
                "session; default no limit",
                "calls=60,writes=30,megabytes=50",
                many=True,
            ),
        ),
        "instead of serving": (
            Flag(
                "--print-config",
                "print what to paste into the configuration of a host, one of those of `install`",
                "HOST",
                choices=HOSTS,
            ),
            switch("--project", "with it: what goes into the file that the project shares"),
            *ENTRY,
        ),
    },
)


def flags() -> dict[str, object]:
    """Return the flags as the front reads them, which starts without this file."""
    return {
        flag.name: {"value": flag.takes_value, "many": flag.many, "choices": list(flag.choices)}
        for flag in COMMAND.flags
    }


if __name__ == "__main__":
    from keyhole.surfaces.mcp import bake

    bake.write(flags())
