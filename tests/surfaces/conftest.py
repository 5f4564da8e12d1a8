import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# A busy machine is not a bug.
expect.set_options(timeout=60_000)


# Of a module, not of the run: while the driver lives, its event loop has the main thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        found = playwright.chromium.launch(executable_path=chromium, args=FLAGS, timeout=180_000)
        yield found
        found.close()
