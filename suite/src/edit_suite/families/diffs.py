"""Unified diffs: exact ones, and the mistakes that models make when they write them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from edit_suite.case import Case
from edit_suite.families import build as b
from edit_suite.families.build import diff_call, diff_of, lands, once, refuses
from edit_suite.families.samples import ALL, CODE, JS, MD, PY, SH, TS, YAML, Sample

_HEAD = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")
_WRONG_HUNK = (
    "lines somewhere else: the hunk was put where its header says, not where its lines are"
)
_HALF = "half of a patch: some hunks are in, and nobody knows which"


def cases() -> Iterator[Case]:
    """Yield the cases of this file."""
    chance = random.Random(2026)  # noqa: S311 - repeatable, not secret
    for sample in ALL:
        yield _case(sample, "exact", "as git writes it", lambda diff: diff)
        off = chance.choice([-7, -4, 3, 5, 11, 40])
        yield _case(
            sample,
            "numbers",
            f"with line numbers that are off by {off}",
            lambda diff, off=off: _shifted(diff, off),
        )
        yield _case(sample, "counts", "with wrong counts in its headers", _miscounted)
        yield _stale(sample)
    for sample in CODE:
        yield _case(sample, "bare", "with bare `@@` headers", lambda diff: _HEAD.sub("@@ @@", diff))
        yield _second_hunk_fails(sample)
        yield _moved(sample)
    yield from _ambiguous()
    yield from _files()
    yield from _details()


def _after(sample: Sample) -> str:
    return once(once(sample.text, sample.line, sample.line_new), sample.block, sample.block_new)


def _case(sample: Sample, slug: str, title: str, change: object) -> Case:
    diff = diff_of(sample.name, sample.text, _after(sample))
    assert callable(change), "BUG: a change of the diff"
    return lands(
        f"diff/{slug}-{sample.slug}",
        f"a diff of two places of {sample.name}, {title}",
        diff_call(sample.name, change(diff)),
        {sample.name: sample.text},
        {sample.name: _after(sample)},
        place=() if slug == "exact" else (sample.line.strip(),),
        provenance="constructed"
        if slug == "exact"
        else b.COUNTS
        if slug == "counts"
        else b.HUNK_PLACE,
        loss=_WRONG_HUNK,
    )


def _shifted(diff: str, by: int) -> str:
    def shift(found: re.Match[str]) -> str:
        old, new = (max(1, int(found[side]) + by) for side in (1, 3))
        return f"@@ -{old}{found[2] or ''} +{new}{found[4] or ''} @@"

    return _HEAD.sub(shift, diff)


def _miscounted(diff: str) -> str:
    return _HEAD.sub(lambda found: f"@@ -{found[1]},9 +{found[3]},8 @@", diff)


def _stale(sample: Sample) -> Case:
    """Return the case of a line that the hunk removes and that reads otherwise now."""
    was = sample.block.split("\n")[1]
    text = once(sample.text, sample.block, sample.block.replace(was, sample.drift, 1))
    after = once(sample.text, sample.block, sample.block.replace(was, f"{was}!", 1))
    return refuses(
        f"diff/stale-{sample.slug}",
        "the line that the diff removes reads otherwise in the file now",
        diff_call(sample.name, diff_of(sample.name, sample.text, after)),
        {sample.name: text},
        place=(sample.drift.strip(),),
        provenance=b.STALE,
        loss="the other person's line, overwritten by a patch for another version",
    )


def _second_hunk_fails(sample: Sample) -> Case:
    was = sample.block.split("\n")[1]
    text = once(sample.text, sample.block, sample.block.replace(was, sample.drift, 1))
    after = once(once(sample.text, sample.line, sample.line_new), f"{was}\n", "")
    return refuses(
        f"diff/second-hunk-fails-{sample.slug}",
        "the first hunk fits and the second does not: nothing may change",
        diff_call(
            sample.name, diff_of(sample.name, sample.text, after, context=0 if sample is SH else 1)
        ),
        {sample.name: text},
        provenance=b.SKIPPED_HUNK,
        loss=_HALF,
    )


def _moved(sample: Sample) -> Case:
    """Lines were added above since the diff was made; every hunk is still where its lines are."""
    above = "".join(f"{sample.remark} {word}\n" for word in ("one", "two", "three"))
    return lands(
        f"diff/moved-{sample.slug}",
        "three lines were added above since the diff was made",
        diff_call(sample.name, diff_of(sample.name, sample.text, _after(sample))),
        {sample.name: above + sample.text},
        {sample.name: above + _after(sample)},
        place=(sample.line.strip(),),
        provenance=b.HUNK_PLACE,
        loss=_WRONG_HUNK,
    )


_RECORDS = "".join(f"[{name}]\nsize = 1\ncolor = red\n\n" for name in ("a", "b", "c", "d"))


def _ambiguous() -> Iterator[Case]:
    for slug, line in (("first", 2), ("second", 6), ("third", 10), ("last", 14)):
        lines = _RECORDS.split("\n")
        lines[line - 1] = "size = 2"
        yield lands(
            f"diff/repeated-{slug}",
            "the hunk's lines stand four times; its header says which is meant",
            diff_call(
                "records.ini",
                f"--- a/records.ini\n+++ b/records.ini\n@@ -{line},2 +{line},2 @@\n-size = 1\n+size = 2\n color = red\n",
            ),
            {"records.ini": _RECORDS},
            {"records.ini": "\n".join(lines)},
            place=(),
            provenance=b.HUNK_PLACE,
            loss="another one of four equal records",
        )
    yield refuses(
        "diff/repeated-no-number",
        "the hunk's lines stand four times, and its header has no number",
        diff_call(
            "records.ini",
            "--- a/records.ini\n+++ b/records.ini\n@@ @@\n-size = 1\n+size = 2\n color = red\n",
        ),
        {"records.ini": _RECORDS},
        lines=(2, 6),
        provenance=b.FIRST_MATCH,
        loss="another one of four equal records",
    )


def _files() -> Iterator[Case]:
    one, two = {PY.name: PY.text}, {JS.name: JS.text}
    both = {PY.name: _after(PY), JS.name: _after(JS)}
    diff = diff_of(PY.name, PY.text, _after(PY)) + diff_of(JS.name, JS.text, _after(JS))
    yield lands(
        "diff/two-files", "a diff of two files", diff_call("", diff), one | two, both, loss=_HALF
    )
    stale = once(JS.text, JS.line, "const TAX = 0.07;")
    yield refuses(
        "diff/two-files-second-stale",
        "a diff of two files; the second does not fit",
        diff_call("", diff),
        one | {JS.name: stale},
        provenance=b.PARTIAL,
        loss=_HALF,
    )
    yield refuses(
        "diff/two-files-first-stale",
        "a diff of two files; the first does not fit",
        diff_call("", diff),
        {PY.name: once(PY.text, PY.line, "TTL = 10")} | two,
        provenance=b.ROLLBACK,
        loss=_HALF,
    )
    yield refuses(
        "diff/two-files-second-missing",
        "a diff of two files; the second is not there",
        diff_call("", diff),
        one,
        provenance=b.PARTIAL,
        loss=_HALF,
    )
    new = "--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1,2 @@\n+first\n+second\n"
    yield lands(
        "diff/new-file",
        "a diff that makes a file",
        diff_call("", new),
        one,
        one | {"notes.txt": "first\nsecond\n"},
        loss="a turn",
    )
    yield lands(
        "diff/new-file-in-directory",
        "a diff that makes a file in a directory that is not there",
        diff_call("", new.replace("b/notes", "b/docs/notes")),
        one,
        one | {"docs/notes.txt": "first\nsecond\n"},
        loss="a turn",
    )
    gone = "--- a/old.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-first\n-second\n"
    yield lands(
        "diff/removed-file",
        "a diff that removes a file",
        diff_call("", gone),
        one | {"old.txt": "first\nsecond\n"},
        one,
        loss="another file",
    )
    yield refuses(
        "diff/removed-file-stale",
        "a diff that removes a file whose text is another one now",
        diff_call("", gone),
        one | {"old.txt": "first\nsecond\nthird, added since\n"},
        provenance=b.STALE,
        loss="what was added to the file since",
    )
    yield refuses(
        "diff/new-file-exists",
        "a diff that makes a file which is there already",
        diff_call("", new),
        {"notes.txt": "something else\n"},
        provenance=b.ROLLBACK,
        loss="the file that was there",
    )
    mixed = diff_of(PY.name, PY.text, _after(PY)) + new
    yield refuses(
        "diff/edit-and-existing",
        "one file is edited, another made which is there already",
        diff_call("", mixed),
        one | {"notes.txt": "something else\n"},
        provenance=b.ROLLBACK,
        loss=_HALF,
    )


def _details() -> Iterator[Case]:
    sub = {"src/cache.py": PY.text}
    yield lands(
        "diff/directory",
        "a diff of a file in a directory",
        diff_call("src/cache.py", diff_of("src/cache.py", PY.text, _after(PY))),
        sub,
        {"src/cache.py": _after(PY)},
        loss="a turn",
    )
    for sample in (TS, YAML):
        yield lands(
            f"diff/no-context-{sample.slug}",
            "a diff without context lines",
            diff_call(sample.name, diff_of(sample.name, sample.text, _after(sample), context=0)),
            {sample.name: sample.text},
            {sample.name: _after(sample)},
            provenance=b.HUNK_PLACE,
            loss=_WRONG_HUNK,
        )
    yield refuses(
        "diff/insertion-beyond",
        "a hunk that only adds, below line 999 of a short file",
        diff_call("a.txt", "--- a/a.txt\n+++ b/a.txt\n@@ -999,0 +999,1 @@\n+new\n"),
        {"a.txt": "one\ntwo\n"},
        provenance=b.HUNK_PLACE,
        loss="a line at the end of the file, where nobody looks for it",
    )
    yield refuses(
        "diff/context-only",
        "a diff that changes nothing",
        diff_call("a.txt", "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n three\n four\n"),
        {"a.txt": "one\ntwo\n"},
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported",
    )
    yield refuses(
        "diff/not-a-diff",
        "prose where a diff should be",
        diff_call("a.txt", "Change the first line to ONE, please.\n"),
        {"a.txt": "one\ntwo\n"},
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported",
    )
    blank = "--- a/guide.md\n+++ b/guide.md\n@@ -5,5 +5,5 @@\n ## Install\n\n-Fetch the archive and unpack it.\n+Clone the repository.\n\n 1. Download `tool.tar.gz`.\n"
    yield lands(
        "diff/blank-context",
        "empty context lines that lost their blank",
        diff_call(MD.name, blank),
        {MD.name: MD.text},
        {MD.name: once(MD.text, "Fetch the archive and unpack it.", "Clone the repository.")},
        provenance=b.COUNTS,
        loss="a turn",
    )
    git = "diff --git a/cache.py b/cache.py\nindex 1111111..2222222 100644\n" + diff_of(
        PY.name, PY.text, _after(PY)
    )
    yield lands(
        "diff/git-header",
        "a diff with git's headers",
        diff_call(PY.name, git),
        {PY.name: PY.text},
        {PY.name: _after(PY)},
        loss="a turn",
    )
    fuzz = diff_of(PY.name, PY.text, once(PY.text, PY.line, PY.line_new)).replace(
        " import time\n", " import datetime\n"
    )
    yield refuses(
        "diff/other-context",
        "a context line of the hunk is another one in the file",
        diff_call(PY.name, fuzz),
        {PY.name: PY.text},
        place=("import time",),
        provenance=b.HUNK_PLACE,
        loss="a change for code that looked otherwise",
    )
