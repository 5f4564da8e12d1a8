"""Bytes that an edit is not about: line ends, encodings, the last line, look-alikes, patterns."""

from __future__ import annotations

from collections.abc import Iterator

from edit_suite.case import Case
from edit_suite.families import build as b
from edit_suite.families.build import (
    diff_call,
    insert_call,
    lands,
    line_of,
    lines_call,
    once,
    refuses,
    text_call,
)
from edit_suite.families.samples import ALL, GO, JS, MD, PY, SH, TOML, YAML, Sample

_ENDS_LOSS = "every line of the file: a diff of the whole file, and a blame that names the agent"
_BYTES_LOSS = "letters of other people's text, in lines that nobody edited, for good"


def cases() -> Iterator[Case]:
    """Yield the cases of this file."""
    for sample in ALL:
        yield _crlf_block(sample)
        yield _no_final_newline(sample)
    for sample in (PY, JS, GO, MD, YAML, TOML):
        yield from _crlf_more(sample)
    yield from _mixed()
    yield from _marks()
    yield from _encodings()
    yield from _final_newline()
    yield from _look_alikes()
    yield from _characters()
    yield from _patterns_in_new_text()
    yield from _patterns_in_quotes()


def _crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def _crlf_block(sample: Sample) -> Case:
    return lands(
        f"line-ends/crlf-block-{sample.slug}",
        "a file with CRLF; quote and new text have LF, as models write",
        text_call(sample.name, sample.block, sample.block_new, whole=True),
        {sample.name: _crlf(sample.text)},
        {sample.name: _crlf(once(sample.text, sample.block, sample.block_new))},
        place=(sample.block.split("\n")[0],),
        provenance=b.CRLF_QUOTE,
        loss=_ENDS_LOSS,
    )


def _crlf_more(sample: Sample) -> Iterator[Case]:
    after = _crlf(once(sample.text, sample.line, sample.line_new))
    more = {"provenance": b.CRLF, "loss": _ENDS_LOSS}
    before = {sample.name: _crlf(sample.text)}
    yield lands(
        f"line-ends/crlf-line-{sample.slug}",
        "one line of a file with CRLF, quoted without its end",
        text_call(sample.name, sample.line, sample.line_new, whole=True),
        before,
        {sample.name: after},
        **more,
    )
    number = line_of(sample.text, sample.line)
    yield lands(
        f"line-ends/crlf-by-number-{sample.slug}",
        "one line of a file with CRLF, by its number",
        lines_call(sample.name, number, number, f"{sample.line_new}\n"),
        before,
        {sample.name: after},
        **more,
    )
    yield lands(
        f"line-ends/crlf-insert-{sample.slug}",
        "a line inserted into a file with CRLF",
        insert_call(sample.name, number, f"{sample.extra}\n"),
        before,
        {
            sample.name: _crlf(
                once(sample.text, f"{sample.line}\n", f"{sample.line}\n{sample.extra}\n")
            )
        },
        **more,
    )
    yield lands(
        f"line-ends/crlf-diff-{sample.slug}",
        "a diff with LF for a file with CRLF",
        diff_call(
            sample.name,
            b.diff_of(sample.name, sample.text, once(sample.text, sample.line, sample.line_new)),
        ),
        before,
        {sample.name: after},
        place=(sample.line.strip(),),
        **more,
    )


def _mixed() -> Iterator[Case]:
    mixed = "one\r\ntwo\nthree\r\nfour\nfive\r\n"
    rows = [
        ("lf-line", "two", "TWO"),
        ("crlf-line", "three", "THREE"),
        ("last", "five", "FIVE"),
        ("first", "one", "ONE"),
    ]
    for slug, old, new in rows:
        yield lands(
            f"line-ends/mixed-{slug}",
            "a file with both line ends; the edit is about one line",
            text_call("list.txt", old, new, whole=True),
            {"list.txt": mixed},
            {"list.txt": once(mixed, old, new)},
            provenance=b.MIXED,
            loss=_ENDS_LOSS,
        )
    yield lands(
        "line-ends/mixed-two-lines",
        "two lines with different ends, quoted with LF; both stay lines of their kind",
        text_call("list.txt", "two\nthree", "TWO\nTHREE", whole=True),
        {"list.txt": mixed},
        {"list.txt": once(mixed, "two\nthree", "TWO\nTHREE")},
        provenance=b.MIXED,
        loss=_ENDS_LOSS,
    )
    yield lands(
        "line-ends/bare-cr-is-data",
        "a log in which a carriage return separates progress, not lines",
        text_call("run.log", "done: 3 files", "done: 4 files", whole=True),
        {"run.log": "10%\r50%\r100%\nchecking\r...\nok\ndone: 3 files\n"},
        {"run.log": "10%\r50%\r100%\nchecking\r...\nok\ndone: 4 files\n"},
        provenance=b.BARE_CR,
        loss="carriage returns that are data: one line becomes several",
    )
    yield lands(
        "line-ends/cr-only",
        "a file whose lines end in CR, as old exports do",
        text_call("export.csv", "2,pears", "2,plums", whole=True),
        {"export.csv": "id,name\r1,apples\r2,pears\r3,figs\r"},
        {"export.csv": "id,name\r1,apples\r2,plums\r3,figs\r"},
        provenance=b.BARE_CR,
        loss=_ENDS_LOSS,
    )
    yield lands(
        "line-ends/lf-file-crlf-quote-and-text",
        "quote and new text have CRLF, the file LF",
        text_call(SH.name, _crlf(SH.block), _crlf(SH.block_new), whole=True),
        {SH.name: SH.text},
        {SH.name: once(SH.text, SH.block, SH.block_new)},
        place=(SH.block.split("\n")[0],),
        provenance=b.CRLF_QUOTE,
        loss="a shell script that no longer runs: `\\r: command not found`",
    )


def _marks() -> Iterator[Case]:
    """Byte order marks stay, and are no part of the first line."""
    mark = "\ufeff"
    for sample in (PY, JS, MD, TOML):
        yield lands(
            f"encoding/mark-{sample.slug}",
            "a file that begins with a byte order mark",
            text_call(sample.name, sample.block, sample.block_new, whole=True),
            {sample.name: mark + sample.text},
            {sample.name: mark + once(sample.text, sample.block, sample.block_new)},
            provenance=b.MARK,
            loss="the mark: compilers and spreadsheets then read the file in another encoding",
        )
    first = MD.text.split("\n")[0]
    yield lands(
        "encoding/mark-first-line",
        "the first line of a file with a byte order mark, quoted without it",
        text_call(MD.name, first, "# Manual", whole=True),
        {MD.name: mark + MD.text},
        {MD.name: mark + once(MD.text, f"{first}\n", "# Manual\n")},
        provenance=b.MARK,
        loss="the mark, or a turn",
    )
    yield lands(
        "encoding/mark-line-1-by-number",
        "line 1 of a file with a byte order mark, by its number",
        lines_call(MD.name, 1, 1, "# Manual\n"),
        {MD.name: mark + MD.text},
        {MD.name: mark + once(MD.text, f"{first}\n", "# Manual\n")},
        provenance=b.MARK,
        loss="the mark",
    )


def _encodings() -> Iterator[Case]:
    rows = [
        ("latin-1", "latin-1", "// café, naïve, Ærø\nint limit = 10;\n// fin: déjà vu\n"),
        ("cp1252", "cp1252", "// “quoted” – dash €\nint limit = 10;\n// © 2026\n"),
        ("cp1251", "cp1251", "// привет\nint limit = 10;\n// конец\n"),
        ("shift-jis", "shift_jis", "// 日本語\nint limit = 10;\n// 終わり\n"),
        ("gbk", "gbk", "// 中文\nint limit = 10;\n// 结束\n"),
        ("koi8", "koi8-r", "// тест\nint limit = 10;\n// ещё\n"),
    ]
    for slug, encoding, text in rows:
        after = once(text, "int limit = 10;", "int limit = 20;")
        yield lands(
            f"encoding/{slug}",
            f"an ASCII line of a file in {encoding}; the other lines keep their bytes",
            text_call("limits.c", "int limit = 10;", "int limit = 20;", whole=True),
            {"limits.c": text.encode(encoding)},
            {"limits.c": after.encode(encoding)},
            provenance=b.CODEPAGE if slug.startswith("cp") else b.LATIN,
            loss=_BYTES_LOSS,
        )
        yield lands(
            f"encoding/{slug}-diff",
            f"a diff of an ASCII line of a file in {encoding}",
            diff_call(
                "limits.c",
                "--- a/limits.c\n+++ b/limits.c\n@@ -2,1 +2,1 @@\n-int limit = 10;\n+int limit = 20;\n",
            ),
            {"limits.c": text.encode(encoding)},
            {"limits.c": after.encode(encoding)},
            provenance=b.LATIN_SMALL,
            loss=_BYTES_LOSS,
        )
    broken = b"name,value\nok,1\nbad,\xff\xfe\x80\nlast,3\n"
    yield lands(
        "encoding/stray-bytes",
        "bytes that are no text in any encoding, in a line beside the edit",
        text_call("data.csv", "last,3", "last,4", whole=True),
        {"data.csv": broken},
        {"data.csv": broken.replace(b"last,3", b"last,4")},
        provenance=b.LATIN_SMALL,
        loss=_BYTES_LOSS,
    )
    for slug, encoding in (("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be")):
        text = "\ufeff[app]\nname = Grüße\nlevel = 1\n"
        yield lands(
            f"encoding/{slug}",
            "a file in UTF-16 with its mark, as Windows tools write",
            text_call("app.ini", "level = 1", "level = 2", whole=True),
            {"app.ini": text.encode(encoding)},
            {"app.ini": once(text, "level = 1", "level = 2").encode(encoding)},
            provenance=b.CODEPAGE,
            loss="the file's encoding: the program that owns it cannot read it any more",
        )
    for slug, old, new in (
        ("cjk-at-the-end", "**待處理**", "**進行中**"),
        ("emoji", "ship it", "ship it 🚀🚀"),
        ("accents", "cafe", "café"),
    ):
        text = f"# Status\n\n{old}\n\nEnde.\n"
        yield lands(
            f"encoding/new-{slug}",
            "new text whose last letter takes several bytes",
            text_call("status.md", old, new, whole=True),
            {"status.md": text},
            {"status.md": once(text, old, new)},
            provenance=b.MULTIBYTE,
            loss="the last letter, cut in the middle of its bytes",
        )


def _no_final_newline(sample: Sample) -> Case:
    text = sample.text.rstrip("\n")
    return lands(
        f"last-line/kept-{sample.slug}",
        "a file without a newline at its end; the edit is elsewhere",
        text_call(sample.name, sample.block, sample.block_new, whole=True),
        {sample.name: text},
        {sample.name: once(text, sample.block, sample.block_new)},
        provenance=b.MIXED,
        loss="a file that another program compares byte by byte",
    )


def _final_newline() -> Iterator[Case]:
    text = "alpha\nbeta\ngamma"
    more = {
        "provenance": b.MIXED,
        "loss": "the last line: glued to the next, or ended in a way the file was not",
    }
    yield lands(
        "last-line/edited",
        "the last line, which has no end, is edited",
        text_call("a.txt", "gamma", "delta", whole=True),
        {"a.txt": text},
        {"a.txt": "alpha\nbeta\ndelta"},
        **more,
    )
    yield lands(
        "last-line/by-number",
        "the last line by its number",
        lines_call("a.txt", 3, 3, "delta\n"),
        {"a.txt": text},
        {"a.txt": "alpha\nbeta\ndelta"},
        {"a.txt": "alpha\nbeta\ndelta\n"},
        **more,
    )
    yield lands(
        "last-line/inserted-before",
        "a line inserted above the last, which has no end",
        insert_call("a.txt", 2, "new\n"),
        {"a.txt": text},
        {"a.txt": "alpha\nbeta\nnew\ngamma"},
        **more,
    )
    yield lands(
        "last-line/appended",
        "a line inserted below the last, which has no end",
        insert_call("a.txt", 3, "new\n"),
        {"a.txt": text},
        {"a.txt": "alpha\nbeta\ngamma\nnew"},
        {"a.txt": "alpha\nbeta\ngamma\nnew\n"},
        **more,
    )
    yield lands(
        "last-line/removed",
        "the last line, which has no end, is removed",
        lines_call("a.txt", 3, 3, ""),
        {"a.txt": text},
        {"a.txt": "alpha\nbeta\n"},
        {"a.txt": "alpha\nbeta"},
        **more,
    )
    yield lands(
        "last-line/diff",
        "a diff that says that the last line has no end",
        diff_call(
            "a.txt",
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n alpha\n beta\n-gamma\n\\ No newline at end of file\n+delta\n\\ No newline at end of file\n",
        ),
        {"a.txt": text},
        {"a.txt": "alpha\nbeta\ndelta"},
        **more,
    )
    yield lands(
        "last-line/several-blank",
        "a file that ends in three empty lines",
        text_call("a.txt", "alpha", "omega", whole=True),
        {"a.txt": "alpha\nbeta\n\n\n\n"},
        {"a.txt": "omega\nbeta\n\n\n\n"},
        **more,
    )


def _look_alikes() -> Iterator[Case]:
    rows = [
        (
            "curly-quotes",
            "He said “yes” twice.",
            'He said "yes" twice.',
            "He said “no” twice.",
            'He said "no" twice.',
        ),
        ("apostrophe", "It’s late.", "It's late.", "It’s early.", "It's early."),
        ("dash", "pages 3–7 only", "pages 3-7 only", "pages 4–7 only", "pages 4-7 only"),
        ("no-break-space", "10\u00a0km away", "10 km away", "12\u00a0km away", "12 km away"),
        ("ellipsis", "wait… then go", "wait... then go", "wait… then run", "wait... then run"),
        (
            "decomposed",
            "cafe\u0301 noir",
            "caf\u00e9 noir",
            "cafe\u0301 au lait",
            "caf\u00e9 au lait",
        ),
    ]
    for slug, real, sent, real_new, sent_new in rows:
        text = f"# Notes\n\nThe first line.\n{real}\nThe last line.\n"
        yield lands(
            f"look-alike/{slug}",
            "the file has a character that models write in another way",
            text_call("notes.md", sent, sent_new, whole=True),
            {"notes.md": text},
            {"notes.md": once(text, real, real_new)},
            {"notes.md": once(text, real, sent_new)},
            place=(real,),
            provenance=b.TYPOGRAPHY,
            loss="a turn; or the typography of lines that nobody edited",
        )
    for slug, real, sent in (
        ("cyrillic-a", "p\u0430ge = 1", "page = 1"),
        ("greek-o", "r\u03bfot = 2", "root = 2"),
        ("armenian-o", "r\u0585ot = 3", "root = 3"),
    ):
        name = sent.split(" ", 1)[0]
        text = f"start = 0\n{real}\nend = 9\n"
        yield refuses(
            f"look-alike/{slug}",
            "a name with a letter of another alphabet is another name",
            text_call("names.py", sent, f"{name} = 5", whole=True),
            {"names.py": text},
            provenance=b.TYPOGRAPHY,
            loss="another variable than the one that was named",
        )


def _characters() -> Iterator[Case]:
    """Characters that some languages take for line ends, which no editor numbers."""
    rows = [
        ("form-feed", "\f"),
        ("line-separator", "\u2028"),
        ("next-line", "\u0085"),
        ("vertical-tab", "\v"),
    ]
    for slug, character in rows:
        text = f"one\nt{character}wo\nthree\nfour\n"
        more = {
            "provenance": b.FALSE_SUCCESS,
            "loss": "another line than the one that was numbered",
        }
        yield lands(
            f"characters/{slug}-by-number",
            "a line below one that holds a character like a line end",
            lines_call("list.txt", 3, 3, "THREE\n"),
            {"list.txt": text},
            {"list.txt": once(text, "three", "THREE")},
            **more,
        )
        yield lands(
            f"characters/{slug}-by-quote",
            "a quote below a line that holds a character like a line end",
            text_call("list.txt", "three\nfour", "three\nfive", whole=True),
            {"list.txt": text},
            {"list.txt": once(text, "four", "five")},
            **more,
        )
        yield lands(
            f"characters/{slug}-insert",
            "a line inserted below one that holds a character like a line end",
            insert_call("list.txt", 3, "new\n"),
            {"list.txt": text},
            {"list.txt": once(text, "three\n", "three\nnew\n")},
            **more,
        )
    text = "a\u200bb\nplain\n\u202eevil\n"
    yield lands(
        "characters/invisible-kept",
        "invisible characters beside the edit stay",
        text_call("list.txt", "plain", "simple", whole=True),
        {"list.txt": text},
        {"list.txt": once(text, "plain", "simple")},
        loss="characters that nobody sees and programs need",
    )


_TEMPLATE = "first line\nprice: TOKEN each\nlast line\n"


def _patterns_in_new_text() -> Iterator[Case]:
    rows = [
        "$&",
        "$$",
        "$1",
        "$`",
        "$'",
        r"\1",
        r"\g<0>",
        r"\n",
        r"\\",
        "&",
        "%s %d",
        "{0} {name}",
        "${HOME}",
        "#{x}",
        r"\u0041",
        "<<<<",
        "~~~",
        "`x`",
    ]
    for number, new in enumerate(rows, 1):
        yield lands(
            f"literal/new-text-{number:02}",
            f"new text with `{new}`, which is a pattern to some replace functions",
            text_call("price.txt", "TOKEN", new),
            {"price.txt": _TEMPLATE},
            {"price.txt": once(_TEMPLATE, "TOKEN", new)},
            provenance=b.BACKSLASH if "\\" in new else b.DOLLAR_FS if number < 4 else b.DOLLAR,
            loss="text before or behind the place is pasted into it, or signs go missing",
        )


def _patterns_in_quotes() -> Iterator[Case]:
    rows = [
        ("dot", "a.b = 1", "axb = 1"), ("star", "x* = 2", "xxx = 2"), ("brackets", "v[0] = 3", "v0 = 3"),
        ("group", "f(x) = 4", "fx = 4"), ("dollar", "cost $5", "cost "), ("caret", "^top", "top"),
        ("backslash", r"C:\new", "C:new"), ("plus", "a+ = 5", "aa = 5"), ("question", "ok? = 6", "o = 6"), ("pipe", "a|b", "a"),
    ]  # fmt: skip
    for slug, old, decoy in rows:
        text = f"head\n{decoy}\n{old}!\ntail\n"
        yield lands(
            f"literal/quote-{slug}",
            "a quote with a sign that regular expressions know, behind a line that would match",
            text_call("rules.txt", f"{old}!", "changed"),
            {"rules.txt": text},
            {"rules.txt": once(text, f"{old}!", "changed")},
            provenance=b.BACKSLASH,
            loss="another line, which only matches the quote as a pattern",
        )
