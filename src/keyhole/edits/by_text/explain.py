"""Refusals of edits, in words: what is there instead, and the next move."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import CandidateEdit, LocatedEdit
from keyhole.fastclasses import dataclass, replace
from keyhole.matching.elision import is_marker
from keyhole.matching.ladder import SeveralPlaces
from keyhole.matching.nearest import NearPlace, nearest, visible
from keyhole.matching.query import BlockCrossing, Obstacle, Occurrence, Quote, Rewrite
from keyhole.matching.view import View
from keyhole.phrases import Accept, ArgumentName, FileName, say
from keyhole.refusals import Candidate, Refusal, Refused
from keyhole.text.diff import numbered, window
from keyhole.text.document import Document
from keyhole.text.indent import is_blank
from keyhole.text.lines import range_shown

_MOST_LINES_LISTED = 12
# Places less alike are shown, and not offered: of those that were meant, none was below 89 %.
_LEAST_OFFERED = 0.88
_MOST_LINES_GIVEN = 1000
_MOST_PLACES = 3
_MOST_SHOWN = 20
_MOST_OF_LINE = 80
_AS_IT_STANDS = "quote it as it stands"
_QUOTE_AGAIN = "read the file and quote the place as it stands"
_MORE_CONTEXT = "give more lines of context, or an @@ line above the place"
_ONE_OF_THEM = say(
    "quote a neighbouring line too, name the {segment:bare} or {lines:bare}, "
    "or set {occurrence:bare} (first, last, all, or a number)"
)
# What `name` says where the lines of a hunk are looked for, and no argument.
HUNK = "hunk"


@dataclass(frozen=True, slots=True)
class ExplainedRefusal:
    """A refusal, and the edits it offers instead."""

    refusal: Refusal
    offered: tuple[CandidateEdit, ...] = ()


class Offering(Refused):
    """Refusals raised together with the edits they offer instead."""

    def __init__(self, *explained: ExplainedRefusal) -> None:
        super().__init__(*(each.refusal for each in explained))
        self.offered = tuple(one for each in explained for one in each.offered)


def lines_as_words(numbers: Sequence[int | str], more: int = 0) -> str:
    """Return line numbers as words: `line 3`, `lines 3 (2 times), 8 and 14 more`.

    `more` are lines that are counted only.
    """
    times = Counter(numbers)
    shown = [f"{line} ({count} times)" if count > 1 else f"{line}" for line, count in times.items()]
    more += len(shown) - _MOST_LINES_LISTED
    tail = f" and {more} more" if more > 0 else ""
    return f"line{'s' if len(shown) > 1 else ''} {', '.join(shown[:_MOST_LINES_LISTED])}{tail}"


def _named(name: str) -> ArgumentName | str:
    """Return how a message calls what was looked for; a hunk is no argument."""
    return "the hunk" if name == HUNK else ArgumentName(name)


def ambiguous(name: str, path: str, document: Document, several: SeveralPlaces) -> Refusal:
    """Refuse a quote that stands in several places: all of them, and how to tell them apart."""
    starts = document.starts  # one index serves all the places
    lines = [bisect_right(starts, start) for start, _ in several.spans]
    count = f"more than {len(lines)}" if several.more else f"{len(lines)}"
    how = "" if several.rung == "exact" else f", {_HOW.get(several.rung, several.rung)}"
    by_line = dict(zip(reversed(lines), reversed(several.spans), strict=True))
    places = sorted(by_line.values())[:_MOST_PLACES]
    shown = tuple(Candidate(document.lines_of(span), _shown(document, span)) for span in places)
    return Refusal(
        "ambiguous",
        say("{} stands at {} places in {}{}", _named(name), count, FileName(path), how),
        where=_places(document, lines),
        help=_MORE_CONTEXT if name == HUNK else _ONE_OF_THEM,
        candidates=shown,
        data={"lines": lines[:_MOST_LINES_GIVEN]},
        kind=name,
    )


def _places(document: Document, lines: Sequence[int]) -> str:
    if not document.stored:
        return lines_as_words(lines)
    shown = [f"line {document.place_shown(line)}" for line in lines[:_MOST_LINES_LISTED]]
    more = len(lines) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


_HOW = {
    "whitespace": "trailing blanks aside",
    "blank-lines": "the length of blank runs aside",
    "indentation": "indentation aside",
    "transport": "after repair of the quoted text",
}


def not_found(
    name: str, path: str, view: View, quote: Quote, scope: tuple[int, int]
) -> ExplainedRefusal:
    """Refuse a quote that stands nowhere: show the nearest places, their differences, and ids."""
    if view.is_huge:
        return ExplainedRefusal(_not_there(name, path, _HUGE))
    near = nearest(view, quote, scope)
    if near is None:
        return ExplainedRefusal(_not_there(name, path, _MUCH))
    offered = tuple(
        offer_of(path, view.document, LocatedEdit(0, place.changes, span=(place.start, place.end)))
        for place in near
        if place.changes and place.similarity >= _LEAST_OFFERED
    )
    ids = {offer.span: offer.accept for offer in offered}
    candidates = tuple(_candidate(view.document, place, ids) for place in near)
    part = "" if scope == (0, len(view.flat)) else " within the named place"
    stands = [view.lines[number] for place in near for number in range(place.first, place.last)]
    is_diff = _is_marked(quote.old) and not any(
        line.lstrip()[:1] in "+-" for line in stands if line
    )
    move, mend = _next_moves(quote, near, offered, is_diff=is_diff)
    refusal = Refusal(
        "not-found",
        say("{} is not in {}{}", _named(name), FileName(path), part),
        where=_nearest_line(near, view.document),
        help=move,
        mend=mend,
        candidates=candidates,
    )
    return ExplainedRefusal(refusal, offered)


_HUGE = "the file is so large that text is only found to the character"
_MUCH = "so much is quoted that looking for what is like it would take too long"
_MANY = "so many quotes are missing that nothing like this one was looked for"


def one_of_many(name: str, path: str) -> ExplainedRefusal:
    """Refuse a quote that stands nowhere, after many others: without a search for near places."""
    return ExplainedRefusal(_not_there(name, path, _MANY))


def written_earlier(name: str, path: str) -> ExplainedRefusal:
    """Refuse a quote that stands nowhere yet: it is in the new text of an earlier edit."""
    where = "an earlier edit of this call writes that text"
    help_line = (
        "edits of one call are located on the text before it: make one edit of the two, "
        "or send this one in a later call"
    )
    return ExplainedRefusal(replace(_not_there(name, path, where), help=help_line))


def _not_there(name: str, path: str, where: str) -> Refusal:
    help_line = "read the file and quote the text as it stands there"
    headline = say("{} is not in {}", _named(name), FileName(path))
    return Refusal("not-found", headline, where=where, help=help_line)


def outside_its_block(
    name: str, path: str, view: View, crossing: BlockCrossing
) -> ExplainedRefusal:
    """Refuse a quote whose left-out lines run over the end of a block; offer it as it was found."""
    line, document = crossing.outside + 1, view.document
    outside = visible(view.lines[crossing.outside].strip()[:_MOST_OF_LINE])
    stands = "stands" if name == "until" else "goes on"
    refusal = Refusal(
        "not-found",
        say(
            f"{{}} {stands} at line {crossing.tail + 1} of {{}}, "
            f"outside of the block of line {crossing.head + 1}",
            ArgumentName(name),
            FileName(path),
        ),
        where=f"line {line} is in another block: {outside}",
        help="quote how the block itself ends",
    )
    return _offering(refusal, path, document, crossing.rewritten, refusal.where)


def cut(
    name: str, path: str, view: View, site: Occurrence, whole: Rewrite | None
) -> ExplainedRefusal:
    """Refuse a quote of lines that cuts one in two; offer the edit of the whole lines."""
    first, last = view.line_of(site.start), view.line_of(max(site.end - 1, site.start))
    begins = (site.quote.old.partition("\n")[0], view.around(site.start, site.end)[0])
    line, part = (last, -1) if any(map(is_blank, begins)) else (first, 0)
    number = view.document.place_shown(line + 1)
    stands = f"line {number} is {visible(view.lines[line][:_MOST_OF_LINE])}"
    refusal = Refusal(
        "not-found",
        say("{} is in {}, but it cuts line {} in two", ArgumentName(name), FileName(path), number),
        where=stands,
        help=say(
            "quote whole lines; to replace only the quoted characters, send an edit with "
            "{match:bare} exact"
        ),
    )
    rewritten = whole or Rewrite(view.offset(site.start), view.offset(site.end), "exact", ())
    quoted = site.quote.old.removesuffix("\n").split("\n")[part]
    differs = f"{stands}, quoted as {visible(quoted[:_MOST_OF_LINE])}"
    return _offering(refusal, path, view.document, rewritten, differs)


def beside_its_anchor(
    path: str, document: Document, anchors: Sequence[str], rewritten: Rewrite, bad: Refusal | None
) -> ExplainedRefusal:
    """Refuse a hunk whose lines stand once and not below its anchors; offer that place."""
    line, _ = document.lines_of((rewritten.start, rewritten.end))
    stands = f"the lines of the hunk stand at line {document.place_shown(line)}"
    headline = f"{stands}, not below the anchor `{anchors[-1][:_MOST_OF_LINE]}`"
    refusal = Refusal("not-found", headline, help=_QUOTE_AGAIN)
    if bad:
        refusal = replace(bad, where=bad.where or stands)
    return _offering(refusal, path, document, rewritten, "")


def _offering(
    refusal: Refusal, path: str, document: Document, rewritten: Rewrite, differs: str
) -> ExplainedRefusal:
    """Return a refusal with one located edit as its candidate."""
    span = rewritten.start, rewritten.end
    first, last = document.lines_of(span)
    candidate = Candidate((first, last), _shown(document, span), differs)
    if not rewritten.changes:
        return ExplainedRefusal(replace(refusal, candidates=(candidate,)))
    offer = offer_of(path, document, LocatedEdit(0, rewritten.changes, span=span))
    lines = f"line {document.place_shown(first)} is"
    if first != last:
        lines = f"lines {range_shown(document, (first, last))} are"
    refusal = replace(
        refusal,
        candidates=(replace(candidate, accept=offer.accept),),
        help=say("if {} meant, {}; else {}", lines, Accept(offer.accept), refusal.help),
        mend=refusal.help,
    )
    return ExplainedRefusal(refusal, (offer,))


def _nearest_line(near: Sequence[NearPlace], document: Document) -> str:
    if not near:
        return "nothing in the file is like it"
    best = near[0]
    lines = range_shown(document, (best.first + 1, best.last))
    return f"the nearest place is at lines {lines}"


def _next_moves(
    quote: Quote, near: Sequence[NearPlace], offered: Sequence[CandidateEdit], *, is_diff: bool
) -> tuple[str, str]:
    """Return the next move after a quote that stands nowhere: with a candidate, and without."""
    if is_diff:
        move = "the lines begin with + or -: quote the file's own text, or send the diff as a patch"
    elif any(map(is_marker, quote.old.split("\n"))):
        move = say(
            "a line that stands for others goes into {find} and {content} alike, "
            "between pieces of two lines or 20 characters that stand once"
        )
    elif offered:
        accept = Accept(offered[0].accept)
        return say("if that is the place, {}; else {}", accept, _AS_IT_STANDS), _AS_IT_STANDS
    elif near and not any(place.changes for place in near):
        move = "a line the edit changes is not as quoted: quote it as it stands in the file"
    else:
        move = "read the file and quote the text as it stands there"
    return move, ""


def _is_marked(text: str) -> bool:
    lines = [line for line in text.split("\n") if line]
    return all(line[0] in "+- " for line in lines) and any(line[0] in "+-" for line in lines)


def offer_of(path: str, document: Document, placed: LocatedEdit) -> CandidateEdit:
    """Return a located edit as one that a refusal offers."""
    assert placed.changes, "BUG: nothing to propose"
    seed = repr((path, document.hash, placed.changes)).encode("utf-8", "surrogatepass")
    accept = hashlib.sha256(seed).hexdigest()[:12]
    return CandidateEdit(accept, path, document.hash, placed.changes, placed.span)


def _candidate(document: Document, near: NearPlace, ids: dict[tuple[int, int], str]) -> Candidate:
    span = near.start, near.end
    return Candidate(
        lines=(near.first + 1, near.last),
        text=_shown(document, span),
        differs=near.differs,
        similarity=near.similarity,
        accept=ids.get(span, ""),
    )


def _shown(document: Document, span: tuple[int, int]) -> str:
    return numbered(document.rows_shown(window(document, span, around=0, most=_MOST_SHOWN)))


def blocked(path: str, document: Document, obstacle: Obstacle) -> Refusal:
    """Refuse an edit whose place is known but cannot take it."""
    span = obstacle.start, obstacle.end
    return Refusal(
        obstacle.code,
        say("the edit cannot be laid onto {}: {}", FileName(path), obstacle.reason),
        where=_shown(document, span),
        help="quote the lines as they stand in the file, indentation included",
    )


def displaced(
    name: str, path: str, document: Document, placed: LocatedEdit, place: tuple[int, int] | str
) -> ExplainedRefusal:
    """Refuse a quote that stands only where its author did not see it: both places, and an id.

    `place` is what became of the place that the author saw: where it is, or why nobody knows.
    """
    offer = offer_of(path, document, placed)
    accept = offer.accept
    lines = document.lines_of(placed.span)
    candidate = Candidate(lines, _shown(document, placed.span), accept=accept)
    here = document.place_shown(lines[0])
    if isinstance(place, str):
        was = place
    else:
        now = document.place_shown(document.lines_of(place)[0])
        was = f"that place is at line {now} now, and was changed since"
    refusal = Refusal(
        "stale",
        say(
            "{} stands at {} of {}, and elsewhere in the version you were shown: {}",
            _named(name),
            f"line {here}",
            FileName(path),
            was,
        ),
        where="" if isinstance(place, str) else _shown(document, place),
        help=say("if line {} is meant, {}; else {}", here, Accept(accept), _QUOTE_AGAIN),
        mend=_QUOTE_AGAIN,
        candidates=(candidate,),
    )
    return ExplainedRefusal(refusal, (offer,))


def obstructed(path: str, document: Document, obstacle: Obstacle) -> Refused:
    """Refuse an edit whose place cannot take it, and offer what it may mean, if that is known."""
    refusal = blocked(path, document, obstacle)
    if not obstacle.offer:
        return Refused(refusal)
    rewritten = Rewrite(obstacle.start, obstacle.end, "accepted", obstacle.offer)
    return Offering(_offering(refusal, path, document, rewritten, obstacle.reason))


def too_few(edit: Edit, path: str, lines: Sequence[int]) -> Refusal:
    """Refuse an occurrence that does not exist."""
    times = "once" if len(lines) == 1 else f"{len(lines)} times"
    there = say("{pattern} fits") if edit.pattern else say("{find} stands")
    return Refusal(
        "not-found",
        say(
            "there is no occurrence {}: {} {} in {}", edit.occurrence, there, times, FileName(path)
        ),
        where=lines_as_words(lines),
        help=say("give an {occurrence:bare} from 1 to {}", len(lines))
        if len(lines) > 1
        else "leave it out",
        data={"lines": list(lines[:_MOST_LINES_GIVEN])},
    )


def no_such_line(wanted: int | str, path: str, document: Document) -> Refusal:
    """Refuse a line beyond the end."""
    count = document.line_count
    return Refusal(
        "not-found",
        say(
            "line {} is out of bounds ({} has {} line{})",
            wanted,
            FileName(path),
            count,
            "s" if count != 1 else "",
        ),
        help='use lines from 1 to that number, "0" for before the first, "-1" for after the last',
        data={"line": wanted, "total_lines": count},
    )


def only_blanks(name: str) -> Refusal:
    """Refuse to search for nothing but blanks by tolerance."""
    return Refusal(
        "bad-request",
        say("{} holds only blanks, which stand everywhere", ArgumentName(name)),
        help=say(
            "quote text with words; to match blanks to the character, set {match:bare} to exact"
        ),
        mend="quote text with words",
        data={"field": name},
    )
