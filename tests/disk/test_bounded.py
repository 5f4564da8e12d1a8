"""Files that keyhole reads on its own account: nothing that a tree brings along holds it up."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.disk.bounded import UnfitFile, digest_of, read_bounded


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def full(path: Path) -> None:
    path.symlink_to("/dev/full")


def large(path: Path) -> None:
    path.write_bytes(b"#" * 101)


def directory(path: Path) -> None:
    path.mkdir()


def process(path: Path) -> None:
    """A file of a system that says it has no bytes, and has."""
    path.symlink_to("/proc/self/maps")


MADE = [fifo, zeros, full, large, directory, process]


@pytest.mark.parametrize("make", MADE)
def test_what_is_no_plain_small_file_is_told_and_not_read(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "a")

    with pytest.raises(UnfitFile):
        read_bounded(str(tmp_path / "a"), 100)
    assert read_bounded(str(tmp_path / "none"), 100) is None
    assert read_bounded(str(tmp_path / "none" / "none"), 100) is None


def test_a_link_is_followed_inside_a_directory_and_not_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/there").write_bytes(b"x")
    (tmp_path / "out").write_bytes(b"secret")
    (tmp_path / "in/near").symlink_to("there")
    (tmp_path / "in/far").symlink_to("../out")
    within = str(tmp_path / "in")

    assert read_bounded(f"{within}/near", 100, within=within) == b"x"
    with pytest.raises(UnfitFile) as caught:
        read_bounded(f"{within}/far", 100, within=within)
    assert caught.value.code == "path-denied"


def test_a_digest_is_of_a_plain_file_within_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    fifo(tmp_path / "p")

    assert (digest_of(str(tmp_path / "a"), 10) or "")[:8] == "e3b0c442"
    assert digest_of(str(tmp_path / "b"), 10) is None
    with pytest.raises(UnfitFile):
        digest_of(str(tmp_path / "p"), 10)


def test_a_name_that_no_disk_takes_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnfitFile, match="cannot be read: File name too long"):
        read_bounded(str(tmp_path / ("x" * 300)), 10)
