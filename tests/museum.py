"""Bugs that were found and mended, each with the test that shows it: python -m tests.museum NUMBER.

An exhibit is reproduced where it was: the test of the commit that mended the bug runs against the
code of the commit before, and must fail; against the mended code it must pass.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A bug: what happened, the commit that mended it, and the test that came with it."""

    bug: str
    mended: str
    test: str

    @property
    def is_here(self) -> bool:
        """Tell whether this copy of the repository knows the commit and the one before."""
        return is_here(f"{self.mended}^")

    def fails(self, commit: str) -> bool:
        """Run the test against the code of a commit."""
        with tempfile.TemporaryDirectory() as home:
            unpack(self.mended, ["tests", "pyproject.toml"], home)
            unpack(commit, ["src"], home)
            path = os.pathsep.join([f"{home}/src", home])
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", self.test],
                cwd=home,
                env={**os.environ, "PYTHONPATH": path},
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
        assert done.returncode in {0, 1}, done.stdout + done.stderr
        return done.returncode == 1

    def reproduce(self) -> tuple[bool, bool]:
        """Tell whether the test fails before the bug was mended, and afterwards."""
        return self.fails(f"{self.mended}^"), self.fails(self.mended)


def _git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)


def is_here(commit: str) -> bool:
    """Tell whether this copy of the repository knows a commit."""
    return _git("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def unpack(commit: str, paths: list[str], home: str | Path) -> None:
    """Put files of a commit into a directory."""
    done = _git("archive", commit, *paths)
    assert done.returncode == 0, done.stderr
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(home, filter="data")


EXHIBITS = [
    Exhibit(
        "undo brought other bytes back when an edit had taken the declared encoding away",
        "54f473d",
        "tests/workspace/test_undo.py::"
        "test_undo_brings_the_very_bytes_back_when_their_encoding_was_edited_away",
    ),
    Exhibit(
        "recovery stopped at a displaced file that cannot be copied",
        "e795a34",
        "tests/workspace/test_recover.py::"
        "test_what_cannot_be_copied_is_rescued_under_a_name_of_its_own",
    ),
    Exhibit(
        "a mirror that a linter had made a link was followed when it was removed",
        "2023cb4",
        "tests/workspace/linters/test_shadow.py::test_a_mirror_that_became_a_link_is_not_followed",
    ),
    Exhibit(
        "a deletion that the system does not allow was said to be done",
        "2681281",
        "tests/workspace/test_bad_input.py::test_missing_rights_are_refused_by_name",
    ),
    Exhibit(
        "an exact quote took the line end behind it along, and left another one in its place",
        "17b1654",
        "tests/matching/test_literal.py::test_put_leaves_the_line_end_behind_the_quote_to_its_line",
    ),
    Exhibit(
        "the server kept what a connection was made of long after its client had broken it off",
        "1262651",
        "tests/surfaces/http/test_patience.py::test_a_client_that_breaks_off_is_forgotten",
    ),
]


def main(number: str) -> int:
    """Reproduce one bug and say how it went."""
    exhibit = EXHIBITS[int(number) - 1]
    before, after = exhibit.reproduce()
    seen = "reproduced" if before and not after else f"NOT REPRODUCED: {before}, {after}"
    sys.stdout.write(f"{number}: {seen}: {exhibit.bug}\n")
    return not (before and not after)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
