"""The history as a series of patches in mail form, which `git am` takes, reasons as messages."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime

from keyhole.engine.history.recall import HistoryRequest, placed, records_for
from keyhole.fastclasses import replace
from keyhole.history.versions import version
from keyhole.journal.model import APPLIED, Entry, FileChange, Query, Records
from keyhole.refusals import Refusal, Refused
from keyhole.text.diff import diff, quoted, unified, unified_deletion
from keyhole.workspace.tree import Tree

_LONGEST_SUBJECT = 72
_CHUNK = 52
_MOST_ELSEWHERE = 500


def series(journal: Records, query: Query) -> bytes:
    """Return the transactions that fit as one mailbox, the oldest first."""
    entries = [entry for entry in journal.entries(query) if entry.state == APPLIED]
    mails = [
        _mail(journal, entry, number, len(entries))
        for number, entry in enumerate(reversed(entries), 1)
    ]
    return b"".join(mails)


def series_of(tree: Tree, wanted: HistoryRequest) -> bytes:
    """Return transactions as patches: of this workspace, or of the one that is wanted.

    Those of several workspaces are no series: each is for a text that the others do not have.
    """
    query = placed(tree, wanted)
    shared = records_for(tree, query)
    if query.machine is not None or query.worktree is not None:
        return series(shared, query)
    own = series(tree.journal, query)
    if own or tree.shared is None:
        return own
    origins = [entry.origin for entry in shared.entries(replace(query, limit=_MOST_ELSEWHERE))]
    places = dict.fromkeys(f"{each.machine}:{each.worktree}" for each in origins if each)
    if not places:
        return own
    headline = f"these transactions were made on {', '.join(places)}, none of them here"
    raise Refused(Refusal("bad-request", headline, help="choose with --machine or --worktree"))


def _mail(journal: Records, entry: Entry, number: int, total: int) -> bytes:
    subject, body = _message(entry)
    head = "\n".join(
        [
            # The form of git's own mails; the date in it is a mark, not a time.
            f"From {hashlib.sha1(entry.id.encode()).hexdigest()} Mon Sep 17 00:00:00 2001",  # noqa: S324 - a name, no seal
            f"From: {_header(_one_line(entry.call.actor) or 'keyhole')} <keyhole@localhost>",
            f"Date: {format_datetime(datetime.fromtimestamp(entry.time, UTC))}",
            f"Subject: {_header(f'[PATCH {number}/{total}] {subject}')}",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=UTF-8",
            "Content-Transfer-Encoding: 8bit",
            "",
            *body,
            "---",
            "",
        ]
    )
    patches = b"".join(_patch(journal, change) for change in entry.files)
    return head.encode("utf-8", "replace") + patches + b"-- \nkeyhole\n\n"


def _message(entry: Entry) -> tuple[str, list[str]]:
    """Return the subject and the lines below it: why, edit by edit, and who asked."""
    call = entry.call
    edits = [edit for file in entry.files for edit in file.edits]
    reasons = list(dict.fromkeys(_one_line(edit.reason) for edit in edits if edit.reason))
    paths = ", ".join(file.path for file in entry.files)
    first = _one_line(call.reason) or (reasons[0] if reasons else f"{call.tool} {paths}")
    body = [first] if len(first) > _LONGEST_SUBJECT else []
    body += [f"- {reason}" for reason in reasons if reason != first]
    task = [f"Task: {_one_line(call.task)}"] if call.task else []
    trailers = [*task, f"Transaction: {entry.id}"]
    return first[:_LONGEST_SUBJECT], [*body, *([""] if body else []), *trailers]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _header(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=10_000).encode()


def _patch(journal: Records, change: FileChange) -> bytes:
    """Return the change of one file as git writes it; a move is a file gone and one new."""
    before = _image(journal, change, change.before)
    after = _image(journal, change, change.after)
    if before == after and change.executable is None:
        return b""
    both = (before or b"") + (after or b"") if before != after else b""
    if b"\0" in both or b"\r" in both:
        # Mail programs, git's included, take carriage returns away; this form is safe from them.
        return "\n".join(_binary(change, before, after)).encode("ascii")
    return _text(change, before, after).encode("latin-1")


def _image(journal: Records, change: FileChange, hash_: str | None) -> bytes | None:
    return version(journal, hash_, change.encoding).to_bytes() if hash_ else None


def _text(change: FileChange, before: bytes | None, after: bytes | None) -> str:
    # Read as Latin-1, every byte is one character: what goes out is what the files hold.
    old, new = (before or b"").decode("latin-1"), (after or b"").decode("latin-1")
    if after is None:
        return unified_deletion(change.path, old, is_program=change.was_program)
    known = old if before is not None else None
    return unified(change.path, known, diff(old, new), executable=change.executable)


def _modes(change: FileChange) -> Iterator[str]:
    """Yield the header lines that tell of a file's mode."""
    now, was = ("100755", "100644") if change.executable else ("100644", "100755")
    if change.before is None:
        yield f"new file mode {now}"
    elif change.after is None:
        yield f"deleted file mode {'100755' if change.was_program else '100644'}"
    elif change.executable is not None:
        yield f"old mode {was}"
        yield f"new mode {now}"


def _binary(change: FileChange, before: bytes | None, after: bytes | None) -> Iterator[str]:
    yield f"diff --git {quoted(f'a/{change.path}')} {quoted(f'b/{change.path}')}"
    yield from _modes(change)
    yield f"index {_blob(before)}..{_blob(after)}"
    yield "GIT binary patch"
    yield f"literal {len(after or b'')}"
    squeezed = zlib.compress(after or b"")
    for at in range(0, len(squeezed), _CHUNK):
        chunk = squeezed[at : at + _CHUNK]
        yield _LENGTHS[len(chunk)] + base64.b85encode(chunk, pad=True).decode("ascii")
    yield "\n"


# A line begins with the number of its bytes: A to Z is 1 to 26, a to z is 27 to 52.
_LENGTHS = " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _blob(data: bytes | None) -> str:
    """Return the name that git gives to these bytes."""
    if data is None:
        return "0" * 40
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data)).hexdigest()  # noqa: S324 - git's own
