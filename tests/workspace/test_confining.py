"""What is written here of the fence runs in processes of their own: see the torture of it."""

from pathlib import Path

import pytest

from keyhole.workspace import confining, kernel


def test_a_kernel_without_it_confines_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "IS_LINUX", False)

    assert confining.version() == 0
    assert confining.confine([tmp_path]) is False


def test_an_older_kernel_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confining, "_LEAST", 10**6)

    assert confining.confine([tmp_path]) is False
