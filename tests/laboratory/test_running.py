"""What npm may take, with one that hangs."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.laboratory import running
from tests.laboratory.campaign import SCENARIOS, run_host
from tests.laboratory.hosts import CODEX
from tests.laboratory.running import BRIEF_SECONDS, UnavailableError, packages_of


def test_a_registry_that_hangs_is_waited_for_once_and_hosts_are_counted_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\nwhile :; do sleep 1000; done\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(running, "_waited", [0.0])
    monkeypatch.setattr(running, "NPM_SECONDS", 0.5)

    first = run_host(CODEX, tmp_path / "cache", SCENARIOS, brief=True)
    second = run_host(replace(CODEX, name="other"), tmp_path / "cache", SCENARIOS, brief=True)

    assert first.missing.startswith("ended after ")
    assert second.missing == "npm took too long for others"
    assert (first.faults, second.faults, first.verdicts) == ([], [], [])


def test_what_is_there_needs_no_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_waited", [1e9])
    home = tmp_path / "codex-0.166.0-linux-x64"

    with pytest.raises(UnavailableError):
        packages_of(CODEX, tmp_path / "empty", BRIEF_SECONDS)
    home.mkdir()
    (home / "done").touch()

    assert packages_of(CODEX, tmp_path, BRIEF_SECONDS) == home
