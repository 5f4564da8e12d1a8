"""Places that read like a pattern, word by word, whatever the grammar takes them for.

A grammar does not see all code of its language: macros of C and Rust are tokens to it, and what it
cannot read is an error. Here each hole of a pattern is any text with its brackets closed, so that a
place may be something else: it is told, and never changed. Of a pattern without a word, such as
`$A + $B`, all is told that the grammar does not see and that has its signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyhole.segments.code.patterns import misread_assignments
from keyhole.segments.languages.table import LANGUAGES
from keyhole.segments.literals import quoted_in
from keyhole.segments.outline import Span
from keyhole.text.document import plain_lines

_TOKEN = re.compile(r"\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$[A-Z_][A-Z0-9_]*|\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r"""(["'`])(?:\\.|(?!\1)[^\\\n])*\1""")
_OPENS, _CLOSES = "([{", ")]}"
# How much of a text one hole may stand for.
_LONGEST = 4_000
# Words that an expression may follow; behind another word a name is declared.
_BEFORE = frozenset(
    (
        *("and", "assert", "await", "case", "co_await", "co_return", "co_yield", "default"),
        *("defer", "delete", "do", "elif", "else", "except", "for", "from", "go", "if", "in", "is"),
        *("lambda", "match", "mut", "new", "not", "of", "or", "print", "raise", "return", "sizeof"),
        *("switch", "then", "throw", "try", "typeof", "unless", "until", "void", "when", "while"),
        *("with", "yield"),
    )
)


def reads_alike(language: str, text: str, pattern: str, known: Sequence[Span]) -> list[int]:
    """Return where a text reads like a pattern, outside of comments, strings and `known` places."""
    tokens = _TOKEN.findall(pattern)
    lead = next((n for n, token in enumerate(tokens) if _WORD.fullmatch(token)), None)
    if language not in {"python", *LANGUAGES}:
        return []
    found = (
        _unread(language, text, pattern, tokens)
        if lead is None
        else _worded(text, "".join(tokens[lead - 1 : lead]), tokens[lead:])
    )
    starts = [at for at in found if not any(low <= at < high for low, high in known)]
    spans = quoted_in(language, text, ("comment", "string", "char")) if starts else []
    return [at for at in starts if not any(low <= at < high for low, high in spans)]


def _unread(language: str, text: str, pattern: str, tokens: Sequence[str]) -> list[int]:
    """Return where the signs of a pattern stand in what the grammar does not see."""
    from keyhole.segments.code.parser import unseen_spans

    text = plain_lines(text)
    signs = [token for token in tokens if not token.startswith("$")]
    spans = sorted({*unseen_spans(language, text)}) if signs else []
    if signs and language == "python":
        spans += misread_assignments(text, pattern)
    found: list[int] = []
    end = 0
    for low, high in spans:
        at = text.find(signs[0], max(low, end), high)
        if at >= 0 and all(sign in text[low:high] for sign in signs):
            found.append(at)
        end = max(end, high)
    return found


def _worded(text: str, mark: str, tokens: Sequence[str]) -> Iterator[int]:
    """Yield where some tokens stand behind a mark; without one no member of something does."""
    for found in re.finditer(rf"(?<!\w){re.escape(tokens[0])}(?!\w)", text):
        before = text[max(found.start() - 80, 0) : found.start()].rstrip()
        if (not before.endswith(mark) and mark[:1] != "$") if mark else _is_other(before):
            continue
        end = _end(text, found.end(), tokens[1:])
        # A declaration goes on with its body.
        if end is not None and text[_space(text, end) :][:1] not in {"{", ":"}:
            yield found.start()


def _is_other(before: str) -> bool:
    """Tell whether a name behind some text is a member of something, or is declared there."""
    word = re.search(r"\w+$", before)
    is_declared = word is not None and word[0] not in _BEFORE and not word[0].isdecimal()
    return is_declared or before.endswith((".", "->", "::"))


def _end(text: str, at: int, tokens: Sequence[str]) -> int | None:
    """Return where tokens end that begin at an offset; None if they do not stand there."""
    for number, token in enumerate(tokens):
        start = _space(text, at)
        if not token.startswith("$"):
            if not text.startswith(token, start):
                return None
            at = start + len(token)
            if _WORD.match(token) and _WORD.match(text, at):
                return None
            continue
        following = next(iter(tokens[number + 1 :]), "")
        at = _hole(text, start, following, is_many=token.startswith("$$$"))
        if at == start and not token.startswith("$$$"):
            return None
    return at


def _hole(text: str, at: int, following: str, *, is_many: bool) -> int:
    """Return where a hole ends: before the next token of the pattern, or where its brackets do."""
    depth, last = 0, min(at + _LONGEST, len(text))
    while at < last:
        if string := _STRING.match(text, at):
            at = string.end()
            continue
        sign = text[at]
        if not depth:
            is_next = following and not following.startswith("$") and text.startswith(following, at)
            if is_next or sign in _CLOSES or (sign in ",;" and not is_many):
                return at
        depth += (sign in _OPENS) - (sign in _CLOSES)
        at += 1
    return at


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
