from tests.surfaces.cli.shell import Shell


def test_transactions_refusals_and_retries_are_counted(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole("edit", "a.txt", "--find", "two", "--content", "x", "--actor", "me")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two", "--actor", "me")

    data = keyhole.ok("stats", "--json").data
    text = keyhole.ok("stats").out

    assert data == {
        "since": "",
        "transactions": {"applied": 1},
        "undos": 0,
        "tools": {"cli edit": 1},
        "refusals": {"not-found": 1},
        "retried": 1,
        "rungs": {"exact": 1},
        "modes": {"search": 1},
        "by_tool": {"cli edit": {"done": 1, "refused": 1}},
        "by_actor": {"me": {"done": 1, "refused": 1}},
        "efforts": 1,
        "refusals_until_done": {"1": 1},
        "abandoned": 0,
        "success_rate": 0.5,
        "retry_rate": 1.0,
        "catastrophic_rate": 0.0,
        "self_recovery_rate": 1.0,
    }
    assert text == (
        "since the beginning\n"
        "transactions: 1\n       1  applied\n"
        "tools: 1\n       1  cli edit\n"
        "refusals: 1\n       1  not-found\n"
        "refusals that the next call made good: 1\n"
        "places found by: 1\n       1  exact\n"
        "edits by: 1\n       1  search\n"
        "by actor: 1\n       1  me, 1 refused\n"
        "efforts: 1\n       1  done after 1 refusal\n       0  given up\n"
        "calls that went through: 50.0%\n"
        "retry rate: 100.0%\n"
        "catastrophic failures: 0.0%\n"
        "self-recovery: 100.0%\n"
    )


def test_a_later_start_counts_less(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")

    data = keyhole.ok("stats", "--since", "2999-01-01T00:00:00Z", "--json").data

    assert (data["since"], data["transactions"]) == ("2999-01-01T00:00:00Z", {})
