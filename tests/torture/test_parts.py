"""Every harness belongs to a part, and every part is a target."""

import re
from pathlib import Path

from tests.torture.parts import PARTS

ROOT = Path(__file__).parent.parent.parent


def test_the_targets_are_the_parts() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^TORTURE := ((?:.*\\\n)*.*)", makefile, re.MULTILINE)

    assert found
    assert found[1].replace("\\\n", " ").split() == list(PARTS)


def test_every_harness_is_run_by_a_part() -> None:
    run = {word.split("::")[0] for words in PARTS.values() for word in words}
    start = "from tests.torture.start import"
    harnesses = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("tests/**/test_*.py")
        if f"\n{start}" in path.read_text(encoding="utf-8")
    }

    assert len(harnesses) > 12
    assert harnesses <= run
    assert all((ROOT / path).is_file() for path in run if path.startswith("tests/"))
