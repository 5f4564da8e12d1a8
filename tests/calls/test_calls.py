"""A short share of `make calls`, on what the repository ships, and faults that it must catch."""

from pathlib import Path

import pytest

from tests.calls.__main__ import campaign, main
from tests.calls.cases import cases
from tests.calls.mutations import MUTATIONS
from tests.calls.planted import FAULTS, planted, without_rehearsal

KNOWN = cases(None)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_calls_land_as_the_clean_ones_whatever_their_shape() -> None:
    result = campaign(160, KNOWN, 7, ("MCP", "keyhole call"))

    assert result.faults(160) == [], result.calls.examples + result.contradictions.examples
    assert result.by_mutation.keys() == set(MUTATIONS)
    assert set(result.by_door) == {"MCP", "keyhole call"}
    assert {case.tool for case in KNOWN} - set(result.by_tool) <= {"patch_file", "apply_patch"}


def test_the_command_lands_them_in_a_process_of_its_own() -> None:
    result = campaign(10, KNOWN, 8, ("keyhole, alone",))

    assert result.faults(10) == [], result.calls.examples + result.contradictions.examples


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str) -> None:
    with planted(fault):
        result = campaign(40, KNOWN, 9, ("keyhole call",), 3)

    assert result.faults(40)


def test_a_try_that_does_not_land_is_caught() -> None:
    with without_rehearsal():
        result = campaign(12, KNOWN, 9, ("keyhole call",), 3)

    assert result.faults(12)


def test_a_campaign_without_its_recording_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(20, "no/such/recording.gz") == 2
    assert "there is no no/such/recording.gz" in capsys.readouterr().err
