"""Charts as inline SVG: columns over time, and bars by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyhole.surfaces.pages.html import Html, attribute, join, tag, text

# How many calls went through, and how many were refused.
Calls = tuple[int, int]

_WIDTH, _HEIGHT, _BASE = 960, 190, 160
_BAR_WIDTH, _ROW = 380, 26
_NAMES, _VALUES = 118, 52
_LONGEST = 19
# What the numbers of the axis need on the right.
_MARGIN = 36


def columns(points: Sequence[tuple[str, Calls]]) -> Html:
    """Return calls over time: one column a moment, what was refused on top."""
    most = max((sum(each) for _, each in points), default=0) or 1
    step = (_WIDTH - _MARGIN) / max(len(points), 1)
    wide = max(min(step * 0.72, 34), 1.5)
    parts = [_axis(most)]
    labels = max(len(points) // 8, 1)
    for at, (name, (through, stopped)) in enumerate(points):
        x = at * step + (step - wide) / 2
        done = (_BASE - 20) * through / most
        refused = (_BASE - 20) * stopped / most
        said = f"{name}: {through} done, {stopped} refused"
        bars = [
            _rect("done", x, _BASE - done, wide, done),
            _rect("no", x, _BASE - done - refused, wide, refused),
        ]
        parts.append(Html(f"<g><title>{text(said)}</title>{join(bars)}</g>"))
        if at % labels == 0:
            parts.append(_text(x + wide / 2, _HEIGHT - 8, name, anchor="middle"))
    return tag("div", _svg(_WIDTH, _HEIGHT, "Calls over time", parts), class_="scroll", tabindex=0)


def _axis(most: int) -> Html:
    lines = []
    for share in (0.0, 0.5, 1.0):
        y = _BASE - (_BASE - 20) * share
        lines.append(
            f'<line class="axis" x1="0" x2="{_WIDTH - _MARGIN}" y1="{y:.1f}" y2="{y:.1f}"/>'
            + str(_text(_WIDTH, y + 4, f"{most * share:g}", anchor="end"))
        )
    return Html("".join(lines))


def bars(counts: Mapping[str, int], label: str, kind: str = "done") -> Html:
    """Return a bar for each name, the longest first; `kind` is done or refused."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:12]
    return stacked({name: (count, 0) for name, count in ordered}, label, kind)


def stacked(counts: Mapping[str, Calls], label: str, kind: str = "both") -> Html:
    """Return a bar for each name: what went through, and what was refused behind it."""
    ordered = sorted(counts.items(), key=lambda pair: -sum(pair[1]))[:12]
    most = max((sum(each) for _, each in ordered), default=0) or 1
    room = _BAR_WIDTH - _NAMES - _VALUES
    parts = []
    for at, (name, (through, stopped)) in enumerate(ordered):
        y = at * _ROW
        done, refused = room * through / most, room * stopped / most
        said = f"{through}" if kind != "both" else f"{through} · {stopped}"
        shown = _short(name)
        inner = [
            Html(f"<title>{text(name)}</title>"),
            _text(_NAMES - 8, y + 15, shown or "(none)", anchor="end"),
            _rect("track", _NAMES, y + 5, room, 13),
            _rect("no" if kind == "refused" else "done", _NAMES, y + 5, done, 13),
            _rect("no", _NAMES + done, y + 5, refused, 13),
            _text(_BAR_WIDTH - _VALUES + 8, y + 15, said, cls="value"),
        ]
        parts.append(Html(f"<g>{join(inner)}</g>"))
    return _svg(_BAR_WIDTH, max(len(ordered), 1) * _ROW, label, parts)


def _short(name: str) -> str:
    """Return what there is room for: of a path its end, of any other name its beginning."""
    if len(name) <= _LONGEST:
        return name
    return f"…{name[1 - _LONGEST :]}" if "/" in name else f"{name[: _LONGEST - 1]}…"


def _svg(width: int, height: int, label: str, parts: Sequence[Html]) -> Html:
    head = f'class="chart" viewBox="0 0 {width} {height}" role="img"'
    return Html(f'<svg {head} aria-label="{attribute(label)}">{join(parts)}</svg>')


def _rect(kind: str, x: float, y: float, width: float, height: float) -> Html:
    if width <= 0 or height <= 0:
        return Html()
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return Html(f'<rect class="{kind}" {place} rx="2"/>')


def _text(x: float, y: float, said: str, anchor: str = "start", cls: str = "") -> Html:
    kind = f' class="{cls}"' if cls else ""
    return Html(f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(said)}</text>')


def key() -> Html:
    """Return what the colours mean."""
    return tag(
        "p",
        tag("span", tag("i"), "went through"),
        tag("span", tag("i", class_="no"), "refused"),
        class_="key",
    )
