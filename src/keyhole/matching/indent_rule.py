"""The rule that maps a quote's indentation to that of its place in the file."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.fastclasses import replace
from keyhole.matching.query import Obstacle, Occurrence, Quote
from keyhole.matching.rewrite_literal import obstacle
from keyhole.matching.view import View, fold, quote_lines
from keyhole.text.indent import IndentRule, indent_of, is_blank, reindented, rule_between


def in_file_indent(view: View, site: Occurrence, lines: list[str]) -> list[str] | Obstacle:
    """Return lines in the quote's indentation with that of the file."""
    rule = frame_of(view, site)
    return rule if isinstance(rule, Obstacle) else mapped_lines(view, site, rule, lines)


def mapped_lines(
    view: View, site: Occurrence, rule: IndentRule, lines: list[str]
) -> list[str] | Obstacle:
    """Return lines with every indent mapped by a rule, or the obstacle."""
    mapped = reindented(lines, rule)
    reason = "the quoted lines do not tell how far every line of the new text is indented"
    return obstacle(view, site, "bad-indentation", reason) if mapped is None else mapped


def frame_of(view: View, site: Occurrence) -> IndentRule | Obstacle:
    """Return the one rule that maps the quote's indentation to the file's at this site."""
    old, _ = quote_lines(site.quote.old, site.quote.new)
    pairs = _indent_pairs(view, site, old)
    if all(a == b for a, b in pairs):
        return lambda indent: indent
    rule = rule_between(pairs, view.style)
    return rule or obstacle(view, site, "bad-indentation", _unequal(view, site))


def _indent_pairs(view: View, site: Occurrence, old: list[str]) -> list[tuple[str, str]]:
    """Return the indents of the lines with words, as the quote has them and as the file does."""
    return [
        (indent_of(fold(old[a])), indent_of(fold(view.lines[b])))
        for pair in site.pairs
        for a, b in zip(
            range(pair.old_start, pair.old_end), range(pair.start, pair.end), strict=False
        )
        if not is_blank(fold(old[a]))
    ]


def in_one_frame(view: View, sites: Sequence[Occurrence]) -> bool:
    """Tell whether one rule maps the indentation of all pieces of a quote to the file's."""
    pairs = [pair for site in sites for pair in _all_indents(view, site)]
    (was, indent), *others = pairs or [("", "")]
    if not was and indent and not sites[0].pairs:
        pairs = others  # text that was stripped as a whole has lost its first indent
    return all(a == b for a, b in pairs) or rule_between(pairs, view.style) is not None


def _all_indents(view: View, site: Occurrence) -> list[tuple[str, str]]:
    if site.pairs:
        return _indent_pairs(view, site, quote_lines(site.quote.old, site.quote.new)[0])
    quoted = site.quote.old.split("\n")
    stands = view.lines[view.line_of(site.start) :][: len(quoted)]
    rows = zip(quoted, stands, strict=False)
    return [(indent_of(a), indent_of(b)) for a, b in rows if not is_blank(a)]


def with_first_indent(view: View, site: Occurrence) -> Occurrence:
    """Return an occurrence whose quote has the indent that only its first line lost.

    A text that was stripped as a whole loses the first indent, and so does the new text.
    """
    old, new = site.quote.old, site.quote.new or ""
    pairs = _indent_pairs(view, site, quote_lines(old, new)[0])
    (was, indent), *others = pairs
    lost = others and not was and indent and all(a == b for a, b in others)
    if not lost or is_blank(old[:1]) or is_blank(new[:1]):
        return site
    return replace(site, quote=Quote(indent + old, indent + new))


def _unequal(view: View, site: Occurrence) -> str:
    first, last = view.line_of(site.start) + 1, view.line_of(site.end - 1) + 1
    where = f"the words of lines {first}-{last} are as quoted"
    return f"{where}, but their indentation differs by no one rule: {_indents(view, site)}"


def _indents(view: View, site: Occurrence) -> str:
    """Return the first indents that differ, made visible."""
    old, _ = quote_lines(site.quote.old, site.quote.new)
    lines = [(p.start, old[p.old_start]) for p in site.pairs if p.end > p.start]
    rows = [(n, _dotted(view.lines[n]), _dotted(line)) for n, line in lines if not is_blank(line)]
    differ = [row for row in rows if row[1] != row[2]]
    return ", ".join(f"line {n + 1} {is_} for {was}" for n, is_, was in differ[:3])


def _dotted(line: str) -> str:
    dotted = indent_of(fold(line)).replace("\t", "\u2192").replace(" ", "\u00b7")
    return f"`{dotted}`" if dotted else "none"
