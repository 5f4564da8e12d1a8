"""What an engine did to a case, by the bytes on disk: harm and help, two scores never added up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edit_suite.case import Case, Files
from edit_suite.place import Snapshot

HARMS = {
    "wrong-bytes": "the edit landed in another place, or other text was written",
    "lost-bytes": "text that nobody wanted gone is gone",
    "half-applied": "a part of a call landed and the rest did not",
    "false-success": "the answer says that it is done, and nothing was done",
    "false-refusal": "the answer says that nothing was done, and it was",
    "torn": "a file was seen that is neither the old nor the new one",
    "escaped": "a file outside of the root was written",
    "lost-update": "of calls that came at once, some that were acknowledged are gone",
    "line-ends": "line ends changed that the edit is not about",
    "encoding": "bytes changed that the edit is not about: encoding, byte order mark",
    "metadata": "a mode or a link was lost, or files were left behind",
}
_ENDS = re.compile(rb"\r\n?|\n")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine said: whether it refused, and its text and data as a client sees them."""

    refused: bool
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case."""

    id: str
    kind: str
    # landed, refused, harm, or not-offered
    outcome: str
    harm: str = ""
    helped: bool = False
    detail: str = ""

    @property
    def counts(self) -> bool:
        """Tell whether the engine was asked at all."""
        return self.outcome != "not-offered"


def judge(case: Case, found: Snapshot, answers: Sequence[Answer], *, escaped: bool) -> Verdict:
    """Return the verdict on a case that was run; the last answer is the one that counts."""
    last = answers[-1]
    if escaped:
        return _harm(case, "escaped")
    before = case.padded(case.baseline)
    afters = [case.padded(after) for after in case.afters]
    landed = any(after == found.files for after in afters)
    metadata = _metadata(case, found)
    if metadata and _without_strays(case, found) in (before, *afters):
        return _harm(case, "metadata", metadata)
    if landed or found.files == before:
        return _settled(case, last, landed=landed)
    return _harm(
        case, _kind(case, before, afters, found, last), _first_difference(afters or [before], found)
    )


def _settled(case: Case, last: Answer, *, landed: bool) -> Verdict:
    """Judge a case whose files are as they should be, or as they were."""
    if landed:
        # Of calls that say the same twice, the second may be refused.
        if last.refused and sum(call.verb in case.verbs for call in case.calls) == 1:
            return _harm(case, "false-refusal", last.text[:200])
        return Verdict(case.id, case.kind, "landed", helped=True)
    if not last.refused:
        return _harm(case, "false-success", last.text[:200])
    wanted = case.may_refuse or (case.refuses and not (case.place or case.lines))
    helped = wanted or (bool(case.place or case.lines) and names_place(case, last.text))
    return Verdict(case.id, case.kind, "refused", helped=helped, detail=last.text[:200])


def names_place(case: Case, text: str) -> bool:
    """Tell whether an answer names the right place, and names it first."""
    if case.lines:
        return all(re.search(rf"(?<!\d){line}(?!\d)", text) for line in case.lines)
    found = [_first(text, line) for line in case.place]
    if -1 in found:
        return False
    decoys = [_first(text, line) for line in case.decoys]
    return all(decoy == -1 or decoy > min(found) for decoy in decoys)


def _first(text: str, line: str) -> int:
    """Return where a line is shown, as it is or as JSON spells it."""
    spelled = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    places = [at for at in (text.find(line), text.find(spelled)) if at >= 0]
    return min(places, default=-1)


def _harm(case: Case, harm: str, detail: str = "") -> Verdict:
    return Verdict(case.id, case.kind, "harm", harm, detail=detail)


def _metadata(case: Case, found: Snapshot) -> str:
    """Return what was lost beside the bytes."""
    for path, mode in case.modes.items():
        if path in found.modes and found.modes[path] != mode:
            return f"{path} has mode {found.modes[path]:o}, had {mode:o}"
    missing = sorted({*case.links} - {*found.links})
    if missing:
        return f"{missing[0]} is no link any more"
    strays = sorted({*found.files, *found.links} - {*case.links} - _known(case))
    return f"{strays[0]} was left behind" if strays and not _creates(case, strays) else ""


def _known(case: Case) -> set[str]:
    return {*case.before}.union(*case.afters)


def _without_strays(case: Case, found: Snapshot) -> dict[str, bytes]:
    return {path: data for path, data in found.files.items() if path in _known(case)}


def _creates(case: Case, strays: Iterable[str]) -> bool:
    """Tell whether the calls name one of these files: then it is wrong text, not litter."""
    named = " ".join(f"{call.path} {call.arguments.get('diff', '')}" for call in case.calls)
    return any(stray in named for stray in strays)


def _kind(case: Case, before: Files, afters: Sequence[Files], found: Snapshot, last: Answer) -> str:
    """Name the harm of bytes that are neither the old nor the new ones."""
    for after in afters or [before]:
        if _normal(after) == _normal(found.files):
            return "line-ends"
        if _recoded(after, found.files):
            return "encoding"
    if _is_part(case, before, afters, found, last):
        return "half-applied"
    wanted = Counter(_lines(afters[0] if afters else before))
    there = Counter(_lines(found.files))
    if not there - wanted - Counter(_lines(before)) and wanted - there:
        return "lost-bytes"
    return "wrong-bytes"


def _is_part(
    case: Case, before: Files, afters: Sequence[Files], found: Snapshot, last: Answer
) -> bool:
    """Tell whether a part of the last call was carried out, and not all of it."""
    call = next(call for call in reversed(case.calls) if call.verb in case.verbs)
    if call.verb == "replace_text" and len(call.edits) > 1:
        there = b"".join(found.files.values())
        done = {edit["new"].encode() in there for edit in call.edits}
        return last.refused or done == {True, False}
    if str(call.arguments.get("diff", "")).count("\n@@ ") < 2:
        return False
    if last.refused or not afters:
        return True
    sides = [{before.get(path), afters[0].get(path)} for path in found.files]
    return all(data in side for data, side in zip(found.files.values(), sides, strict=True))


def _normal(files: Files) -> dict[str, bytes]:
    return {path: _ENDS.sub(b"\n", data) for path, data in files.items()}


def _recoded(wanted: Files, found: Files) -> bool:
    """Tell whether the files differ only in how characters are encoded."""
    if {*wanted} != {*found}:
        return False
    return all(_letters(data) == _letters(found[path]) for path, data in wanted.items())


def _letters(data: bytes) -> bytes:
    """Return the ASCII of a file: what every encoding of it agrees on."""
    for mark in _MARKS:
        data = data.removeprefix(mark)
    return bytes(byte for byte in _ENDS.sub(b"\n", data) if 0 < byte < 128)


def _lines(files: Files) -> list[bytes]:
    return [line for data in files.values() for line in data.splitlines()]


def _first_difference(afters: Sequence[Files], found: Snapshot) -> str:
    wanted = afters[0]
    for path, data in found.files.items():
        pairs = zip(data.splitlines(), wanted.get(path, b"").splitlines(), strict=False)
        for number, (is_there, should_be) in enumerate(pairs, 1):
            if is_there != should_be:
                return f"{path}:{number} is {is_there[:80]!r}"
    return ""
