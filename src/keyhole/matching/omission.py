"""Comments that only say that something is left out: `# existing code`, `// the rest`.

A comment is such a placeholder if all its words are of this small vocabulary and one of them says
that something is left out. Any other word makes it a sentence about the program.
"""

from __future__ import annotations

import re

_OPEN = r"(?:\#+|//+|--+|/\*+|<!--|;+|%+|\{\#|\{/\*|\(\*|\{-|<%\#|<%--|\{\{!-*|@\*)"
_CLOSE = r"(?:\*+/\}?|-->|\#\}|\*\)|-\}|-*%>|-*\}\}|\*@)"
# Words, dots, and the brackets and strokes that people put around them; no code.
_COMMENT = rf"\s*{_OPEN}((?!.*(?:\d|=>|[^-]->))[\w\s.,:;!?()<>\[\]=~*\u2026-]*?){_CLOSE}?\s*"
_BODY = (
    r".*(?:[{(:>]|\bpass|\.\.\.)\s*((?:\#|//|/\*|<!--|\{/\*)[^*>]*(?:\*/\}?|-->)?)[\s})\]<>/\w;,]*"
)
_WORD = r"[^\W\d_][\w-]*"
_DOTS = r"\.{2,}|\u2026"
_PHRASES = {
    "same as before": "unchanged",
    "not shown": "omitted",
    "no changes": "unchanged",
    "no change": "unchanged",
    "as before": "unchanged",
    "and so on": "etc",
}
_MOST_WORDS = 12


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that only describe text which is left out.
_SURE = _words("omitted elided snip snipped truncated")
_STAYS = _words("unchanged unmodified untouched intact same")
_REST = _words("rest remainder remaining")
_EXISTING = _words("existing")
_OTHER = _words("other others previous original")
# The text of a program, a whole that may have a rest, and what a program works on.
_CODE = _words(
    "code implementation implementations logic body bodies content contents jsx html markup"
    " function functions method methods class classes component components import imports"
    " definition definitions statements section sections tests"
)
_WHOLE = _words("file module script page document template program query config test")
_DATA = _words(
    "files lines line field fields property properties props route routes handler handlers"
    " attribute attributes configuration settings variable variables constant constants entries"
    " items cases style styles rule rules keys values parameter parameters params argument"
    " arguments args option options text element elements steps jobs setup type types interface"
    " struct hooks state schema columns rows helpers utilities members data modules pages"
    " templates queries"
)
_COPULAS = _words("is are was were left")
_VERBS = _COPULAS | _words(
    "stay stays remain remains kept keep keeping goes go continues follow follows"
)
_FILL = _words(
    "the this that your its my our all of as it they here below for now and brevity clarity"
    " insert add put"
)
_VOCABULARY = frozenset[str]().union(
    _SURE, _STAYS, _REST, _EXISTING, _OTHER, _CODE, _WHOLE, _DATA, _VERBS, _FILL, {"etc"}
)


# Every line that says that something is left out has one of these.
_MAY_OMIT = (
    "...",
    "\u2026",
    "rest",
    "remain",
    "existing",
    "unchanged",
    "unmodified",
    "omitted",
    "same",
    "no change",
    "other",
    "previous",
    "original",
    "elided",
    "truncated",
    "not shown",
    "snip",
    "untouched",
    "intact",
    "brevity",
    "as before",
    "continues",
    "etc",
    "and so on",
)


def may_omit(text: str) -> bool:
    """Tell cheaply whether a text could say that something is left out; most cannot."""
    lowered = text.lower()
    return any(word in lowered for word in _MAY_OMIT)


def only_speaks_of_omission(line: str) -> bool:
    """Tell whether a comment has no words but those which say that something is left out."""
    words, has_dots = _read(line)
    if not words or not words <= _VOCABULARY:
        return False
    if words & _SURE or (has_dots and words & (_STAYS | _REST | _EXISTING)):
        return True
    return not _is_sentence(words) and (_is_left_out(words) or _is_one_word(words))


def is_brief(line: str) -> bool:
    """Tell whether such a comment may be a label: `# etc.`, `# the rest`, `# remaining methods`."""
    words, has_dots = _read(line)
    is_named = bool(words & _SURE) or has_dots or _stays(words)
    return _is_one_word(words) or ("remaining" in words and not is_named)


def _is_one_word(words: frozenset[str]) -> bool:
    if "same" in words:
        return len(words) == 1
    return len(words - _FILL) == 1 and bool(words & (_STAYS | {"rest", "remaining", "etc"}))


def is_body_of_omission(line: str) -> bool:
    """Tell whether a comment in the place of a body names program text that is left out."""
    found = re.fullmatch(_BODY, line)
    return bool(found and _read(found[1])[0] & _CODE and only_speaks_of_omission(found[1]))


def is_about_data(line: str) -> bool:
    """Tell whether a comment says what becomes of data: `# existing rows stay unchanged`."""
    return _is_sentence(_read(line)[0])


def _read(line: str) -> tuple[frozenset[str], bool]:
    """Return the words of a comment, none if it has more than words, and whether it has dots."""
    found = re.fullmatch(_COMMENT, line)
    text = found[1].lower() if found else ""
    for phrase, word in _PHRASES.items():
        text = text.replace(phrase, word)
    words = re.findall(_WORD, text)
    few = words if len(words) <= _MOST_WORDS else []
    return frozenset(word.rstrip("-") for word in few), bool(re.search(_DOTS, text))


def _is_sentence(words: frozenset[str]) -> bool:
    is_told = bool(words & _VERBS and words & (_DATA | _WHOLE))
    return is_told and not words & (_REST | _OTHER | _CODE)


def _stays(words: frozenset[str]) -> bool:
    return bool(words & (_STAYS | (_VERBS - _COPULAS)))


def _is_left_out(words: frozenset[str]) -> bool:
    """Tell whether words name something and say that it is left out."""
    stays = _stays(words)
    if words & _REST:
        return bool(stays or words & (_CODE | _WHOLE))
    if words & _EXISTING:
        return bool(words & _CODE or (stays and words & (_WHOLE | _DATA)))
    if words & _OTHER:
        return bool(stays and words & (_CODE | _DATA))
    if words & _CODE and "continues" in words:
        return True
    named = words & (_CODE if "same" in words else _CODE | _WHOLE | _DATA)
    return bool(named and words & _STAYS) and not words & _VERBS
