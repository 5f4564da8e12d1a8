"""Points to go back to, and whose each entry since is: a session's, an agent's, a person's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from keyhole.arguments import parse_moment
from keyhole.checkpoints.actors import GIT, PERSON
from keyhole.checkpoints.happenings import AFTER, BEFORE, ENDS_TOOLS, Happening
from keyhole.checkpoints.marks import Mark, Marks
from keyhole.checkpoints.store import CheckpointStore
from keyhole.fastclasses import dataclass
from keyhole.journal.model import Entry
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

_CHECKPOINT = re.compile(r"c(\d{1,15})")
# Doors that people use themselves; what a tool of a host calls there is the tool's.
_OF_PEOPLE = ("cli ", "review", "web")


def point_of(marks: Marks, said: str) -> Mark:
    """Return the mark of a prompt, a checkpoint or a moment, or refuse."""
    found = marks.began(said)
    if found is None and (number := _CHECKPOINT.fullmatch(said)):
        found = marks.mark(int(number[1]))
    if found is None and (moment := parse_moment(said)) is not None:
        found = marks.at(moment)
    if found is None:
        headline = say("there is no prompt, checkpoint or look by {}", said[:80])
        help_line = "`keyhole rewind` without a point lists the prompts there are"
        raise Refused(Refusal("nothing-to-undo", headline, help=help_line))
    return found


def store_of(tree: Tree) -> CheckpointStore:
    """Return the checkpoints of a workspace, or refuse where nobody observes it."""
    store = CheckpointStore(tree.state, tree.root.path)
    if not store.is_there:
        headline = "this workspace is not observed, so no prompt or checkpoint of it is known"
        help_line = "begin with `keyhole observe`, or install the hooks of your host"
        raise Refused(Refusal("nothing-to-undo", headline, help=help_line))
    return store


@dataclass(frozen=True, slots=True)
class Makers:
    """Who made an entry, as far as hosts told: sessions by name, "" for an unknown one."""

    sessions: frozenset[str]
    has_person: bool = False

    @property
    def is_agents(self) -> bool:
        """Tell whether only agents can have made it."""
        return bool(self.sessions) and not self.has_person

    def are(self, session: str) -> bool:
        """Tell whether this session made it, and nobody else can have."""
        return self.is_agents and self.sessions == {session}


_A_PERSON = Makers(frozenset(), has_person=True)


def owners_of(
    marks: Marks, entries: Iterable[Entry], since: Mark
) -> Iterator[tuple[Entry, Makers]]:
    """Yield entries, oldest first, with who made each."""
    at_work = dict[tuple[str, str], Happening]()
    later = marks.after(since.id)
    pending = next(later, None)
    for each in marks.open_at(since.id):
        at_work[each.session, each.use] = each
    for entry in entries:
        while pending is not None and pending.position < entry.order:
            _follow(at_work, pending.happening)
            pending = next(later, None)
        yield entry, _owners(marks, entry, at_work)


def _follow(at_work: dict[tuple[str, str], Happening], one: Happening) -> None:
    if one.kind == BEFORE:
        at_work[one.session, one.use] = one
    elif one.kind == AFTER:
        at_work.pop((one.session, one.use), None)
    elif one.kind in ENDS_TOOLS:
        for key in [key for key in at_work if key[0] == one.session]:
            del at_work[key]


def _owners(marks: Marks, entry: Entry, at_work: Mapping[tuple[str, str], Happening]) -> Makers:
    details = entry.call.details
    if details.get("observed"):
        return _observed(entry)
    ids = details.get("ids")
    for name in ids.values() if isinstance(ids, Mapping) else ():
        if mark := marks.of_use(str(name)):
            return Makers(frozenset([mark.happening.session]))
    if at_work:
        return Makers(frozenset(each.session for each in at_work.values()))
    is_person = entry.call.tool.startswith(_OF_PEOPLE)
    return _A_PERSON if is_person else Makers(frozenset([""]))


def _observed(entry: Entry) -> Makers:
    details = entry.call.details
    if entry.call.actor in {PERSON, GIT}:
        return _A_PERSON
    among = details.get("among")
    if isinstance(among, list):
        made = [each for each in among if isinstance(each, dict)]
        sessions = [str(each.get("host_session", "")) for each in made]
        has_person = any(each.get("actor") == PERSON for each in made)
        return Makers(frozenset(sessions), has_person)
    return Makers(frozenset([str(details.get("host_session", ""))]))


def prompts_of(marks: Marks, entries: Iterable[Entry], prompts: Sequence[Mark]) -> dict[str, int]:
    """Return for each entry the prompt that it belongs to: its own, else the last one before it.

    What people did belongs to the prompt that they did it after.
    """
    named = {each.happening.prompt: each.id for each in prompts if each.happening.prompt}
    found = dict[str, int]()
    for entry in entries:
        prompt, session = _said_of(marks, entry)
        before = [each for each in prompts if each.position < entry.order]
        own = [each for each in before if each.happening.session == session] if session else []
        last = (own or before)[:1]
        if number := named.get(prompt) or (last[0].id if last else 0):
            found[entry.id] = number
    return found


def _said_of(marks: Marks, entry: Entry) -> tuple[str, str]:
    """Return the prompt and the session of an entry, as far as a host told."""
    details = entry.call.details
    if details.get("observed"):
        return str(details.get("prompt", "")), str(details.get("host_session", ""))
    ids = details.get("ids")
    for name in ids.values() if isinstance(ids, Mapping) else ():
        if mark := marks.of_use(str(name)):
            return mark.happening.prompt, mark.happening.session
    return "", ""
