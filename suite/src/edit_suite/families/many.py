"""Several edits at once: all or nothing, in one file and in many; overlaps; the same call twice."""

from __future__ import annotations

from collections.abc import Iterator

from edit_suite.case import Call, Case
from edit_suite.families import build as b
from edit_suite.families.build import (
    diff_call,
    diff_of,
    lands,
    lines_call,
    many,
    once,
    refuses,
    text_call,
)
from edit_suite.families.samples import ALL, CODE, JS, MD, PY, SH, TOML, TS, YAML, Sample

_HALF = "half of a change: a file that neither the old nor the new code works with"
_TWICE = "the same lines twice, after a call was sent again because its answer got lost"


def cases() -> Iterator[Case]:
    """Yield the cases of this file."""
    for sample in ALL:
        yield _both_land(sample)
        yield _second_fails(sample)
        yield _sent_twice(sample)
    for sample in CODE:
        yield _first_fails(sample)
        yield _added_twice(sample)
        yield _diff_twice(sample)
    yield from _orders()
    yield from _overlaps()
    yield from _parallel()
    yield from _watched()


def _both_land(sample: Sample) -> Case:
    after = once(once(sample.text, sample.line, sample.line_new), sample.block, sample.block_new)
    return lands(
        f"many/two-{sample.slug}",
        "two edits of one file in one call",
        many(sample.name, (sample.line, sample.line_new), (sample.block, sample.block_new)),
        {sample.name: sample.text},
        {sample.name: after},
        loss=_HALF,
    )


def _second_fails(sample: Sample) -> Case:
    missing = sample.drift
    return refuses(
        f"many/second-fails-{sample.slug}",
        "the second of two edits quotes text that is not there: nothing may change",
        many(sample.name, (sample.line, sample.line_new), (missing, "changed")),
        {sample.name: sample.text},
        provenance=b.PARTIAL_AIDER,
        loss=_HALF,
    )


def _first_fails(sample: Sample) -> Case:
    return refuses(
        f"many/first-fails-{sample.slug}",
        "the first of three edits quotes text that is not there: nothing may change",
        many(
            sample.name,
            (sample.drift, "changed"),
            (sample.line, sample.line_new),
            (sample.other, sample.other_new),
        ),
        {sample.name: sample.text},
        provenance=b.FALSE_SUCCESS,
        loss=_HALF,
    )


def _sent_twice(sample: Sample) -> Case:
    call = text_call(sample.name, sample.block, sample.block_new, whole=True)
    return lands(
        f"resent/edit-{sample.slug}",
        "an edit that is sent again after it landed",
        (call, call),
        {sample.name: sample.text},
        {sample.name: once(sample.text, sample.block, sample.block_new)},
        provenance=b.COUNTS,
        loss=_TWICE,
    )


def _added_twice(sample: Sample) -> Case:
    """Return the case of a new text that has its quote: the second time it is still there."""
    added = f"{sample.line}\n{sample.extra}"
    call = text_call(sample.name, sample.line, added, whole=True)
    return lands(
        f"resent/addition-{sample.slug}",
        "a line that was added below a quoted one is sent again",
        (call, call),
        {sample.name: sample.text},
        {sample.name: once(sample.text, sample.line, added)},
        provenance=b.COUNTS,
        loss=_TWICE,
    )


def _diff_twice(sample: Sample) -> Case:
    after = once(sample.text, sample.block, sample.block_new)
    call = diff_call(sample.name, diff_of(sample.name, sample.text, after))
    return lands(
        f"resent/diff-{sample.slug}",
        "a diff that is sent again after it landed",
        (call, call),
        {sample.name: sample.text},
        {sample.name: after},
        provenance=b.COUNTS,
        loss=_TWICE,
    )


def _orders() -> Iterator[Case]:
    text = "red = 1\ngreen = 2\nblue = 3\n"
    yield lands(
        "many/upwards",
        "edits in the opposite order of the file",
        many(
            "c.py", ("blue = 3", "blue = 30"), ("green = 2", "green = 20"), ("red = 1", "red = 10")
        ),
        {"c.py": text},
        {"c.py": "red = 10\ngreen = 20\nblue = 30\n"},
        loss=_HALF,
    )
    yield lands(
        "many/neighbours",
        "edits of lines that touch",
        many("c.py", ("red = 1", "red = 10"), ("green = 2", "green = 20")),
        {"c.py": text},
        {"c.py": "red = 10\ngreen = 20\nblue = 3\n"},
        loss=_HALF,
    )
    yield lands(
        "many/lengths",
        "the first edit adds lines above the second",
        many("c.py", ("red = 1", "# a\n# b\nred = 1.0"), ("blue = 3", "blue = 3.0")),
        {"c.py": text},
        {"c.py": "# a\n# b\nred = 1.0\ngreen = 2\nblue = 3.0\n"},
        loss=_HALF,
    )
    yield lands(
        "many/one-line-twice",
        "two edits within one line",
        many("c.txt", ("left", "LEFT"), ("right", "RIGHT"), whole=False),
        {"c.txt": "from left to right\n"},
        {"c.txt": "from LEFT to RIGHT\n"},
        loss=_HALF,
    )
    yield refuses(
        "many/second-ambiguous",
        "the second of two edits stands twice",
        many("c.txt", ("top", "TOP"), ("same", "other")),
        {"c.txt": "top\nsame\nmiddle\nsame\n"},
        provenance=b.UNIQUE,
        loss=_HALF,
    )
    for sample in (PY, JS, TOML):
        twelve = [
            (sample.line, sample.line_new),
            (sample.other, sample.other_new),
            (sample.block, sample.block_new),
        ]
        after = sample.text
        for old, new in twelve:
            after = once(after, old, new)
        yield lands(
            f"many/three-{sample.slug}",
            "three edits of one file in one call",
            many(sample.name, *twelve),
            {sample.name: sample.text},
            {sample.name: after},
            loss=_HALF,
        )


def _overlaps() -> Iterator[Case]:
    loss = "lines that both edits claim: one of them wins, and nobody is told"
    for sample in (PY, JS, MD, YAML, SH, TS):
        first, second, *_ = sample.block.split("\n")
        rest = "\n".join(sample.block.split("\n")[1:])
        yield refuses(
            f"overlap/shared-line-{sample.slug}",
            "two edits that both replace one line, with different text",
            many(
                sample.name,
                (f"{first}\n{second}", f"{first}\n{sample.drift}"),
                (rest, rest.replace(second, sample.drift + "x", 1)),
            ),
            {sample.name: sample.text},
            provenance=b.FALSE_SUCCESS,
            loss=loss,
        )
        yield refuses(
            f"overlap/same-place-{sample.slug}",
            "two edits of the same line with different outcomes",
            many(sample.name, (sample.line, sample.line_new), (sample.line, sample.other_new)),
            {sample.name: sample.text},
            provenance=b.FALSE_SUCCESS,
            loss=loss,
        )


def _slots(count: int = 20) -> str:
    return "".join(f"slot_{n:02} = free\n" for n in range(1, count + 1))


def _parallel() -> Iterator[Case]:
    """Twenty calls at once; every one that is acknowledged has to be in the file."""
    loss = "edits that were acknowledged and are gone"
    more = {"trial": "parallel", "provenance": b.PARALLEL, "loss": loss}
    text = _slots()
    after = text.replace("free", "taken")
    quotes = [
        text_call("slots.txt", f"slot_{n:02} = free", f"slot_{n:02} = taken", whole=True)
        for n in range(1, 21)
    ]
    yield lands(
        "parallel/one-file",
        "twenty edits of one file at once",
        quotes,
        {"slots.txt": text},
        {"slots.txt": after},
        **more,
    )
    numbered = [lines_call("slots.txt", n, n, f"slot_{n:02} = taken\n") for n in range(1, 21)]
    yield lands(
        "parallel/by-number",
        "twenty lines of one file at once",
        numbered,
        {"slots.txt": text},
        {"slots.txt": after},
        **more,
    )
    diffs = [
        diff_call(
            "slots.txt",
            f"--- a/slots.txt\n+++ b/slots.txt\n@@ -{n} +{n} @@\n-slot_{n:02} = free\n+slot_{n:02} = taken\n",
        )
        for n in range(1, 21)
    ]
    yield lands(
        "parallel/diffs",
        "twenty diffs of one file at once",
        diffs,
        {"slots.txt": text},
        {"slots.txt": after},
        **more,
    )
    names = [f"part_{n:02}.txt" for n in range(1, 21)]
    files = [
        text_call(name, "state = free", f"state = taken by {name}", whole=True) for name in names
    ]
    yield lands(
        "parallel/many-files",
        "one edit of each of twenty files at once",
        files,
        dict.fromkeys(names, "state = free\n"),
        {name: f"state = taken by {name}\n" for name in names},
        **more,
    )
    yield lands(
        "parallel/long-file",
        "twenty edits of one long file at once",
        quotes,
        {"slots.txt": text},
        {"slots.txt": after},
        padding=1000,
        **more,
    )
    new = [Call("write", f"new_{n:02}.txt", {"text": f"file {n}\n"}) for n in range(1, 21)]
    yield lands(
        "parallel/new-files",
        "twenty new files at once",
        new,
        {"keep.txt": "keep\n"},
        {"keep.txt": "keep\n", **{f"new_{n:02}.txt": f"file {n}\n" for n in range(1, 21)}},
        **more,
    )


def _watched() -> Iterator[Case]:
    """Another program reads the file all the time, or the engine is killed in the middle."""
    edit = text_call("state.txt", "mode = old", "mode = new", whole=True)
    before, after = {"state.txt": "mode = old\n"}, {"state.txt": "mode = new\n"}
    loss = "a build or an editor reads an empty or cut file; after a crash it stays so"
    for slug, padding in (("short", 200), ("long", 10000)):
        yield lands(
            f"torn/watched-{slug}",
            "the file is read all the time while it is edited",
            edit,
            before,
            after,
            trial="watch",
            padding=padding,
            provenance=b.TRUNCATED,
            loss=loss,
        )
    yield lands(
        "torn/killed-long",
        "the engine is killed at five moments of an edit",
        edit,
        before,
        after,
        trial="kill",
        padding=10000,
        provenance=b.TRUNCATED,
        loss=loss,
    )
    diff = diff_of("one.txt", "one = old\n", "one = new\n") + diff_of(
        "two.txt", "two = old\n", "two = new\n"
    )
    two = {"one.txt": "one = old\n", "two.txt": "two = old\n"}
    new = {"one.txt": "one = new\n", "two.txt": "two = new\n"}
    yield lands(
        "torn/killed-two-files",
        "the engine is killed at five moments of a change of two files",
        diff_call("", diff),
        two,
        new,
        trial="kill",
        provenance=b.ROLLBACK,
        loss=_HALF,
    )
    rewrite = Call("write", "state.txt", {"text": "mode = new\n"})
    yield lands(
        "torn/watched-rewrite",
        "the file is read all the time while it is written anew",
        rewrite,
        before,
        after,
        trial="watch",
        provenance=b.TRUNCATED,
        loss=loss,
    )
