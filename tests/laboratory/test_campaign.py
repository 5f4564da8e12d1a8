"""How scenarios are shared out, judged and written down, without a host."""

from pathlib import Path

import pytest

from tests.laboratory.__main__ import MARKS, PAGE, expected, faults, row, table
from tests.laboratory.campaign import (
    FIRST,
    SCENARIOS,
    HostReport,
    Verdict,
    _file_faults,
    _only_faults,
    _step_faults,
    allowed,
    run_host,
    starts,
)
from tests.laboratory.goldens import FOLDER, differences, masked, read_golden
from tests.laboratory.hosts import CODEX, LAB_HOSTS, LabHost
from tests.laboratory.scenario import RESTART, Scenario
from tests.laboratory.wires import ModelRequest, ToolOffer


def test_there_are_enough_scenarios_and_each_has_a_name_of_its_own() -> None:
    names = [each.name for each in SCENARIOS]
    assert len(names) == len(set(names)) >= 50
    assert len([each for each in SCENARIOS if each.core]) == 4


def test_every_step_says_what_the_model_must_see() -> None:
    for each in SCENARIOS:
        assert len(each.sees) == len(each.steps), each.name
        assert set(each.after) <= {*each.before, "made/new.txt", "made/moved.txt"}, each.name


def test_no_two_scenarios_of_a_start_share_a_file() -> None:
    for group in starts(SCENARIOS):
        files = [name for each in group for name in {*each.before, *each.after}]
        assert len(files) == len(set(files))
        assert len({each.flags for each in group}) == 1
    assert sum(map(len, starts(SCENARIOS))) == len(SCENARIOS)


def test_what_a_host_cannot_do_is_not_asked_of_it() -> None:
    asked = {each.name for each in allowed(CODEX, SCENARIOS)}
    assert {each.name for each in SCENARIOS if RESTART in each.needs}.isdisjoint(asked)
    assert len(asked) == len(SCENARIOS) - 1


@pytest.mark.parametrize(
    ("patterns", "texts", "wrong"),
    [
        (("applied",), ["applied 1-2"], 0),
        (("applied", "line 3"), ["applied 1-2"], 1),
        (("!refused",), ["refused: nothing was changed"], 1),
        (("",), [], 1),
    ],
)
def test_a_step_is_judged_by_what_the_model_saw(
    patterns: tuple[str, ...], texts: list[str], wrong: int
) -> None:
    assert len(_step_faults(patterns, texts, 1)) == wrong


def test_a_scenario_is_judged_by_the_bytes_on_disk(tmp_path: Path) -> None:
    scenario = Scenario("x", (), (), {"a": b"1\n", "b": b"2\n"}, {"b": None})
    (tmp_path / "a").write_bytes(b"1\r\n")
    assert _file_faults(tmp_path, scenario) == ["a holds b'1\\r\\n'"]
    (tmp_path / "a").write_bytes(b"1\n")
    (tmp_path / "b").write_bytes(b"2\n")
    assert _file_faults(tmp_path, scenario) == ["b holds b'2\\n'"]


def test_a_host_that_npm_does_not_have_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    report = run_host(LabHost("none", ("none@1",), CODEX.program, CODEX.run), tmp_path, SCENARIOS)
    assert report.missing == "npm is not installed"
    assert "not installed" in row(report)
    assert faults([report]) == []


def test_a_host_that_did_not_run_keeps_its_row() -> None:
    ran = HostReport(CODEX, verdicts=[Verdict(FIRST)])
    known = "| `pi` | old |\n| `codex` | old |\n"

    assert [line.split("|")[1].strip() for line in table([ran], known).splitlines()[2:]] == [
        "`codex`",
        "`pi`",
    ]
    assert "| `codex` | old |" not in table([ran], known)


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ({"edit", "bash"}, {"bash"}, 0),
        ({"edit", "bash"}, {"edit", "bash"}, 1),
        ({"bash"}, {"bash"}, 1),
        ({"edit"}, set(), 1),
    ],
)
def test_tools_that_stay_and_tools_that_never_were_are_faults(
    before: set[str], after: set[str], wrong: int
) -> None:
    first, second = (
        ModelRequest("", "", "", tuple(map(ToolOffer, names)), (), {}) if names else None
        for names in (before, after)
    )
    assert len(_only_faults(("edit", "write"), first, second)) == wrong


def test_verdicts_that_are_missing_are_a_fault() -> None:
    report = HostReport(CODEX, verdicts=[Verdict(FIRST)])
    assert faults([report]) == [f"codex: 1 verdicts, not {expected(CODEX)}"]


def test_what_differs_from_run_to_run_is_masked() -> None:
    seen = "applied 12-9a1f\n/tmp/laboratory-x_1/project/a.py b7fdeefd2ff2fd36 accept 38a5366d025c"
    assert masked(seen) == "applied TRANSACTION\nPROJECT/a.py HASH accept ID"
    assert masked("x" * 5_000).endswith("and so on")


def test_a_text_that_the_model_did_not_see_before_is_found() -> None:
    title = "plain edit"
    known = read_golden("codex")[title]
    text = known.split("````")[1].strip("\n")
    same = HostReport(CODEX, verdicts=[Verdict(title, [], [("edit", text)])])
    assert list(differences(same)) == []
    other = HostReport(CODEX, verdicts=[Verdict(title, [], [("edit", text + "!")])])
    assert len(list(differences(other))) == 1
    unknown = HostReport(CODEX, verdicts=[Verdict("no such scenario", [], [("edit", "x")])])
    assert len(list(differences(unknown))) == 1


def test_every_host_has_a_page_of_what_its_model_sees() -> None:
    assert {page.stem for page in FOLDER.glob("*.md")} == set(LAB_HOSTS)


def test_the_table_counts_the_scenarios_that_there_are() -> None:
    begin, end = MARKS
    page = PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    told = {name.strip("| `"): [version, passed] for name, version, passed, *_ in rows}

    assert told == {
        name: [row(HostReport(host)).split(" | ")[1], f"{expected(host)} of {expected(host)}"]
        for name, host in LAB_HOSTS.items()
    }
