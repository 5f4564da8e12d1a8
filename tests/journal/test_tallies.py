from keyhole.journal.tallies import CountedCall, Counts, Efforts, tally_of


def done(time: float, actor: str = "a", path: str = "x", **more: object) -> CountedCall:
    return CountedCall(time, actor, "edit", (path,), state="applied", **more)  # type: ignore[arg-type]


def refused(time: float, actor: str = "a", path: str = "x", code: str = "not-found") -> CountedCall:
    return CountedCall(time, actor, "edit", (path,), (code,))


def test_an_effort_ends_with_the_call_that_goes_through() -> None:
    tally = tally_of([done(1), refused(2), refused(3), done(4), refused(5, path="y")])

    assert tally.efforts == Efforts({0: 1, 2: 1}, abandoned=1)
    assert (tally.efforts.total, tally.efforts.retried, tally.efforts.recovered) == (3, 2, 1)


def test_another_actor_or_file_makes_nothing_good() -> None:
    tally = tally_of([refused(1), done(2, actor="b"), done(3, path="y")])

    assert tally.efforts == Efforts({0: 2}, abandoned=1)
    assert tally.retried == 0


def test_a_file_written_anew_after_a_refusal_is_no_recovery() -> None:
    tally = tally_of([refused(1), done(2, rewrote=True), done(3, rewrote=True)])

    assert tally.efforts == Efforts({0: 1, 1: 1}, rewritten=1)
    assert tally.efforts.recovered == 0


def test_an_undo_is_no_effort() -> None:
    tally = tally_of([done(1, rungs=("exact",)), done(2, undo=True, rungs=("exact",))])

    assert (tally.efforts.total, tally.undone, tally.rungs) == (1, 1, {"exact": 1})


def test_calls_are_counted_by_the_hour_by_tool_and_by_actor() -> None:
    tally = tally_of([done(3600), refused(3700), done(7200, actor="b")])

    assert tally.by_hour == {3600: Counts(1, 1), 7200: Counts(1)}
    assert tally.by_actor == {"a": Counts(1, 1), "b": Counts(1)}
    assert tally.by_tool == {"edit": Counts(2, 1)}
