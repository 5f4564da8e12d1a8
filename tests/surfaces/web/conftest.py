from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.surfaces.web.stage import Served, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage.at(tmp_path)
    yield made
    made.engine.close()


@pytest.fixture
def served(stage: Stage) -> Iterator[Served]:
    with stage.served() as served:
        yield served


@pytest.fixture
def context(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    made = browser.new_context(base_url=served.origin)
    made.set_default_timeout(60_000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, served: Served) -> Iterator[Page]:
    """A page that was let in by its one-time code; whatever its console says fails the test."""
    made = context.new_page()
    trouble: list[str] = []
    made.on("pageerror", lambda error: trouble.append(str(error)))
    made.on("console", lambda message: trouble.append(message.text))
    made.goto(served.door.way_in)
    yield made
    # A refused change is answered with 409, which the browser notes by itself.
    assert [each for each in trouble if "409" not in each] == []
