"""The pages of the site: every link leads somewhere, and every page is in the menu."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.site import ROOT, gather

FENCE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("site") / "pages"
    gather(into)
    return into


def text_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in headings}


def broken(page: Path) -> Iterator[str]:
    for name, anchor in LINK.findall(re.sub(r"`[^`]*`", "", text_of(page))):
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield f"{name}#{anchor}" if anchor else name


def test_every_link_leads_somewhere(pages: Path) -> None:
    found = {str(page.relative_to(pages)): list(broken(page)) for page in pages.rglob("*.md")}

    assert len(found) >= 20
    assert {page: links for page, links in found.items() if links} == {}


def test_a_link_leads_to_the_page_that_it_names(pages: Path) -> None:
    assert "[edit-suite](suite/README.md)" in (pages / "index.md").read_text(encoding="utf-8")
    assert "(tutorial.md)" in (pages / "suite" / "README.md").read_text(encoding="utf-8")


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n\n[a](#a) [b](#b) [c](other.md)\n", encoding="utf-8")

    assert list(broken(page)) == ["#b", "other.md"]


def test_every_page_is_in_the_menu(pages: Path) -> None:
    menu = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    named = re.findall(r'"([^"]+\.md)"', menu)

    assert tomllib.loads(menu)["project"]["site_name"] == "keyhole"
    assert sorted(named) == sorted(str(page.relative_to(pages)) for page in pages.rglob("*.md"))
