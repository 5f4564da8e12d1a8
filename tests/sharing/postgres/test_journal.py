"""The shared journal answers as a local one does, for every workspace of the project."""

from collections.abc import Callable
from typing import TypeVar

import psycopg
import pytest

from keyhole.engine.facade import Engine
from keyhole.journal.model import Entry, Query
from keyhole.refusals import Refused
from keyhole.sharing.postgres.journal import PostgresJournal, _assembled
from keyhole.text.document import hash_of
from tests.team import TEXT, Team, edit

pytestmark = pytest.mark.needs("postgres")
R = TypeVar("R")


def ask(engine: Engine, question: Callable[[PostgresJournal], R]) -> R:
    assert engine._tree.shared is not None
    return engine._tree.shared.ask(question)


@pytest.fixture(name="one")
def _one(team: Team) -> Engine:
    """A checkout in which two edits were made."""
    engine = team.open(team.main, "one")
    edit(engine, "line 3\n", "three\n", "ours")
    edit(engine, "line 9\n", "nine\n", "theirs")
    return engine


def found(engine: Engine, query: Query) -> tuple[Entry, ...]:
    return ask(engine, lambda journal: journal.entries(query))


def test_entries_are_listed_by_number_and_time(one: Engine) -> None:
    newer, older = found(one, Query())

    assert found(one, Query(before=newer.order)) == (older,)
    assert found(one, Query(until=newer.time)) == (older,)
    assert found(one, Query(until=1.0)) == ()


def test_what_is_no_entry_and_no_image_is_not_found(one: Engine) -> None:
    for name in ("nonsense", "1-", "99"):
        assert ask(one, lambda journal, name=name: journal.entry(name)) is None  # type: ignore[misc]
    assert ask(one, lambda journal: journal.image("0" * 16)) is None


def test_what_is_not_kept_in_memory_is_asked_for_again(
    one: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.sharing.postgres.journal._MOST_ENTRIES", 1)
    monkeypatch.setattr("keyhole.sharing.postgres.journal._MOST_IMAGES", 1)
    first = found(one, Query())
    hashes = [file.after or "" for entry in first for file in entry.files] * 2

    images = ask(one, lambda journal: [journal.image(each) for each in hashes])

    assert found(one, Query()) == first
    assert [image and hash_of(image) for image in images] == hashes


def test_an_image_that_the_server_harmed_is_refused(team: Team, one: Engine) -> None:
    newest = found(one, Query())[0].files[0].after or ""
    with psycopg.connect(team.url, autocommit=True) as owner:
        owner.execute("UPDATE keyhole.blob SET data = 'x', packed = false")

    with pytest.raises(Refused, match=r"image .* is damaged"):
        ask(one, lambda journal: journal.image(newest))


def test_what_is_stored_is_counted(one: Engine) -> None:
    health = ask(one, lambda journal: journal.examine())

    assert health.store.startswith("PostgreSQL ")
    assert (health.entries, health.pending) == (2, 0)


def test_files_are_named_as_the_workspace_sees_them(team: Team, one: Engine) -> None:
    (team.main / "sub").mkdir()
    (team.main / "sub" / "f.txt").write_text(TEXT, encoding="utf-8")
    below = team.open(team.main / "sub", "one")
    edit(below, "line 5\n", "five\n", "below")

    assert [file.path for file in found(below, Query())[0].files] == ["f.txt"]
    assert [file.path for file in found(one, Query())[0].files] == ["sub/f.txt"]


def test_an_image_whose_pieces_were_not_sent_is_not_there() -> None:
    assert _assembled({}, b"1") is None
