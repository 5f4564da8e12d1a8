"""Write every package: python -m packages DIRECTORY [PUBLISHER [RELEASES]].

The files that hosts read from the repository are written there too.
"""

import shutil
import sys
from pathlib import Path

from packages.bundle import bundle, bundle_name, registration
from packages.facts import ROOT
from packages.plugins import files, links


def main(directory: str, *named: str) -> None:
    """Write what belongs into the repository, and all of it into a directory made anew."""
    target = Path(directory)
    shutil.rmtree(target, ignore_errors=True)
    shutil.rmtree(ROOT / "plugins", ignore_errors=True)
    for base in (ROOT, target):
        for path, body in files().items():
            _write(base / path, body)
    archive = bundle()
    _write(target / bundle_name(), archive)
    _write(target / "server.json", registration(archive, *filter(None, named)).encode())
    for written in sorted(each for each in target.rglob("*") if each.is_file()):
        print(written)
    for editor, link in links().items():
        print(f"{editor}: {link}")


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


if __name__ == "__main__":
    main(*sys.argv[1:])
