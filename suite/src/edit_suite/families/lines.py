"""Edits by line number, insertions, deletions, empty and long files."""

from __future__ import annotations

from collections.abc import Iterator

from edit_suite.case import Call, Case
from edit_suite.families import build as b
from edit_suite.families.build import (
    insert_call,
    lands,
    line_of,
    lines_call,
    meanwhile,
    once,
    refuses,
    text_call,
)
from edit_suite.families.samples import ALL, CODE, JS, MD, PY, TOML, YAML, Sample

_WRONG_LINE = "a line that nobody named, because numbers were counted in another way"
_FIVE = "one\ntwo\nthree\nfour\nfive\n"


def cases() -> Iterator[Case]:
    """Yield the cases of this file."""
    for sample in ALL:
        yield _by_number(sample)
        yield _inserted(sample)
    for sample in (*CODE, MD, YAML, TOML):
        yield _deleted(sample)
    yield from _ranges()
    yield from _out_of_range()
    yield from _insertions()
    yield from _moved_lines()
    yield from _deletions()
    yield from _empty()
    yield from _long()


def _by_number(sample: Sample) -> Case:
    first = line_of(sample.text, sample.block.split("\n")[0])
    last = first + sample.block.count("\n")
    return lands(
        f"lines/block-{sample.slug}",
        f"lines {first} to {last} of {sample.name}, by their numbers",
        lines_call(sample.name, first, last, f"{sample.block_new}\n"),
        {sample.name: sample.text},
        {sample.name: once(sample.text, sample.block, sample.block_new)},
        loss=_WRONG_LINE,
    )


def _inserted(sample: Sample) -> Case:
    number = line_of(sample.text, sample.other)
    return lands(
        f"insert/below-line-{sample.slug}",
        f"a line below line {number} of {sample.name}",
        insert_call(sample.name, number, f"{sample.extra}\n"),
        {sample.name: sample.text},
        {sample.name: once(sample.text, f"{sample.other}\n", f"{sample.other}\n{sample.extra}\n")},
        loss=_WRONG_LINE,
    )


def _deleted(sample: Sample) -> Case:
    return lands(
        f"deletion/line-{sample.slug}",
        "a line goes, with its end: the quote ends in a newline and the new text is empty",
        text_call(sample.name, f"{sample.other}\n", ""),
        {sample.name: sample.text},
        {sample.name: once(sample.text, f"{sample.other}\n", "")},
        provenance=b.DELETED_HALF,
        loss="an empty line in its place, or more than the line",
    )


def _ranges() -> Iterator[Case]:
    rows = [
        ("first", 1, 1, "ONE\n", "ONE\ntwo\nthree\nfour\nfive\n"),
        ("last", 5, 5, "FIVE\n", "one\ntwo\nthree\nfour\nFIVE\n"),
        ("all", 1, 5, "all\n", "all\n"),
        ("grow", 2, 2, "a\nb\nc\n", "one\na\nb\nc\nthree\nfour\nfive\n"),
        ("shrink", 2, 4, "x\n", "one\nx\nfive\n"),
        ("delete-middle", 2, 3, "", "one\nfour\nfive\n"),
        ("delete-first", 1, 1, "", "two\nthree\nfour\nfive\n"),
        ("delete-last", 5, 5, "", "one\ntwo\nthree\nfour\n"),
        ("to-empty-line", 3, 3, "\n", "one\ntwo\n\nfour\nfive\n"),
        ("no-end-in-text", 3, 3, "THREE", "one\ntwo\nTHREE\nfour\nfive\n"),
    ]
    for slug, first, last, text, after in rows:
        yield lands(
            f"lines/{slug}",
            f"lines {first} to {last} of five",
            lines_call("five.txt", first, last, text),
            {"five.txt": _FIVE},
            {"five.txt": after},
            loss=_WRONG_LINE,
        )


def _out_of_range() -> Iterator[Case]:
    rows = [
        ("beyond", 9, 9),
        ("last-beyond", 4, 8),
        ("just-beyond", 6, 6),
        ("backwards", 4, 2),
        ("zero", 0, 0),
        ("far", 1000000, 1000001),
    ]
    for slug, first, last in rows:
        yield refuses(
            f"lines/out-of-range-{slug}",
            f"lines {first} to {last} of a file that has five",
            lines_call("five.txt", first, last, "new\n"),
            {"five.txt": _FIVE},
            provenance=b.FALSE_SUCCESS,
            loss="text at the end of the file, where nobody looks for it",
        )
    for slug, after in (("beyond", 9), ("just-beyond", 6), ("far", 100000)):
        yield refuses(
            f"insert/out-of-range-{slug}",
            f"a line below line {after} of a file that has five",
            insert_call("five.txt", after, "new\n"),
            {"five.txt": _FIVE},
            provenance=b.FALSE_SUCCESS,
            loss="text at the end of the file, where nobody looks for it",
        )
    yield refuses(
        "lines/empty-file",
        "line 1 of an empty file is replaced; it has none",
        lines_call("empty.txt", 2, 3, "new\n"),
        {"empty.txt": ""},
        loss="text in a file that was empty for a reason",
    )


def _insertions() -> Iterator[Case]:
    rows = [
        ("start", 0, "zero\n", "zero\n" + _FIVE),
        ("end", 5, "six\n", _FIVE + "six\n"),
        ("two-lines", 2, "a\nb\n", "one\ntwo\na\nb\nthree\nfour\nfive\n"),
        ("blank-line", 2, "\n", "one\ntwo\n\nthree\nfour\nfive\n"),
        ("indented", 2, "    deep\n", "one\ntwo\n    deep\nthree\nfour\nfive\n"),
        ("no-end-in-text", 2, "bare", "one\ntwo\nbare\nthree\nfour\nfive\n"),
        ("dollar", 1, "cost $& \\1\n", "one\ncost $& \\1\ntwo\nthree\nfour\nfive\n"),
    ]
    for slug, after, text, wanted in rows:
        yield lands(
            f"insert/{slug}",
            f"new text below line {after} of five",
            insert_call("five.txt", after, text),
            {"five.txt": _FIVE},
            {"five.txt": wanted},
            loss=_WRONG_LINE,
        )


def _moved_lines() -> Iterator[Case]:
    """Line numbers of a version that is no more: somebody inserted lines meanwhile."""
    for sample in (PY, JS, MD, YAML, TOML):
        number = line_of(sample.text, sample.line)
        moved = f"{sample.remark} one\n{sample.remark} two\n{sample.text}"
        call = lines_call(sample.name, number, number, f"{sample.line_new}\n")
        yield lands(
            f"stale/numbers-{sample.slug}",
            "two lines were inserted above since the file was read; the number means another line now",
            (Call("read", sample.name), meanwhile(sample.name, moved), call),
            {sample.name: sample.text},
            {sample.name: once(moved, f"\n{sample.line}\n", f"\n{sample.line_new}\n")},
            place=(sample.line.strip(),),
            provenance=b.STALE,
            loss="the line that moved to that number, which nobody wanted changed",
        )
    for sample in (PY, MD):
        number = line_of(sample.text, sample.line)
        gone = once(sample.text, f"{sample.line}\n", "")
        call = lines_call(sample.name, number, number, f"{sample.line_new}\n")
        yield refuses(
            f"stale/number-gone-{sample.slug}",
            "the line was removed since the file was read",
            (Call("read", sample.name), meanwhile(sample.name, gone), call),
            {sample.name: sample.text},
            provenance=b.STALE,
            loss="the line that moved to that number, which nobody wanted changed",
        )


def _deletions() -> Iterator[Case]:
    function = "\n    def evict(self):\n        oldest = min(self.entries, key=lambda key: self.entries[key][1])\n        del self.entries[oldest]\n"
    yield lands(
        "deletion/last-function",
        "the last function of a file goes",
        text_call(PY.name, function, ""),
        {PY.name: PY.text},
        {PY.name: once(PY.text, function, "")},
        provenance=b.DELETED_HALF,
        loss="more than the function",
    )
    method = "  gross() {\n    return this.net() * (1 + TAX);\n  }\n"
    yield lands(
        "deletion/method",
        "a method goes",
        text_call(JS.name, method, ""),
        {JS.name: JS.text},
        {JS.name: once(JS.text, method, "")},
        provenance=b.DELETED_HALF,
        loss="more than the method",
    )
    yield lands(
        "deletion/word",
        "a word goes out of a line",
        text_call("a.txt", "very ", ""),
        {"a.txt": "a very plain line\n"},
        {"a.txt": "a plain line\n"},
        loss="more than the word",
    )
    section = "## Configure\n\nThe file `tool.toml` has these keys:\n\n- `port`: where the server listens\n- `level`: how much is logged\n- `root`: the directory that is served\n\n"
    yield lands(
        "deletion/section",
        "a section of a page goes",
        text_call(MD.name, section, ""),
        {MD.name: MD.text},
        {MD.name: once(MD.text, section, "")},
        provenance=b.DELETED_HALF,
        loss="the sections below it",
    )
    yield lands(
        "deletion/only-line",
        "the only line of a file goes",
        text_call("one.txt", "only\n", ""),
        {"one.txt": "only\n", "two.txt": "stays\n"},
        {"one.txt": "", "two.txt": "stays\n"},
        loss="nothing, if the empty file stays",
    )


def _empty() -> Iterator[Case]:
    keep = {"keep.txt": "keep\n"}
    more = {"loss": "text in front of everything, because every file begins with nothing"}
    yield refuses(
        "empty/quote-in-file",
        "an empty quote stands everywhere",
        text_call("keep.txt", "", "new\n"),
        keep,
        **more,
    )
    yield refuses(
        "empty/quote-in-code",
        "an empty quote in a file of code",
        text_call(PY.name, "", "import os\n"),
        {PY.name: PY.text},
        **more,
    )
    yield refuses(
        "empty/quote-of-blanks",
        "a quote of two blanks, which stand in most lines",
        text_call(PY.name, "  ", "\t"),
        {PY.name: PY.text},
        loss="the indentation of the whole file",
    )
    yield lands(
        "empty/insert-into",
        "a line for an empty file",
        insert_call("empty.txt", 0, "first\n"),
        {"empty.txt": ""},
        {"empty.txt": "first\n"},
        {"empty.txt": "first"},
        loss="a turn",
    )
    yield refuses(
        "empty/quote-in-empty-file",
        "a quote in an empty file",
        text_call("empty.txt", "x = 1", "x = 2", whole=True),
        {"empty.txt": ""},
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported",
    )
    yield refuses(
        "empty/no-file",
        "an edit of a file that is not there",
        text_call("missing.txt", "x = 1", "x = 2", whole=True),
        keep,
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported or a file appears",
    )
    yield refuses(
        "empty/no-file-by-number",
        "lines of a file that is not there",
        lines_call("missing.txt", 1, 1, "x\n"),
        keep,
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported or a file appears",
    )
    yield refuses(
        "empty/directory",
        "an edit of a directory",
        text_call("sub", "x = 1", "x = 2", whole=True),
        {"sub/keep.txt": "keep\n"},
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported",
    )


def _long() -> Iterator[Case]:
    more = {
        "provenance": b.FROZEN,
        "loss": "minutes, or the server: searches that grow faster than the file",
    }
    line, new = "needle = 1\n", "needle = 2\n"
    yield lands(
        "long/quote",
        "a line in the middle of 20,000",
        text_call("log.py", "needle = 1", "needle = 2", whole=True),
        {"log.py": line},
        {"log.py": new},
        padding=10000,
        **more,
    )
    yield refuses(
        "long/near",
        "a quote that stands nowhere in 20,000 lines",
        text_call("log.py", "needle = 3", "needle = 4", whole=True),
        {"log.py": line},
        padding=10000,
        place=("needle = 1",),
        **more,
    )
    yield lands(
        "long/by-number",
        "line 10,001 of 20,001",
        lines_call("log.py", 10001, 10001, new),
        {"log.py": line},
        {"log.py": new},
        padding=10000,
        **more,
    )
    yield lands(
        "long/insert",
        "a line below line 10,001",
        insert_call("log.py", 10001, new),
        {"log.py": line},
        {"log.py": line + new},
        padding=10000,
        **more,
    )
    diff = "--- a/log.py\n+++ b/log.py\n@@ -10001 +10001 @@\n-needle = 1\n+needle = 2\n"
    yield lands(
        "long/diff",
        "a diff of line 10,001",
        Call("apply_diff", "log.py", {"diff": diff}),
        {"log.py": line},
        {"log.py": new},
        padding=10000,
        **more,
    )
    one = "x" * 20000 + "needle" + "y" * 20000 + "\n"
    yield lands(
        "long/one-line",
        "a word in a line of 40,000 letters",
        text_call("min.js", "needle", "thread"),
        {"min.js": one},
        {"min.js": once(one, "needle", "thread")},
        **more,
    )
