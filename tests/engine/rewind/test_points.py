from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, END, LOOK, PROMPT, Happening
from keyhole.checkpoints.marks import Mark, Marks
from keyhole.engine.rewind.points import owners_of, prompts_of
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft


@pytest.fixture(name="marks")
def _marks(tmp_path: Path) -> Iterator[Marks]:
    made = Marks(tmp_path)
    yield made
    made.close()


def mark(marks: Marks, order: int, kind: str, session: str, name: str = "") -> Mark:
    """Mark a happening right after an entry; `name` is that of a prompt or of a use of a tool."""
    prompt, use = (name, "") if kind == PROMPT else ("", name)
    return marks.add(Happening(kind, "host", session, prompt, "Bash", use), order, 10.0 + order)


def entry(order: int, actor: str = "agent", tool: str = "mcp edit", **details: object) -> Entry:
    call = Call(actor, tool=tool, details=details)
    return Entry(f"{order}-0000", order, EntryDraft("token", float(order), call, ()), APPLIED)


def observed(order: int, actor: str, **details: object) -> Entry:
    return entry(order, actor, "observed", observed=True, **details)


def test_an_entry_is_of_the_tool_that_called_it_or_of_those_at_work(marks: Marks) -> None:
    mark(marks, 0, BEFORE, "t", "work of t")
    since = mark(marks, 0, PROMPT, "s", "p")
    mark(marks, 1, AFTER, "t", "work of t")
    mark(marks, 2, BEFORE, "s", "work of s")
    mark(marks, 3, LOOK, "")
    mark(marks, 3, END, "t")
    mark(marks, 4, END, "s")
    entries = [
        entry(1),
        entry(2),
        entry(3),
        entry(4, ids={"call": "nobody told", "use": "work of t"}),
        entry(5, ids={"use": "nobody told"}),
        entry(6, tool="cli edit"),
    ]

    found = [(set(by.sessions), by.has_person) for _, by in owners_of(marks, entries, since)]

    assert found == [
        ({"t"}, False),
        ({""}, False),
        ({"s"}, False),
        ({"t"}, False),
        ({""}, False),
        (set(), True),
    ]


def test_what_was_seen_is_of_all_that_can_have_done_it(marks: Marks) -> None:
    both = [{"actor": "host:Bash", "host_session": each} for each in ("s", "t")]
    entries = [
        observed(1, "person"),
        observed(2, "host:Bash", host_session="s"),
        observed(3, "one of two", among=both),
        observed(4, "one of three", among=[*both, {"actor": "person"}]),
    ]

    found = [by for _, by in owners_of(marks, entries, mark(marks, 0, PROMPT, "s", "p"))]

    assert [(by.is_agents, by.are("s")) for by in found] == [
        (False, False),
        (True, True),
        (True, False),
        (False, False),
    ]


def test_an_entry_belongs_to_its_prompt_or_to_the_last_one_before(marks: Marks) -> None:
    one = mark(marks, 1, PROMPT, "s", "one")
    mark(marks, 2, BEFORE, "s", "work of s")
    two = mark(marks, 3, PROMPT, "t", "two")
    entries = [
        entry(1),
        entry(2),
        entry(4),
        entry(5, ids={"call": "nobody told", "use": "work of s"}),
        entry(6, ids={"use": "nobody told"}),
        observed(7, "host:Bash", host_session="t", prompt="one"),
        observed(8, "person"),
    ]

    assert prompts_of(marks, entries, [two, one]) == {
        "2-0000": one.id,
        "4-0000": two.id,
        "5-0000": one.id,
        "6-0000": two.id,
        "7-0000": one.id,
        "8-0000": two.id,
    }
