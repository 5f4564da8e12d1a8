"""Gather the pages of the site: those of docs/, and those at the top of the repository.

In the repository README.md links to `docs/mcp.md`, and a page of docs/ to `../ARCHITECTURE.md`. On
the site all of them lie side by side, and the README is `index.md`.
Usage: python -m demo.site DIRECTORY
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOP = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
}
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")


def gather(into: Path) -> None:
    """Write every page into a directory, with the links as they are there."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(ROOT / "docs", into)
    for page in into.rglob("*.md"):
        _write(page, page.read_text(encoding="utf-8"), into, page.relative_to(into).parent)
    for name, new in TOP.items():
        _write(into / new, (ROOT / name).read_text(encoding="utf-8"), into, Path(".."))


def _write(page: Path, text: str, into: Path, written_in: Path) -> None:
    """Write a page of the site whose links start at `written_in`, seen from docs/."""

    def link(found: re.Match[str]) -> str:
        target = _placed((ROOT / "docs" / written_in / found[1]).resolve())
        up = "../" * len(page.relative_to(into).parent.parts)
        return f"{up}{target}{found[2] or ''}"

    page.write_text(_LINK.sub(link, text), encoding="utf-8")


def _placed(target: Path) -> str:
    """Return where a file of the repository is on the site."""
    docs = ROOT / "docs"
    return str(target.relative_to(docs)) if docs in target.parents else TOP[target.name]


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
