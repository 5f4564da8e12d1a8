"""Look for what keeps people out: every page of the review by axe-core, light, dark and on a phone.

python -m demo.axe AXE_MIN_JS
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from demo.screens import FLAGS, LOOKS, prepared, served

# What a stranger sees, and what only a person who is let in does.
_BESIDE = (
    *("/", "/?q=cents", "/?path=nowhere", "/?outcome=refused"),
    *("/changes", "/changes?since=all", "/changes?task=shipping", "/changes?since=HEAD"),
    *("/tasks", "/task?name=shipping", "/task?name=log", "/proposals", "/conflicts", "/insight"),
    *("/refusals", "/refusals?since=all&code=not-found"),
    *("/file?path=src/shop/cart.py", "/file?path=src/shop/cart.py&segment=Cart.total"),
    *("/file?path=nowhere.py", "/undo?id=139", "/undo?id=132", "/undo?task=log"),
    *("/tx/1", "/tx/132?view=inline", "/tx/137", "/tx/139", "/tx/999"),
)
_RUN = "() => axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"
# The server's policy lets no script of others in, so the engine is given to the page by the driver.
_TAGS = "axe.configure({branding: {application: 'keyhole'}})"


def main(engine: Path) -> int:
    """Print every violation; the exit code tells whether there is one."""
    source = engine.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as home:
        base = Path(home)
        os.environ["XDG_STATE_HOME"] = str(base / "state")
        pages = [*_BESIDE, *prepared(base / "shop").values()]
        with served(base / "shop") as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=[*FLAGS]
            )
            looks = zip(address, LOOKS, strict=False)
            checks = [_checked(browser, way_in, look, pages, source) for way_in, look in looks]
            browser.close()
    assert len(checks) == len(LOOKS), "BUG: a look was not checked"
    found = [line for lines in checks for line in lines]
    print("\n".join(found) or f"{len(pages) + 2} pages in {len(LOOKS)} looks: no violation")
    return 1 if found else 0


def _checked(
    browser: Browser,
    way_in: str,
    look: tuple[str, str, dict[str, int]],
    pages: list[str],
    source: str,
) -> list[str]:
    end, scheme, size = look
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,
    )
    page = context.new_page()
    strange: list[str] = []
    origin = way_in.partition("/enter")[0]
    page.on(
        "request", lambda sent: None if sent.url.startswith(origin) else strange.append(sent.url)
    )
    page.goto(way_in)
    page.goto(f"{origin}/refusals?since=all")
    one = page.locator(".row a.title").first.get_attribute("href") or ""
    found = []
    for path in (*pages, one):
        page.goto(origin + path)
        page.locator("#live.on").wait_for(state="attached")
        # What is folded is looked at too.
        page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
        found += _violations(page, source, f"{path}{end}")
    context.clear_cookies()
    page.goto(origin)
    found += _violations(page, source, f"a stranger's page{end}")
    context.close()
    return [*found, *(f"a request to elsewhere: {url}" for url in strange)]


def _violations(page: Page, source: str, name: str) -> list[str]:
    page.evaluate(f"{source}\n{_TAGS}")
    found = []
    for each in page.evaluate(_RUN):
        where = "; ".join(str(node["target"]) for node in each["nodes"][:4])
        found.append(f"{name}: {each['id']} ({len(each['nodes'])}): {where}")
    return found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
