"""Whole files, their names, links and modes, and paths that lead out of the root."""

from __future__ import annotations

from collections.abc import Iterator

from edit_suite.case import Call, Case
from edit_suite.families import build as b
from edit_suite.families.build import (
    diff_call,
    lands,
    lines_call,
    once,
    refuses,
    text_call,
    write_call,
)
from edit_suite.families.samples import PY, SH

_SECRET = {"secret.txt": "token = 1\n"}
_OUT = "a file of the user outside of the project: a key, a shell profile, another repository"


def cases() -> Iterator[Case]:
    """Yield the cases of this file."""
    yield from _names()
    yield from _writes()
    yield from _modes()
    yield from _escapes()
    yield from _links()


def _names() -> Iterator[Case]:
    names = [
        "with space.txt", "two  spaces.txt", "quote's.txt", "ünïcode.txt", "日本語.txt", "emoji-🚀.txt",
        "-dash.txt", "[id].tsx", "percent%20.txt", "hash#1.txt", "a&b;c.txt", "dollar$HOME.txt", ".hidden",
        "deep/er/and/deeper/file.txt", "comma,semi;.txt", "no_extension", "tilde~.txt", "paren(1).txt",
    ]  # fmt: skip
    for number, name in enumerate(names, 1):
        yield lands(
            f"names/edit-{number:02}",
            f"a file called {name}",
            text_call(name, "value = 1", "value = 2", whole=True),
            {name: "value = 1\n", "decoy.txt": "value = 1\n"},
            {name: "value = 2\n", "decoy.txt": "value = 1\n"},
            loss="an edit of another file, or none at all",
        )


def _writes() -> Iterator[Case]:
    keep = {"keep.txt": "keep\n"}
    rows = [
        ("new", "new.txt", "first\nsecond\n", "a new file"),
        (
            "new-in-directory",
            "a/b/new.txt",
            "first\n",
            "a new file in directories that are not there",
        ),
        ("crlf", "dos.txt", "first\r\nsecond\r\n", "a new file with CRLF, as it was sent"),
        (
            "no-final-newline",
            "bare.txt",
            "first\nsecond",
            "a new file without a newline at its end",
        ),
        ("unicode", "grüße.txt", "schöne Grüße 🚀\n", "a new file with letters of several bytes"),
        (
            "dollar",
            "price.txt",
            "$& $1 \\1 \\n\n",
            "a new file with signs that are patterns elsewhere",
        ),
        (
            "blank-lines",
            "blank.txt",
            "\n\nfirst\n\n\n",
            "a new file that begins and ends with empty lines",
        ),
        ("tabs", "Makefile", "all:\n\techo done\n", "a new file with tabs"),
        (
            "form-feed",
            "pages.txt",
            "one\ftwo\u2028three\n",
            "a new file with characters like line ends",
        ),
        (
            "trailing",
            "trail.md",
            "first  \nsecond\t\n",
            "a new file with blanks at the ends of lines",
        ),
    ]
    for slug, name, text, title in rows:
        yield lands(
            f"write/{slug}",
            title,
            write_call(name, text),
            keep,
            keep | {name: text},
            loss="text that was sent is not the text on disk",
        )
    for slug, text in (
        ("longer", PY.text + "\n\nEND = True\n"),
        ("shorter", "TTL = 1\n"),
        ("crlf", "TTL = 1\r\nLIMIT = 2\r\n"),
    ):
        yield lands(
            f"write/over-{slug}",
            "a file is written anew",
            (Call("read", PY.name), write_call(PY.name, text)),
            keep | {PY.name: PY.text},
            keep | {PY.name: text},
            loss="text that was sent is not the text on disk",
        )


def _modes() -> Iterator[Case]:
    call = text_call(SH.name, SH.line, SH.line_new, whole=True)
    after = once(SH.text, SH.line, SH.line_new)
    loss = "the right to run the script, or the secrecy of the file"
    for mode in (0o755, 0o700, 0o600, 0o640):
        yield lands(
            f"modes/{mode:o}",
            f"a file with mode {mode:o} keeps it",
            call,
            {SH.name: SH.text},
            {SH.name: after},
            modes={SH.name: mode},
            provenance=b.EXEC_BIT,
            loss=loss,
        )
    yield lands(
        "modes/755-by-number",
        "a program edited by line number keeps its mode",
        lines_call(SH.name, 4, 4, f"{SH.line_new}\n"),
        {SH.name: SH.text},
        {SH.name: after},
        modes={SH.name: 0o755},
        provenance=b.EXEC_BIT,
        loss=loss,
    )
    yield lands(
        "modes/755-diff",
        "a program edited by a diff keeps its mode",
        diff_call(SH.name, b.diff_of(SH.name, SH.text, after)),
        {SH.name: SH.text},
        {SH.name: after},
        modes={SH.name: 0o755},
        provenance=b.EXEC_BIT,
        loss=loss,
    )
    yield lands(
        "modes/755-rewritten",
        "a program written anew keeps its mode",
        (Call("read", SH.name), write_call(SH.name, after)),
        {SH.name: SH.text},
        {SH.name: after},
        modes={SH.name: 0o755},
        provenance=b.EXEC_BIT,
        loss=loss,
    )
    yield lands(
        "modes/444",
        "a file that is marked read-only keeps the mark, or is refused",
        call,
        {SH.name: SH.text},
        {SH.name: after},
        modes={SH.name: 0o444},
        may_refuse=True,
        loss="the mark that says: do not touch",
    )


def _escapes() -> Iterator[Case]:
    keep = {"keep.txt": "keep\n"}
    more = {"outside": _SECRET, "provenance": b.ESCAPE, "loss": _OUT}
    old, new = "token = 1", "token = 2"
    paths = {
        "dots": "../outside/secret.txt",
        "inner-dots": "sub/../../outside/secret.txt",
        "absolute": "{outside}/secret.txt",
    }
    for slug, path in paths.items():
        if slug == "inner-dots":
            continue
        yield refuses(
            f"escape/edit-{slug}",
            "an edit of a file outside of the root",
            text_call(path, old, new, whole=True),
            keep,
            **more,
        )
        yield refuses(
            f"escape/lines-{slug}",
            "lines of a file outside of the root",
            lines_call(path, 1, 1, f"{new}\n"),
            keep,
            **more,
        )
        yield refuses(
            f"escape/write-{slug}",
            "a new file outside of the root",
            write_call(path.replace("secret", "new"), "x\n"),
            keep,
            **more,
        )
        yield refuses(
            f"escape/overwrite-{slug}",
            "a file outside of the root is written anew",
            write_call(path, "x\n"),
            keep,
            **more,
        )
        yield refuses(
            f"escape/insert-{slug}",
            "a line for a file outside of the root",
            Call("insert", path, {"after": 0, "text": "x\n"}),
            keep,
            **more,
        )
    diff = "--- a/../outside/secret.txt\n+++ b/../outside/secret.txt\n@@ -1 +1 @@\n-token = 1\n+token = 2\n"
    yield refuses(
        "escape/diff-dots",
        "a diff whose header leads out of the root",
        diff_call("../outside/secret.txt", diff),
        keep,
        **more,
    )
    new_file = "--- /dev/null\n+++ b/../outside/new.txt\n@@ -0,0 +1 @@\n+x\n"
    yield refuses(
        "escape/diff-new-file",
        "a diff that makes a file outside of the root",
        diff_call("../outside/new.txt", new_file),
        keep,
        **more,
    )


def _links() -> Iterator[Case]:
    keep = {"keep.txt": "keep\n"}
    old, new = "token = 1", "token = 2"
    more = {"outside": _SECRET, "provenance": b.ESCAPE_LINK, "loss": _OUT}
    to_file = {"links": {"link.txt": "../outside/secret.txt"}}
    to_directory = {"links": {"out": "../outside/"}}
    yield refuses(
        "escape/link-edit",
        "an edit through a link that leads out of the root",
        text_call("link.txt", old, new, whole=True),
        keep,
        **more,
        **to_file,
    )
    yield refuses(
        "escape/link-lines",
        "lines through a link that leads out of the root",
        lines_call("link.txt", 1, 1, f"{new}\n"),
        keep,
        **more,
        **to_file,
    )
    yield refuses(
        "escape/link-directory-edit",
        "an edit below a linked directory outside of the root",
        text_call("out/secret.txt", old, new, whole=True),
        keep,
        **more,
        **to_directory,
    )
    yield refuses(
        "escape/link-directory-new",
        "a new file below a linked directory outside of the root",
        write_call("out/new.txt", "x\n"),
        keep,
        **more,
        **to_directory,
    )
    yield refuses(
        "escape/link-directory-nested",
        "a new file two levels below a linked directory",
        write_call("out/deep/new.txt", "x\n"),
        keep,
        **more,
        **to_directory,
    )
    yield refuses(
        "escape/link-dangling",
        "a new file through a link to a file that is not there yet",
        write_call("link.txt", "x\n"),
        keep,
        links={"link.txt": "../outside/new.txt"},
        **more,
    )
    diff = "--- a/link.txt\n+++ b/link.txt\n@@ -1 +1 @@\n-token = 1\n+token = 2\n"
    yield refuses(
        "escape/link-diff",
        "a diff through a link that leads out of the root",
        diff_call("link.txt", diff),
        keep,
        **more,
        **to_file,
    )
    real = {"real.txt": "value = 1\n"}
    yield lands(
        "links/inside",
        "an edit through a link within the root: the link stays a link",
        text_call("link.txt", "value = 1", "value = 2", whole=True),
        real,
        {"real.txt": "value = 2\n"},
        links={"link.txt": "real.txt"},
        may_refuse=True,
        loss="the link: two files from now on, of which one is stale",
    )
    yield lands(
        "links/inside-by-name",
        "the target of a link is edited by its own name",
        text_call("real.txt", "value = 1", "value = 2", whole=True),
        real,
        {"real.txt": "value = 2\n"},
        links={"link.txt": "real.txt"},
        loss="the link",
    )
