"""Take the pictures of the review page: a scene, the real page, a real browser.

python -m demo.screens docs/images
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from demo.scene import set_up, work
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.opening import open_place

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")
_WIDE, _PHONE = {"width": 1180, "height": 760}, {"width": 390, "height": 760}


def main(target: Path) -> int:
    """Draw every picture into a directory."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        base = Path(home)
        os.environ["XDG_STATE_HOME"] = str(base / "state")
        pages = prepared(base / "shop")
        with served(base / "shop") as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=[*FLAGS]
            )
            for way_in, look in zip(address, LOOKS, strict=False):
                _drawn(browser, way_in, look, pages, target)
            browser.close()
    return 0


# The end of the name, light or dark, how large.
LOOKS = (("", "light", _WIDE), ("-dark", "dark", _WIDE), ("-phone", "light", _PHONE))


def prepared(root: Path) -> dict[str, str]:
    """Let the agents work, and return what to show of it."""
    root.mkdir()
    set_up(root)
    engine = open_place(root).engine
    work(engine)
    [first] = engine.history(HistoryRequest(task="money")).transactions
    [waiting] = engine.review.proposals()
    engine.close()
    return {
        "timeline": "/",
        "changes": "/changes?since=1d",
        "transaction": f"/tx/{first.entry.id}",
        "refusals": "/refusals?since=all",
        "insight": "/insight?since=all",
        "proposal": f"/proposals/{waiting.proposed.id}",
    }


@contextmanager
def served(root: Path) -> Iterator[Iterator[str]]:
    """Serve the page, and yield the addresses that let browsers in, one after the other."""
    program = Path(sys.executable).with_name("keyhole")
    command = [str(program), "review", "--root", str(root), "--no-open"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr, "BUG: the page says its address there"
        said = (re.findall(r"http://\S+", line) for line in process.stderr)
        try:
            yield (found[0] for found in said if found)
        finally:
            process.terminate()


def _drawn(
    browser: Browser,
    way_in: str,
    look: tuple[str, str, dict[str, int]],
    pages: dict[str, str],
    target: Path,
) -> None:
    end, scheme, size = look
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    page.goto(way_in)
    for name, path in pages.items():
        page.goto(way_in.partition("/enter")[0] + path)
        page.locator("#live.on").wait_for(state="attached")
        if name == "proposal":
            page.locator(".verdict label").first.click()
        page.screenshot(path=target / f"review-{name}{end}.png", animations="disabled")
    context.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
