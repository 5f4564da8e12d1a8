"""Configuration files: what is wrong with INI, TOML, YAML, JSON, XML and makefiles."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from keyhole.edits.checks.syntax.grammar import grammar_problems
from keyhole.edits.checks.syntax.problem import Problem, at_line
from keyhole.fastclasses import replace
from keyhole.segments.code.faults import repeated_keys, unknown_aliases
from keyhole.segments.markdown import intended_front_matter
from keyhole.text.document import masked, plain_lines
from keyhole.text.toml import LongKeyError, read_toml

_SECTION = re.compile(r"\[(?P<name>[^\]]+)\]\s*(?:[#;].*)?$")
_KEY = re.compile(r"(?P<key>[^=:\s][^=:]*?)\s*[=:]")
_BRACED = re.compile(r"(?m)=[ \t]*\{[ \t\r]*$")


class _IniLine(NamedTuple):
    """A line that is neither blank nor a comment: its offset and its indent."""

    start: int
    indent: int
    words: str

    def minded(self, message: str) -> Problem:
        return Problem(self.start, self.start + len(self.words), message)


def ini_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as an INI file; without a section it is something else."""
    flat = plain_lines(text)
    lines = list(_lines(flat))
    if not any(line.words[0] == "[" for line in lines) or _BRACED.search(flat):
        return ()
    found = list(_read(lines))
    bare = [problem for problem in found if _is_bare(flat[problem.start : problem.end])]
    # A file with several lines of that kind means them.
    return tuple(problem for problem in found if problem not in bare or len(bare) == 1)


def _is_bare(words: str) -> bool:
    """Tell whether a line is neither a section nor a key with a value."""
    return words[0] != "[" and not _KEY.match(words)


def _lines(flat: str) -> Iterator[_IniLine]:
    """Yield the lines that are not blank and not comments."""
    at = 0
    for line in flat.split("\n"):
        words = line.strip()
        if words and words[0] not in "#;":
            indent = line.index(words)
            yield _IniLine(at + indent, indent, words)
        at += len(line) + 1


def _read(lines: list[_IniLine]) -> Iterator[Problem]:
    sections: set[str] = set()
    keys: set[str] = set()
    # How deep the key above is; what is deeper continues its value.
    level = -1
    for line in lines:
        if 0 <= level < line.indent:
            continue
        if line.words[0] == "[":
            section = _SECTION.match(line.words)
            if not section:
                yield line.minded("the name of the section is not closed")
            elif section["name"] in sections:
                yield line.minded(f"the section `{section['name']}` is there twice")
            sections.add(section["name"] if section else "")
            keys, level = set(), -1
            continue
        level = line.indent
        key = _KEY.match(line.words)
        name = key["key"].lower() if key else ""
        if not key:
            yield line.minded("neither a section nor a key with a value")
        elif name in keys:
            yield line.minded(f"the key `{key['key']}` is there twice")
        keys.add(name)


_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")


def toml_problems(text: str) -> tuple[Problem, ...]:
    """Return the first thing that is wrong with a text as TOML."""
    import tomllib

    flat = plain_lines(text)
    try:
        read_toml(flat, parse_float=len)
    except tomllib.TOMLDecodeError as error:
        return (_problem(flat, str(error)),)
    except (RecursionError, LongKeyError):
        return ()
    return ()


def _problem(flat: str, words: str) -> Problem:
    place = _PLACE.search(words)
    message = words[: place.start()] if place else words
    if place and place["line"]:
        return at_line(flat, int(place["line"]), int(place["column"]), message)
    end = len(flat.rstrip())
    return Problem(end, end, message)


def yaml_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as YAML."""
    found = grammar_problems("yaml", text)
    if found:
        return found
    twice = (
        Problem(*span, f"the key `{name}` is there twice")
        for name, span in repeated_keys("yaml", text)
    )
    unknown = (
        Problem(*span, f"no anchor `{name}` above this alias")
        for name, span in unknown_aliases(text)
    )
    return (*twice, *unknown)


_COMMENT = r"/\*[^*]*+\*++(?>(?:[^/*][^*]*+\*++)*)/"
# A comment that nothing closes goes to the end: nobody looks for its end again and again.
_BLANKED = re.compile(
    rf'"(?:[^"\\\n]++|\\.)*+"|(?P<comment>//[^\n]*+|{_COMMENT})|/\*(?s:.*+)'
    rf"|(?P<comma>,)(?=(?>(?:\s++|//[^\n]*+\n|{_COMMENT})*)[\]}}])"
)


class _Repeated(Exception):  # noqa: N818 - it stops a parser, and is no error of ours
    """An object has a key twice."""


def json_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as strict JSON."""
    if not text.strip():
        return ()
    try:
        # Numbers are not read: a long one would be refused, and none is needed.
        json.loads(text, object_pairs_hook=_once, parse_int=len, parse_float=len)
    except json.JSONDecodeError as error:
        return (Problem(error.pos, min(error.pos + 1, len(text)), error.msg),)
    except RecursionError:
        return grammar_problems("json", text)
    except _Repeated:
        return _repeated(text)
    return ()


def _repeated(text: str) -> tuple[Problem, ...]:
    found = repeated_keys("json", text)
    return tuple(Problem(*span, f"the key `{name}` is there twice") for name, span in found)


def all_json_problems(text: str) -> tuple[Problem, ...]:
    """Return all problems of a broken text, not only the one where a strict reader stops."""
    text = _BLANKED.sub(_blank, text)
    return (*grammar_problems("json", text), *_repeated(text))


def _once(pairs: list[tuple[str, object]]) -> int:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Repeated
    return len(pairs)


def jsonc_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as JSON with comments and trailing commas."""
    return json_problems(_BLANKED.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    token = match.group()
    if not match.lastgroup:
        return token
    return "".join("\n" if character == "\n" else " " for character in token)


def json5_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a text as JSON5, which is an expression of JavaScript."""
    found = grammar_problems("javascript", f"({text}\n)") if text.strip() else ()
    return tuple(
        replace(problem, start=max(problem.start - 1, 0), end=min(problem.end - 1, len(text)))
        for problem in found
    )


# The text is characters already: what it says of its bytes no longer holds.
_DECLARED = re.compile(r"(<\?xml[^>]*?)(\sencoding\s*=\s*(?:\"[^\"]*\"|'[^']*'))")
_TEMPLATE = re.compile(r"\{\{|\{%|<%")


def xml_problems(text: str) -> tuple[Problem, ...]:
    """Return the first thing that is wrong with a text as XML."""
    from xml.parsers import expat

    if not text.strip():
        return ()
    flat = masked(plain_lines(text))
    flat = _DECLARED.sub(lambda match: match[1] + " " * len(match[2]), flat, count=1)
    parser = expat.ParserCreate("utf-8")
    # With a handler for the rest, expat hands references over instead of expanding them.
    parser.DefaultHandler = lambda _: None
    try:
        parser.Parse(flat.encode(), True)  # noqa: FBT003 - expat takes no keywords
    except expat.ExpatError as error:
        if "amplification" in str(error):
            return ()
        message = expat.ErrorString(error.code)
        problem = at_line(flat, error.lineno, error.offset + 1, message)
        return (replace(problem, doubtful=bool(_TEMPLATE.search(flat))),)
    return ()


_LINE = re.compile(r"(?m)^.*$")
_RULE = re.compile(r"[^\s#=:][^=:]*::?(?!=)(?!.*[^:?+!]=[^=])")
_NOT_RECIPE = re.compile(
    r" +(?:#|(?:-?include|ifn?eq|ifn?def|else|endif|define|endef|export)\b|[\w.-]+\s*[:?+!]?=)"
)


def makefile_problems(text: str) -> tuple[Problem, ...]:
    """Return the lines of a makefile that are meant as recipes and begin with spaces."""
    flat = plain_lines(text)
    return () if ".RECIPEPREFIX" in flat else tuple(_spaced_recipes(flat))


def _spaced_recipes(flat: str) -> Iterator[Problem]:
    in_rule = continues = False
    for match in _LINE.finditer(flat):
        line = match.group().rstrip("\r")
        continued, continues = continues, line.endswith("\\")
        if continued or not line.strip():
            continue
        if line[0] == "\t":
            continue
        if line[0] != " ":
            in_rule = bool(_RULE.match(line))
        elif in_rule and not _NOT_RECIPE.match(line):
            end = match.start() + len(line) - len(line.lstrip(" "))
            message = "a recipe begins with a tab, not with spaces"
            yield Problem(match.start(), end, message, code="bad-indentation")


def front_matter_problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with the front matter of a text, if it has one."""
    flat = plain_lines(text)
    matter = intended_front_matter(flat)
    if not matter:
        return ()
    if matter.end < 0:
        return (Problem(0, 3, "the front matter is not closed"),)
    body = flat[matter.start : matter.end]
    found = toml_problems(body) if matter.syntax == "toml" else yaml_problems(body)
    return shifted(found, matter.start)


def shifted(found: Sequence[Problem], at: int) -> tuple[Problem, ...]:
    """Return problems of a part of a text as problems of the whole."""
    return tuple(replace(each, start=each.start + at, end=each.end + at) for each in found)
