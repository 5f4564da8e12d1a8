"""Which places of a sweep a call means: all it counted, or those it names by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from keyhole.answers.sweep import counted
from keyhole.engine.sweep.find import Findings, SweptPlaces
from keyhole.engine.sweep.places import SweepPlace, tag_of
from keyhole.engine.sweep.request import Sweep
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import ArgumentName, FileName, joined, say
from keyhole.refusals import Refusal, Refused

_MOST_NAMED = 20
_MOST_FILES_NAMED = 10


@dataclass(frozen=True, slots=True)
class ChosenPlaces:
    """The files with the places to change, and warnings about places that are not there."""

    files: tuple[SweptPlaces, ...]
    warnings: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Return how many places are to be changed."""
        return sum(len(file.places) for file in self.files)


def chosen(sweep: Sweep, found: Findings, *, skips: bool) -> ChosenPlaces:
    """Return the places that a call means, or refuse.

    A place that changed since the preview is refused with the call, or `skips` leaves it out alone.
    """
    if sweep.expected_count not in {None, found.count}:
        raise Refused(_count_differs(sweep.expected_count or 0, found))
    gone = _gone(found, sweep.only or sweep.without)
    # What became of a place that is to stay nobody knows, so it may be one of those found now.
    if gone and (sweep.without or not skips):
        raise Refused(_changed(sweep, found, gone))
    wanted = frozenset(sweep.only or sweep.without)

    def is_meant(place: SweepPlace) -> bool:
        return not wanted or (place.id in wanted) == bool(sweep.only)

    files = tuple(
        replace(file, places=kept)
        for file in found.files
        if (kept := tuple(place for place in file.places if is_meant(place)))
    )
    if not files:
        raise Refused(_changed(sweep, found, gone) if gone else _nothing_left())
    return ChosenPlaces(
        files, tuple(say("{} is left out", _gone_place(found, each)) for each in gone)
    )


def _gone(found: Findings, ids: Iterable[str]) -> list[str]:
    """Return the ids that no place has, or two have."""
    if not ids:
        return []
    there = Counter(place.id for file in found.files for place in file.places)
    return [each for each in dict.fromkeys(ids) if there[each] != 1]


def _count_differs(expected: int, found: Findings) -> Refusal:
    return Refusal(
        "count-differs",
        say(
            "{expected_count} is {}, and there are {} in {}",
            expected,
            counted(found.count, "place"),
            counted(len(found.files), "file"),
        ),
        where=_by_file(found.files),
        help=say("look at the places: send the call without {expected_count:bare}"),
        data={"count": found.count, "field": "expected_count"},
    )


def _by_file(files: Collection[SweptPlaces]) -> str:
    first = [
        say("{} {}", FileName(file.path), len(file.places))
        for file in sorted(files, key=lambda file: -len(file.places))[:_MOST_FILES_NAMED]
    ]
    more = len(files) - len(first)
    tail = [f"and {counted(more, 'file')} more"] if more else []
    return joined(", ", [*first, *tail])


def _changed(sweep: Sweep, found: Findings, gone: list[str]) -> Refusal:
    name = ArgumentName("only" if sweep.only else "without")
    places = joined("\n", (_gone_place(found, each) for each in gone[:_MOST_NAMED]))
    return Refusal(
        "stale",
        say("{} of the places in {} changed, or are gone", len(gone), name),
        where=places,
        help=say(
            "look again: send the call without {} for the places as they are now; "
            "with {on_conflict:bare} skip the others of {only:bare} are changed",
            ArgumentName(name.name, bare=True),
        ),
        data={"places": gone[:_MOST_NAMED]},
    )


def _gone_place(found: Findings, name: str) -> str:
    """Return a place that is not there by its id, with its file if that has other places."""
    files = (file for file in found.files if name.startswith(f"{tag_of(file.path)}-"))
    file = next(files, None)
    return say("{} in {}", name[:80], FileName(file.path)) if file else say("{}", name[:80])


def _nothing_left() -> Refusal:
    return Refusal(
        "bad-request",
        say("{without} leaves out every place"),
        help="there is nothing to do",
        data={"field": "without"},
    )
