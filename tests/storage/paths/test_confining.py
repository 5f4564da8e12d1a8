"""The kernel's fence; what gets out without it is tried in the torture of it."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from keyhole.disk import kernel
from keyhole.storage.paths import confining

HAS_IT = confining.version() >= 3


def in_a_thread(work: Callable[[], object]) -> list[object]:
    """Do something in a thread of its own: only that is confined."""
    found: list[object] = []
    thread = Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found


def test_a_confined_thread_writes_inside_only(tmp_path: Path) -> None:
    if not HAS_IT:  # the torture says so, with a count
        return
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()

    def work() -> list[str]:
        assert confining.confine([tmp_path / "inside"])
        (tmp_path / "inside/a.txt").write_text("a", encoding="utf-8")
        with pytest.raises(PermissionError):
            (tmp_path / "outside/a.txt").write_text("a", encoding="utf-8")
        return [path.name for path in tmp_path.glob("*/a.txt")]

    assert in_a_thread(work) == [["a.txt"]]
    (tmp_path / "outside/a.txt").write_text("others go on as before", encoding="utf-8")


def test_a_system_without_it_confines_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "IS_LINUX", False)

    assert confining.version() == 0
    assert confining.confine([tmp_path]) is False


def test_an_older_kernel_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confining, "_LEAST", 10**6)

    assert confining.confine([tmp_path]) is False


def test_rules_that_the_kernel_does_not_take_confine_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confining, "_CONFINED", 0)

    assert confining.confine([tmp_path]) is False
