"""What a person waits for in a real browser: the first paint, and hitches while scrolling.

Each page is opened over much and over little in turns, by a browser that keeps nothing; the real
command serves it. A hitch is a task that keeps the page from answering (the browser's long tasks).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from bench.measure import Row
from bench.review import changed, fill
from demo.screens import FLAGS, served
from keyhole.engine.facade import Engine
from keyhole.journal.sqlite import SqliteJournal
from keyhole.workspace.tree import Tree

_ENTRIES, _HUNKS = (100, 10_000), (100, 2_000)
_ROUNDS = 9
_TIMES, _LONGEST = 2.0, 100.0
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_WATCH = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) window.longest = Math.max(window.longest, each.duration);
  }).observe({ type: "longtask" });
}"""
_STEP, _PAUSE, _MOST_STEPS = 900, 30, 5_000
# The end: nothing is left to be scrolled to or loaded.
_AT_END = """() => scrollY + innerHeight >= document.documentElement.scrollHeight - 2
  && !document.querySelector("[data-load]")"""
# A hitch that is planted has to be seen.
_PLANTED = """() => setTimeout(() => {
  for (const end = performance.now() + 150; performance.now() < end;);
})"""


def rows() -> Iterator[Row]:
    """Yield the ratios of both pages, and the longest task while each is scrolled."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        state = Path(home) / "state"
        os.environ["XDG_STATE_HOME"] = str(state)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=[*FLAGS]
        )
        few, many = (_history(Path(home) / f"history{size}", state, size) for size in _ENTRIES)
        label = f"review, timeline: {_ENTRIES[1]:,} transactions / {_ENTRIES[0]}"
        yield from _compared(browser, (few, many), "/", label)
        few, many = (_changes(Path(home) / f"changes{size}", state, size) for size in _HUNKS)
        label = f"review, changes: {_HUNKS[1]:,} hunks / {_HUNKS[0]}"
        yield from _compared(browser, (few, many), "/changes?since=all", label)
        browser.close()


def _history(root: Path, state: Path, size: int) -> Path:
    root.mkdir()
    tree = Tree.open(root, state_home=state)
    assert isinstance(tree.journal, SqliteJournal), "BUG: the embedded journal is SQLite"
    fill(tree.journal, size)
    Engine(tree).close()
    return root


def _changes(root: Path, state: Path, hunks: int) -> Path:
    root.mkdir()
    engine = Engine.open(root, state)
    changed(engine, root, hunks)
    engine.close()
    return root


def _compared(browser: Browser, roots: tuple[Path, Path], path: str, label: str) -> Iterator[Row]:
    """Yield how much later the first paint comes over more, and the longest task there."""
    with ExitStack() as stack:
        pages = [_entered(browser, next(stack.enter_context(served(root)))) for root in roots]
        times: list[list[float]] = [[], []]
        for _ in range(_ROUNDS):
            for page, own in zip(pages, times, strict=True):
                page.goto(path)
                own.append(_painted(page))
        longest = _scrolled(pages[1])
        yield Row(f"{label}: first paint", median(times[1]) / median(times[0]), _TIMES)
        yield Row(f"{label}: longest task / {_LONGEST:.0f} ms", longest / _LONGEST, 1.0)
        for page in pages:
            page.context.close()


def _entered(browser: Browser, way_in: str) -> Page:
    origin = way_in.partition("/enter")[0]
    page = browser.new_context(base_url=origin).new_page()
    page.goto(way_in)
    return page


def _painted(page: Page) -> float:
    page.wait_for_function(_PAINT)
    return float(page.evaluate(_PAINT))


def _scrolled(page: Page) -> float:
    """Return the longest task, in milliseconds, while a page is scrolled to its end."""
    page.evaluate(_WATCH)
    page.mouse.move(600, 400)
    for _ in range(_MOST_STEPS):
        page.mouse.wheel(0, _STEP)
        page.wait_for_timeout(_PAUSE)
        if page.evaluate(_AT_END):
            break
    else:
        raise AssertionError("BUG: the page has no end")
    longest = float(page.evaluate("window.longest"))
    page.evaluate(_PLANTED)
    page.wait_for_function(f"() => window.longest > {_LONGEST}")
    return longest
