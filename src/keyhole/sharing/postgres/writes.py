"""Write entries to the shared journal: once each, in one order, also after a lost connection."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import cast

from keyhole.fastclasses import dataclass
from keyhole.journal import queries, record
from keyhole.journal.model import EntryDraft, Undone
from keyhole.sharing.identity import Checkout
from keyhole.sharing.outbox import Outbox, PackedImage, StoredEntry
from keyhole.sharing.postgres.schema import LONGEST_PATH
from keyhole.sharing.server import Row, Server, Unreachable

BATCH = 100


@dataclass(frozen=True, slots=True)
class RegisteredWorkspace:
    """A workspace's numbers on the server."""

    project: int
    workspace: int
    source: int
    # Whether other machines edit this very checkout, too.
    several: bool = False


def register(server: Server, checkout: Checkout, journal: str) -> RegisteredWorkspace:
    """Register the project, the checkout and this journal, unless they are registered."""
    server.run(
        "INSERT INTO keyhole.project(name) VALUES(%s) ON CONFLICT DO NOTHING", (checkout.project,)
    )
    project = cast("int | None", server.rows("SELECT keyhole.current_project()")[0][0])
    if project is None:
        raise Unreachable(f"this role is no member of the project {checkout.project}")
    server.run(
        "INSERT INTO keyhole.workspace(project, key) VALUES(%s, %s) ON CONFLICT DO NOTHING",
        (project, checkout.key),
    )
    query = "SELECT id FROM keyhole.workspace WHERE project = %s AND key = %s"
    workspace = cast("int", server.rows(query, (project, checkout.key))[0][0])
    source = server.rows(
        """INSERT INTO keyhole.source(project, workspace, journal, machine, worktree, prefix)
        VALUES(%s, %s, %s, %s, %s, %s) ON CONFLICT(project, workspace, journal) DO UPDATE
        SET machine = EXCLUDED.machine, worktree = EXCLUDED.worktree, prefix = EXCLUDED.prefix,
            seen = clock_timestamp() RETURNING id""",
        (
            project,
            workspace,
            journal,
            storable(checkout.machine),
            storable(checkout.worktree),
            os.fsencode(checkout.prefix),
        ),
    )
    several = server.rows(
        "SELECT count(DISTINCT machine) > 1 FROM keyhole.source WHERE workspace = %s", (workspace,)
    )
    return RegisteredWorkspace(project, workspace, cast("int", source[0][0]), bool(several[0][0]))


def push(
    server: Server, me: RegisteredWorkspace, checkout: Checkout, outbox: Outbox, known: int
) -> tuple[int, bool]:
    """Send the next entries; return the position reached, and whether there may be more.

    The position is a row of the server and moves with the entries, so a batch that was cut off is
    sent again as a whole, and one whose answer was lost is not sent twice. Locking it keeps several
    processes of one workspace in line. `known` is where the sender believes it to be.
    """
    query = "SELECT entries_through FROM keyhole.source WHERE id = %s FOR UPDATE"
    position = server.later(query, (me.source,))
    parcels = outbox.after(known, BATCH)
    drafts = [record.from_json(parcel.body) for parcel in parcels]
    present = _known_images(server, me, drafts)
    through = cast("int", position.rows[0][0])
    if through != known:
        parcels = outbox.after(through, BATCH)
        drafts = [record.from_json(parcel.body) for parcel in parcels]
        present = _known_images(server, me, drafts)
    if not parcels:
        return through, False
    _send_images(server, me, outbox, _images_of(drafts) - present)
    # From here to the end of the transaction nobody else of the project gets a number: what is
    # numbered later also becomes visible later, and everybody reads the same order.
    last = server.rows(
        "UPDATE keyhole.project SET last = last + %s WHERE id = %s RETURNING last",
        (len(parcels), me.project),
    )
    first = cast("int", last[0][0]) - len(parcels) + 1
    numbers = range(first, first + len(parcels))
    _send_entries(server, me, checkout, [*zip(numbers, parcels, drafts, strict=True)])
    statement = (
        "UPDATE keyhole.source SET entries_through = %s, seen = clock_timestamp() WHERE id = %s"
    )
    server.many(statement, [(parcels[-1].number, me.source)])
    return parcels[-1].number, len(parcels) == BATCH


def _images_of(drafts: Sequence[EntryDraft]) -> set[bytes]:
    files = [file for draft in drafts for file in draft.files]
    return {bytes.fromhex(each) for file in files for each in (file.before, file.after) if each}


def _known_images(
    server: Server, me: RegisteredWorkspace, drafts: Sequence[EntryDraft]
) -> set[bytes]:
    query = "SELECT hash FROM keyhole.blob WHERE project = %s AND hash = ANY(%s)"
    rows = server.rows(query, (me.project, list(_images_of(drafts))))
    return {cast("bytes", row[0]) for row in rows}


def _send_images(
    server: Server, me: RegisteredWorkspace, outbox: Outbox, hashes: set[bytes]
) -> None:
    images = list(outbox.images(hashes))
    server.many(
        """INSERT INTO keyhole.blob(project, hash, base, prefix, suffix, packed, data)
        VALUES(%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING""",
        [_image_row(me, image) for image in sorted(images, key=lambda each: each.hash)],
    )


def _image_row(me: RegisteredWorkspace, image: PackedImage) -> Row:
    parts = (image.hash, image.base, image.prefix, image.suffix, image.packed, image.data)
    return (me.project, *parts)


def _send_entries(
    server: Server,
    me: RegisteredWorkspace,
    checkout: Checkout,
    numbered: Sequence[tuple[int, StoredEntry, EntryDraft]],
) -> None:
    server.many(
        """INSERT INTO keyhole.entry(project, workspace, source, number, local, state, body, token,
            time, actor, task, tool, branch, base)
        VALUES(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)""",
        [(me.project, me.workspace, me.source, *_entry_row(*each)) for each in numbered],
    )
    server.many(
        """INSERT INTO keyhole.touch(project, workspace, number, path, before, after)
        VALUES(%s, %s, %s, %s, %s, %s)""",
        [
            (
                me.project,
                me.workspace,
                number,
                checkout.outward(file.path)[:LONGEST_PATH],
                bytes.fromhex(file.before) if file.before else None,
                bytes.fromhex(file.after) if file.after else None,
            )
            for number, _, draft in numbered
            for file in draft.files
        ],
    )
    server.many(
        """INSERT INTO keyhole.undo(project, source, number, target, edit)
        VALUES(%s, %s, %s, %s, %s)""",
        [
            (me.project, me.source, number, queries.number_of(undone.entry), _edit_of(undone))
            for number, _, draft in numbered
            for undone in draft.call.undoes
        ],
    )


def _edit_of(undone: Undone) -> int | None:
    return -1 if undone.path else undone.edit


def _entry_row(number: int, parcel: StoredEntry, draft: EntryDraft) -> Row:
    call = draft.call
    place = call.details.get("checkout")
    branch, base = place if isinstance(place, list) and len(place) == 2 else ("", "")
    return (
        number,
        parcel.number,
        parcel.state,
        parcel.body,
        draft.token,
        draft.time,
        storable(call.actor),
        storable(call.task),
        storable(call.tool),
        storable(str(branch)),
        storable(str(base)),
    )


def push_attempts(server: Server, me: RegisteredWorkspace, outbox: Outbox) -> bool:
    """Send refused calls; tell whether there may be more."""
    query = "SELECT attempts_through FROM keyhole.source WHERE id = %s FOR UPDATE"
    through = cast("int", server.rows(query, (me.source,))[0][0])
    attempts = outbox.attempts(through)
    if not attempts:
        return False
    server.many(
        """INSERT INTO keyhole.attempt(project, source, local, time, actor, task, tool, codes, said,
            path)
        VALUES(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING""",
        [
            (me.project, me.source, local, time, *map(storable, words), path)
            for local, time, *words, path in attempts
        ],
    )
    statement = "UPDATE keyhole.source SET attempts_through = %s WHERE id = %s"
    server.run(statement, (attempts[-1][0], me.source))
    return True


def push_ends(server: Server, me: RegisteredWorkspace, ended: Sequence[tuple[str, float]]) -> None:
    """Send which tasks were ended: what they did before no longer conflicts."""
    server.many(
        """INSERT INTO keyhole.task(project, name, through)
        SELECT %s, %s, coalesce(max(number), 0) FROM keyhole.entry
        WHERE project = %s AND task = %s AND time <= %s
        ON CONFLICT(project, name)
        DO UPDATE SET through = greatest(task.through, EXCLUDED.through)""",
        [(me.project, storable(name), me.project, storable(name), time) for name, time in ended],
    )


def forget_if_due(server: Server, days: int) -> None:
    """Forget what is older, once a day; a role that may not leaves it to the owner."""
    may = "has_function_privilege('keyhole.forget(interval)', 'EXECUTE')"
    owns = "has_table_privilege('keyhole.entry', 'DELETE')"
    due = f"SELECT {may} AND {owns} AND tidied < now() - interval '1 day' FROM keyhole.project"  # noqa: S608 - our own words
    if days and server.rows(due) == [(True,)]:
        server.run("SELECT set_config('statement_timeout', '60000', true)")
        server.run("SELECT keyhole.forget(make_interval(days => %s))", (days,))


def storable(text: str) -> str:
    """Return text that PostgreSQL can hold: NUL and lone surrogates spelled out."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
