"""Gather the pages of the site: those of docs/, of the suite, and at the top of the repository.

In the repository README.md links to `docs/mcp.md`, and a page of docs/ to `../ARCHITECTURE.md`. On
the site the pages of docs/ and of the top lie side by side, those of the suite in `suite/`, and the
README is `index.md`.
Usage: python -m demo.site DIRECTORY
"""

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS, SUITE = ROOT / "docs", ROOT / "suite"
# Where a page is that keeps neither its name nor its directory.
MOVED = {
    ROOT / "README.md": "index.md",
    **{ROOT / name: name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")},
    SUITE / "README.md": "suite/README.md",
    **{page: f"suite/{page.name}" for page in (SUITE / "docs").glob("*.md")},
}
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_CODE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)


def gather(into: Path) -> None:
    """Write every page into a directory, with the links as they are there."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(DOCS, into)
    for page in (*DOCS.rglob("*.md"), *MOVED):
        target = into / placed(page)
        target.parent.mkdir(exist_ok=True)
        target.write_text(_linked(page), encoding="utf-8")


def placed(file: Path) -> str:
    """Return where a file of the repository is on the site."""
    return str(file.relative_to(DOCS)) if DOCS in file.parents else MOVED[file]


def _linked(page: Path) -> str:
    """Return a page with its links as they are on the site."""
    here = Path(placed(page)).parent

    def link(found: re.Match[str]) -> str:
        target = placed((page.parent / found[1]).resolve())
        return f"{os.path.relpath(target, here)}{found[2] or ''}"

    parts = _CODE.split(page.read_text(encoding="utf-8"))
    return "".join(
        part if number % 2 else _LINK.sub(link, part) for number, part in enumerate(parts)
    )


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
