"""Edits by quoted text: exact, with other whitespace, ambiguous, stale, near, elided."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from edit_suite.case import Case
from edit_suite.families import build as b
from edit_suite.families.build import lands, once, refuses, text_call
from edit_suite.families.samples import ALL, CODE, GO, INDENTED, JS, MD, PY, SH, TS, YAML, Sample


def cases() -> Iterator[Case]:
    """Yield the cases of this file."""
    for sample in ALL:
        yield from _exact(sample)
        yield _stale(sample)
        yield _trailing_in_file(sample)
    for sample in INDENTED:
        yield _dedented(sample)
    for sample in (*CODE, MD, YAML):
        yield _ambiguous(sample)
    yield from _whitespace()
    yield from _tabs()
    yield from _several()
    yield from _near()
    yield from _duplicates()
    yield from _elided()
    yield from _dots_that_are_meant()


def _exact(sample: Sample) -> Iterator[Case]:
    loss = "nothing: the plainest edit there is has to land"
    for part, old, new in (
        ("line", sample.line, sample.line_new),
        ("block", sample.block, sample.block_new),
    ):
        yield lands(
            f"exact/{part}-{sample.slug}",
            f"a {part} of {sample.name}, quoted to the character",
            text_call(sample.name, old, new, whole=True),
            {sample.name: sample.text},
            {sample.name: once(sample.text, old, new)},
            loss=loss,
        )


def _stale(sample: Sample) -> Case:
    was = sample.block.split("\n")[1]
    text = once(sample.text, sample.block, sample.block.replace(was, sample.drift, 1))
    return refuses(
        f"stale/block-{sample.slug}",
        f"somebody changed a line of {sample.name} since the block was read",
        text_call(sample.name, sample.block, sample.block_new, whole=True),
        {sample.name: text},
        place=(sample.drift.strip(),),
        provenance=b.STALE,
        loss="the other person's line, overwritten by the version that the agent remembers",
    )


def _trailing_in_file(sample: Sample) -> Case:
    """Return the case of a file with blanks at a line's end, which no model repeats."""
    first, *rest = sample.block.split("\n")
    old_lines, new_lines = sample.block.split("\n"), sample.block_new.split("\n")
    # The line with the blanks stays only if the edit keeps that line.
    spaced = "\n".join([first, f"{rest[0]}  ", *rest[1:]])
    text = once(sample.text, sample.block, spaced)
    kept = [f"{line}  " if line == rest[0] else line for line in new_lines]
    assert old_lines[1] == rest[0], "BUG: the second line has the blanks"
    return lands(
        f"whitespace/trailing-{sample.slug}",
        "a line of the file ends in blanks that the quote leaves out",
        text_call(sample.name, sample.block, sample.block_new, whole=True),
        {sample.name: text},
        {sample.name: once(text, spaced, "\n".join(kept))},
        {sample.name: once(text, spaced, sample.block_new)},
        place=(f"{rest[0]}  ",),
        provenance=b.WHITESPACE,
        loss="a turn, or the file: many agents answer a refusal by writing the file anew",
    )


def _dedented(sample: Sample) -> Case:
    old, new = (textwrap.dedent(side) for side in (sample.block, sample.block_new))
    return lands(
        f"indentation/lost-{sample.slug}",
        "quote and new text have lost the indentation that the block has in the file",
        text_call(sample.name, old, new, whole=True),
        {sample.name: sample.text},
        {sample.name: once(sample.text, sample.block, sample.block_new)},
        place=(sample.block.split("\n")[0],),
        provenance=b.INDENT_LOST,
        loss="the block's indentation: code that does not parse, or belongs to another block",
    )


def _ambiguous(sample: Sample) -> Case:
    """Return the case of a file twice over, as generated and vendored code is."""
    text = f"{sample.text}\n{sample.text}"
    first = sample.text.split("\n").index(sample.block.split("\n")[0]) + 1
    second = first + sample.text.count("\n") + 1
    return refuses(
        f"ambiguous/block-{sample.slug}",
        f"the block stands twice in {sample.name}, and nothing says which is meant",
        text_call(sample.name, sample.block, sample.block_new, whole=True),
        {sample.name: text},
        lines=(first, second),
        provenance=b.UNIQUE,
        loss="the wrong one of two equal blocks is changed, and the diff looks right",
    )


def _whitespace() -> Iterator[Case]:
    place = "        if entry is None:"
    rows = {
        "quote-trailing": (
            "        if entry is None:  \n            return None",
            "blanks behind a line of the quote",
        ),
        "quote-tab-trailing": (
            "        if entry is None:\t\n            return None",
            "a tab behind a line of the quote",
        ),
        "quote-crlf": (
            "        if entry is None:\r\n            return None",
            "the quote has CRLF, the file LF",
        ),
    }
    for slug, (old, title) in rows.items():
        new = "        if entry is None:\n            return default"
        real = "        if entry is None:\n            return None"
        yield lands(
            f"whitespace/{slug}",
            title,
            text_call(PY.name, old, new, whole=True),
            {PY.name: PY.text},
            {PY.name: once(PY.text, real, new)},
            place=(place,),
            provenance=b.CRLF_QUOTE if "crlf" in slug else b.WHITESPACE,
            loss="a turn; or stray carriage returns in a file that had none",
        )
    text = MD.text.replace("and unpack it.", "and  unpack it.")
    yield lands(
        "whitespace/inner",
        "two blanks between words where the quote has one; the line goes anyway",
        text_call(MD.name, "Fetch the archive and unpack it.", "Clone the repository.", whole=True),
        {MD.name: text},
        {MD.name: once(text, "Fetch the archive and  unpack it.", "Clone the repository.")},
        place=("Fetch the archive and  unpack it.",),
        provenance=b.COLLAPSED,
        loss="a turn; fuzzy engines have written back a copy of the file with blanks collapsed",
    )
    yield lands(
        "whitespace/blank-line-has-blanks",
        "the empty line between two functions holds blanks in the file",
        text_call(
            PY.name,
            "        return value\n\n    def put(self, key, value):",
            "        return value\n\n    def put(self, key, value, ttl=None):",
            whole=True,
        ),
        {PY.name: once(PY.text, "        return value\n\n", "        return value\n    \n")},
        {
            PY.name: once(
                PY.text,
                "        return value\n\n    def put(self, key, value):",
                "        return value\n    \n    def put(self, key, value, ttl=None):",
            )
        },
        {
            PY.name: once(
                PY.text,
                "    def put(self, key, value):",
                "    def put(self, key, value, ttl=None):",
            )
        },
        place=("    def put(self, key, value):",),
        provenance=b.WHITESPACE,
        loss="a turn",
    )


def _tabs() -> Iterator[Case]:
    spaces = GO.block.replace("\t", "    "), GO.block_new.replace("\t", "    ")
    yield lands(
        "indentation/spaces-for-tabs-go",
        "the file is indented with tabs, quote and new text with four blanks",
        text_call(GO.name, *spaces, whole=True),
        {GO.name: GO.text},
        {GO.name: once(GO.text, GO.block, GO.block_new)},
        place=("\tif p.closed {",),
        provenance=b.ONE_TAB,
        loss="tabs and blanks mixed in one block; in Python, code that does not run",
    )
    tabbed = PY.text.replace("    ", "\t")
    yield lands(
        "indentation/spaces-for-tabs-py",
        "a Python file with tabs, quoted with blanks",
        text_call(PY.name, PY.block, PY.block_new, whole=True),
        {PY.name: tabbed},
        {PY.name: once(tabbed, PY.block.replace("    ", "\t"), PY.block_new.replace("    ", "\t"))},
        place=("\t\tif len(self.entries) >= LIMIT:",),
        provenance=b.ONE_TAB,
        loss="a file that Python refuses: tabs and blanks in one block",
    )
    for sample, width in ((JS, 4), (TS, 4), (PY, 2)):
        old, new = (_rescaled(side, sample, width) for side in (sample.block, sample.block_new))
        yield lands(
            f"indentation/other-width-{sample.slug}",
            f"quote and new text are indented by {width}, the file by another width",
            text_call(sample.name, old, new, whole=True),
            {sample.name: sample.text},
            {sample.name: once(sample.text, sample.block, sample.block_new)},
            place=(sample.block.split("\n")[0],),
            provenance=b.INDENT_LOST,
            loss="a block indented in another way than its neighbours",
        )


def _rescaled(text: str, sample: Sample, width: int) -> str:
    step = 4 if sample is PY else 2
    lines = []
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        lines.append(" " * ((len(line) - len(bare)) // step * width) + bare)
    return "\n".join(lines)


def _several() -> Iterator[Case]:
    """Yield quotes that stand several times."""
    rows = [
        ("word", PY, "self.entries", "self.items", "a name that stands many times"),
        (
            "return",
            PY,
            "            return None",
            "            return default",
            "one of two equal returns",
        ),
        ("brace", JS, "    }\n", "    };\n", "a closing brace"),
        ("yaml-key", YAML, "    runs-on: linux", "    runs-on: windows", "a key of two jobs"),
        ("comparison", SH, '"$TARGET', '"$ROOT', "a variable that is used twice"),
        ("type", TS, "user: User", "account: User", "a parameter of three functions"),
        ("receiver", GO, "(p *Pool)", "(pool *Pool)", "a receiver of two methods"),
    ]
    for slug, sample, old, new, title in rows:
        lines = [n for n, line in enumerate(sample.text.split("\n"), 1) if old.strip("\n") in line]
        yield refuses(
            f"ambiguous/{slug}",
            title,
            text_call(sample.name, old, new, whole=old.startswith("    ")),
            {sample.name: sample.text},
            lines=tuple(lines[:2]),
            provenance=b.FIRST_MATCH,
            loss="another place than the one that was meant is changed, told as success",
        )
    text = "alpha\nb aaa b\nomega\n"
    yield refuses(
        "ambiguous/overlapping-places",
        "the quote stands twice in three letters",
        text_call("letters.txt", "aa", "x"),
        {"letters.txt": text},
        provenance=b.UNIQUE,
        loss="a place that was not counted because it overlaps the first",
    )
    for count in (3, 4, 6):
        rows_of = "".join(f"step {n}\ncheck the result\n" for n in range(1, count + 1))
        yield refuses(
            f"ambiguous/list-of-{count}",
            f"a line of a list that stands {count} times",
            text_call("steps.txt", "check the result", "check the log", whole=True),
            {"steps.txt": f"Steps\n{rows_of}"},
            lines=(3, 5),
            provenance=b.UNIQUE,
            loss="the first of several equal lines is changed, whatever was meant",
        )


def _near() -> Iterator[Case]:
    """Quotes of text that stands nowhere, near text that stands somewhere."""
    rows = [
        ("number", PY, "LIMIT = 2000", "LIMIT = 5000", "LIMIT = 1000", "TTL = 300"),
        (
            "name",
            PY,
            "    def fetch(self, key):\n        entry = self.entries.get(key)",
            "    def fetch(self, key):\n        entry = self.entries.pop(key)",
            "    def get(self, key):",
            "    def put(self, key, value):",
        ),
        (
            "operator",
            JS,
            "      sum -= item.price * item.count;",
            "      sum += item.cost;",
            "      sum += item.price * item.count;",
            "      known.count += count;",
        ),
        (
            "condition",
            TS,
            "  if (user.id === 1) {",
            "  if (user.admin) {",
            "  if (user.id === 0) {",
            "  if (!user.name) {",
        ),
        (
            "argument",
            GO,
            "\tp := &Pool{jobs: make(chan func(), size)}",
            "\tp := newPool()",
            "\tp := &Pool{jobs: make(chan func(), queue)}",
            "\tfor job := range p.jobs {",
        ),
        (
            "key",
            YAML,
            "  REGION: eu-east-1",
            "  REGION: us-west-2",
            "  REGION: eu-west-1",
            "  STAGE: test",
        ),
        (
            "sentence",
            MD,
            "Start it with `tool run` and look at port 8080.",
            "Start it.",
            "Start it with `tool serve` and look at port 8080.",
            "Fetch the archive and unpack it.",
        ),
        (
            "flag",
            SH,
            '    find "$TARGET" -name \'*.zip\' -mtime "+$KEEP" -print |',
            "    ls |",
            '    find "$TARGET" -name \'*.gz\' -mtime "+$KEEP" -print |',
            "dump orders",
        ),
    ]
    for slug, sample, old, new, place, decoy in rows:
        yield refuses(
            f"near/{slug}",
            "the quote stands nowhere; one line is nearly it",
            text_call(sample.name, old, new, whole=True),
            {sample.name: sample.text},
            place=(place.strip(),),
            decoys=(decoy.strip(),),
            provenance=b.NEAR,
            loss="a line that only resembles the quote is replaced",
        )
    yield refuses(
        "near/case",
        "the quote differs in case from two constants",
        text_call("limits.py", "max_size = 10", "max_size = 20", whole=True),
        {"limits.py": "MAX_SIZE = 10\nMax_Size = 10\nMIN_SIZE = 1\n"},
        provenance=b.NEAR,
        loss="another constant that differs in case only",
    )
    yield refuses(
        "near/nowhere",
        "the quote is about another file altogether",
        text_call(MD.name, "def main():\n    run()", "def main():\n    start()", whole=True),
        {MD.name: MD.text},
        provenance=b.NOT_DONE,
        loss="nothing, unless success is reported for an edit that did not happen",
    )


_TWINS = """\
def total(orders):
    result = 0
    for order in orders:
        result += order.price
    return result


def weight(orders):
    result = 0
    for order in orders:
        result += order.weight
    return result


def count(orders):
    result = 0
    for order in orders:
        result += 1
    return result
"""


def _duplicates() -> Iterator[Case]:
    """Functions that are alike: context decides, and without context nothing does."""
    loop = "    result = 0\n    for order in orders:\n"
    for name, body in (("total", "order.price"), ("weight", "order.weight"), ("count", "1")):
        old = f"def {name}(orders):\n{loop}        result += {body}"
        new = f"def {name}(orders):\n    result = 1\n    for order in orders:\n        result += {body}"
        yield lands(
            f"duplicate/with-context-{name}",
            f"one of three alike functions, quoted with its first line: {name}",
            text_call("sums.py", old, new, whole=True),
            {"sums.py": _TWINS},
            {"sums.py": once(_TWINS, old, new)},
            provenance=b.REPEATED,
            loss="the loop of another function",
        )
        tail = f"        result += {body}\n    return result"
        changed = f"        result += {body}\n    return round(result)"
        yield lands(
            f"duplicate/by-the-tail-{name}",
            f"the end of one of three alike functions: {name}",
            text_call("sums.py", tail, changed, whole=True),
            {"sums.py": _TWINS},
            {"sums.py": once(_TWINS, tail, changed)},
            provenance=b.REPEATED,
            loss="the end of another function",
        )
    for slug, old in (
        ("loop", loop.rstrip("\n")),
        ("return", "    return result"),
        ("start", "    result = 0"),
    ):
        lines = [n for n, line in enumerate(_TWINS.split("\n"), 1) if line == old.split("\n")[0]]
        yield refuses(
            f"duplicate/without-context-{slug}",
            "what three functions have in common, quoted alone",
            text_call("sums.py", old, old.replace("result", "outcome"), whole=True),
            {"sums.py": _TWINS},
            lines=tuple(lines[:2]),
            provenance=b.REPEATED,
            loss="the first function is changed instead of the one that was meant",
        )
    twice = "import os\n\n\ndef run():\n    return 1\n\n\ndef run():\n    return 2\n"
    yield lands(
        "duplicate/defined-twice",
        "a function that is defined twice; the quote has the second body",
        text_call("run.py", "def run():\n    return 2", "def run():\n    return 3", whole=True),
        {"run.py": twice},
        {"run.py": once(twice, "    return 2", "    return 3")},
        provenance=b.REPEATED,
        loss="the first definition, which nothing calls",
    )


def _elided() -> Iterator[Case]:
    """Yield new texts that say "the rest stays" where the quote has the rest."""
    body = "    def get(self, key):\n        entry = self.entries.get(key)\n        if entry is None:\n            return None"
    remarks = [
        "# ... existing code ...",
        "# ... rest of the method ...",
        "# rest of the code remains unchanged",
        "# ... (keep existing code)",
        "# (rest of code unchanged)",
    ]
    for number, remark in enumerate(remarks, 1):
        yield refuses(
            f"elision/python-{number}",
            f"the new text has `{remark}` where the quote has code",
            text_call(
                PY.name,
                body,
                f"    def get(self, key, default=None):\n        {remark}",
                whole=True,
            ),
            {PY.name: PY.text},
            provenance=b.ELISION,
            loss="the code that the remark stands for",
        )
    block = JS.block
    for number, remark in enumerate(
        ["// ... existing code ...", "// rest of the loop stays the same", "/* ... */", "// ..."], 1
    ):
        yield refuses(
            f"elision/javascript-{number}",
            f"the new text has `{remark}` where the quote has code",
            text_call(
                JS.name,
                block,
                f"    for (const item of this.items.values()) {{\n      {remark}\n    }}",
                whole=True,
            ),
            {JS.name: JS.text},
            provenance=b.ELISION_KEPT,
            loss="the code that the remark stands for",
        )


def _dots_that_are_meant() -> Iterator[Case]:
    rows = [
        (
            "ellipsis",
            "proto.py",
            "class Reader:\n    def read(self):\n        pass\n",
            "        pass",
            "        ...",
        ),
        (
            "spread",
            "merge.js",
            "export const merge = (a, b) => a;\n",
            "=> a;",
            "=> ({ ...a, ...b });",
        ),
        ("message", "wait.py", 'print("Loading")\n', 'print("Loading")', 'print("Loading...")'),
        (
            "rest",
            "args.js",
            "function log(first) {\n  send(first);\n}\n",
            "function log(first) {",
            "function log(first, ...rest) {",
        ),
        (
            "range",
            "glob.sh",
            "for n in 1 2 3; do\n  run $n\ndone\n",
            "for n in 1 2 3; do",
            "for n in {1..9}; do",
        ),
        (
            "prose",
            "todo.md",
            "# Plan\n\nWrite tests.\n",
            "Write tests.",
            "Write tests ... and run them.",
        ),
    ]
    for slug, name, text, old, new in rows:
        yield lands(
            f"elision/meant-{slug}",
            "dots that belong to the text and leave nothing out",
            text_call(name, old, new, whole=old.strip() in text.split("\n") or slug == "ellipsis"),
            {name: text},
            {name: once(text, old, new)},
            provenance=b.ELISION,
            loss="a turn: not every `...` is a remark",
        )
