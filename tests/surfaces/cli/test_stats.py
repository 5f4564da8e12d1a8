from tests.surfaces.cli.shell import Shell


def test_transactions_refusals_and_retries_are_counted(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole("edit", "a.txt", "--find", "two", "--content", "x")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")

    data = keyhole.ok("stats", "--json").data
    text = keyhole.ok("stats").out

    assert data == {
        "since": "",
        "transactions": {"applied": 1},
        "tools": {"cli edit": 1},
        "refusals": {"not-found": 1},
        "retried": 1,
    }
    assert text == (
        "since the beginning\n"
        "transactions: 1\n       1  applied\n"
        "tools: 1\n       1  cli edit\n"
        "refusals: 1\n       1  not-found\n"
        "refusals that the next call made good: 1\n"
    )


def test_a_later_start_counts_less(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")

    data = keyhole.ok("stats", "--since", "2999-01-01T00:00:00Z", "--json").data

    assert (data["since"], data["transactions"]) == ("2999-01-01T00:00:00Z", {})
